import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const faultServer: string = new URL('../../fault-server/fault-server.mjs', import.meta.url).pathname;

export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}
export interface Fact {
  readonly t: number;
  readonly at?: number;
  readonly sent?: string;
  readonly got?: string;
  readonly did?: string;
  readonly id?: unknown;
  readonly pid?: number;
}
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}
export interface PeerOptions {
  readonly leavesStderr?: true;
  readonly leads?: true;
  readonly args?: readonly string[];
}

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null;
const messageIn = (line: string): Message[] => {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? [value] : [];
  } catch {
    return [];
  }
};

/** A host without an SDK: raw bytes, signals and exits of one fault server. */
export class Peer {
  readonly chunks: Buffer[] = [];
  readonly child: ChildProcess;
  stderr = '';
  ending: Ending | undefined;
  isClosed = false;
  inputError: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'a2c-fault-server-'));
  readonly #log = join(this.#folder, 'log');
  readonly #waiting = new Set<() => void>();
  readonly #watcher: { close(): void };

  constructor(config: object, { leavesStderr, leads, args }: PeerOptions = {}) {
    writeFileSync(this.#log, '');
    this.#watcher = watch(this.#log, () => this.#hear());
    this.child = spawn(
      process.execPath,
      [faultServer, ...(args ?? [JSON.stringify({ log: this.#log, ...config })])],
      { detached: leads ?? false },
    );
    this.child.stdout?.on('data', (chunk: Buffer) => this.#hear(() => this.chunks.push(chunk)));
    this.child.stdin?.on('error', (error) =>
      this.#hear(() => (this.inputError = 'code' in error ? String(error.code) : error.message)),
    );
    this.child.on('exit', (code, signal) => this.#hear(() => (this.ending = { code, signal })));
    this.child.on('close', () => this.#hear(() => (this.isClosed = true)));
    if (!leavesStderr) this.readStderr();
  }
  get pid(): number {
    return this.child.pid ?? NaN;
  }
  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
  get lines(): string[] {
    return this.bytes.toString('utf8').split('\n').slice(0, -1);
  }
  get messages(): Message[] {
    return this.lines.flatMap(messageIn);
  }
  get facts(): Fact[] {
    const lines = readFileSync(this.#log, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Fact);
  }
  file(name: string): string {
    return join(this.#folder, name);
  }
  readStderr(): void {
    this.child.stderr?.on('data', (chunk: Buffer) => this.#hear(() => (this.stderr += chunk.toString())));
  }

  /** All of them in one write. */
  send(...messages: readonly object[]): void {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    this.child.stdin?.write(lines.join(''));
  }
  call(id: number, name = 'echo', text = `text ${id}`): void {
    this.send(callOf(id, name, text));
  }
  cancel(requestId: number): void {
    this.send({ method: 'notifications/cancelled', params: { requestId } });
  }
  async until(holds: (peer: Peer) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.isClosed) throw new Error(`the server is gone: ${JSON.stringify(this.ending)} ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }
  answersTo(id: unknown): Message[] {
    return this.messages.filter((message) => message.method === undefined && message.id === id);
  }
  async answer(id: unknown): Promise<Message> {
    await this.until(() => this.answersTo(id).length > 0);
    return this.answersTo(id)[0] ?? {};
  }
  async initialize(protocolVersion = '2025-06-18'): Promise<Message> {
    this.send(initializeOf(protocolVersion));
    return this.answer(0);
  }
  async ready(): Promise<void> {
    await this.initialize();
    this.send({ method: 'notifications/initialized' });
  }
  /** Resolves when everything that was sent before has been read, and answered where it gets an answer at once. */
  async ping(id = 'ping'): Promise<void> {
    this.send({ id, method: 'ping' });
    await this.answer(id);
  }
  async ended(): Promise<Ending | undefined> {
    await this.until(({ isClosed }) => isClosed);
    return this.ending;
  }
  /** An answer that has not been sent by then never comes. */
  leave(): Promise<Ending | undefined> {
    this.child.stdin?.end();
    return this.ended();
  }
  dispose(): void {
    this.#watcher.close();
    this.child.kill('SIGKILL');
    for (const { did, pid } of this.facts) if (did === 'grandchild' && pid) killed(pid);
    rmSync(this.#folder, { recursive: true });
  }
  #hear(change?: () => void): void {
    change?.();
    for (const look of this.#waiting) look();
    this.#waiting.clear();
  }
}

/** Whether there was anything to signal; a negative pid is a group. */
export function killed(pid: number, signal: NodeJS.Signals | 0 = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
export const initializeOf = (protocolVersion: string): object => ({
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'contract', version: '0' } },
});
export const callOf = (id: number, name = 'echo', text = `text ${id}`): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { text }, _meta: { progressToken: `token ${id}` } },
});
export const textOf = (message: Message | undefined): unknown =>
  (message?.result?.['content'] as readonly { text: string }[] | undefined)?.[0]?.text;

export type Start = (config: object, options?: PeerOptions) => Peer;
export const starting =
  (finished: (dispose: () => void) => void): Start =>
  (config, options) => {
    const peer = new Peer(config, options);
    finished(() => peer.dispose());
    return peer;
  };
export interface Rule {
  readonly rule: string;
  readonly holds: (start: Start) => Promise<void>;
}
export type Rules = Readonly<Record<string, Rule>>;
