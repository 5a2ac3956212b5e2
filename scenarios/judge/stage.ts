import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Host, type HostAnswer, type GivenOrder } from './host.ts';
import {
  endProcess,
  isWindows,
  livingOf,
  processesWith,
  readFrom,
  readOr,
  seenFromLinux,
  type Marked,
} from './processes.ts';

/** Ten times the two seconds that a rule allows, so that a slow machine is never judged. */
export const soonMs = 20_000;
/** Where a rule allows five or ten seconds; shorter than the minute after which callers give up anyway. */
export const knownMs = 45_000;
/** In the environment of all that a case starts, by which its processes are found. */
const markName = 'A2C_JUDGE';
const closeMs = 30_000;
/** Longer than any case waits for the server's end. */
const lifeMs = 300_000;

/** With a schema: a gateway sends only the arguments that it knows. */
const read = { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };

interface Line {
  readonly got?: string;
  readonly did?: string;
  readonly tool?: string;
  readonly id?: unknown;
  readonly session?: string;
  readonly pid?: number;
  readonly parent?: number;
}
export type Faulty = Readonly<Record<string, unknown>> & { readonly name?: string };

async function holds(isSo: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await sleep(50);
  }
  return true;
}

/** Stage of one case: a folder, a mark for its servers, and the host under test. */
export class Stage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'a2c-judge-'));
  /** Marks in the environment of the servers, and of the driver with all else that it starts. */
  readonly #marks = { server: `server-${randomUUID()}`, driver: `driver-${randomUUID()}` };
  readonly #driver: readonly string[];
  readonly #faultServer: readonly string[];
  readonly #hosts: Host[] = [];
  readonly #remote: ChildProcess[] = [];
  readonly host: Host;
  #isClosed = false;
  /** Names of all servers, and of those behind a shell. */
  readonly #names = new Set<string>();
  readonly #wrapped = new Set<string>();
  readonly #logs = new Map<string, { end: number; readonly lines: Line[] }>();

  constructor(driver: readonly string[], faultServer: readonly string[]) {
    this.#driver = driver;
    this.#faultServer = faultServer;
    this.host = this.anotherHost();
  }
  /** Starts a second driver to compare with; hosts of other cases do not clean up its processes. */
  anotherHost(): Host {
    this.#mustBeOpen();
    const state = join(this.#folder, `state-${this.#hosts.length}`);
    const host = new Host(this.#driver, {
      ...process.env,
      [isWindows ? 'LOCALAPPDATA' : 'XDG_STATE_HOME']: state,
      // Keeps temporary files of the driver in the folder of the case, which is removed.
      [isWindows ? 'TEMP' : 'TMPDIR']: this.#folder,
      [markName]: this.#marks.driver,
    });
    this.#hosts.push(host);
    return host;
  }
  #mustBeOpen(): void {
    if (this.#isClosed) throw new Error('the case is over');
  }
  #write(config: Faulty, name: string, how: readonly string[] = []): readonly string[] {
    this.#mustBeOpen();
    const file = join(this.#folder, `${name}.json`);
    this.#names.add(name);
    const kept = { log: join(this.#folder, `${name}.log`), starts: join(this.#folder, `${name}.starts`) };
    writeFileSync(file, JSON.stringify({ ...kept, lifeMs, ...config }));
    return [...this.#faultServer, ...how, '--file', file];
  }
  /** Builds the config of a server for the host; `wrapped` puts it behind a shell, as `npx` and `uvx` do. */
  server(config: Faulty, { wrapped = false, name = 'shaky' } = {}): object {
    const words = this.#write(config, name);
    const env = { [markName]: this.#marks.server, PATH: process.env['PATH'] };
    if (!wrapped) return { command: words[0], args: words.slice(1), env };
    if (!isWindows) return { command: 'sh', args: ['-c', '"$@"; exit $?', 'sh', ...words], env };
    const command = join(this.#folder, `${name}.cmd`);
    writeFileSync(command, `@${words.map((word) => `"${word}"`).join(' ')}\r\n`);
    this.#wrapped.add(name);
    return { command, env };
  }
  /** Starts a server at a URL, which runs until the case is over. */
  async remote(config: Faulty, name = 'shaky'): Promise<object> {
    const [program = '', ...args] = this.#write(config, name, ['--http']);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#remote.push(child);
    const line = await new Promise<string>((resolve, reject) => {
      child.on('exit', (code) => reject(new Error(`the fault server ended with code ${code}`)));
      createInterface({ input: child.stdout }).once('line', resolve);
    });
    return { url: (JSON.parse(line) as { readonly url: string }).url };
  }
  /** Returns the log of a server: received messages and actions, in order. Reads only what is new. */
  log(name = 'shaky'): readonly Line[] {
    const kept = this.#logs.get(name) ?? { end: 0, lines: [] };
    this.#logs.set(name, kept);
    const text = readFrom(join(this.#folder, `${name}.log`), kept.end);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    // One character is one byte.
    kept.end += whole.length;
    for (const line of whole.split('\n')) if (line !== '') kept.lines.push(JSON.parse(line) as Line);
    return kept.lines;
  }
  /** Counts the messages of this method that a server received; `tool` counts calls of this tool alone. */
  got(method: string, tool?: string): number {
    return this.log().filter((line) => line.got === method && (tool === undefined || line.tool === tool))
      .length;
  }
  did(fault: string): boolean {
    return this.log().some((line) => line.did === fault);
  }
  starts(): number {
    return readOr(join(this.#folder, 'shaky.starts')).split('\n').filter(Boolean).length;
  }
  /** Returns the living processes of all servers of this case, descendants included. */
  processes(): readonly Marked[] {
    if (!isWindows) return processesWith(this.#marks.server);
    // Their command lines name files in the folder of the case. A pid alone may have another process by now.
    const seen = seenFromLinux(basename(this.#folder));
    if (seen?.length === 0) return [];
    const living = livingOf(this.#noted());
    return living.length > 0 ? living : (seen ?? []);
  }
  /** Returns all processes that the servers of this case have noted, alive or not. */
  #noted(): readonly Marked[] {
    return [...this.#names].flatMap((name) =>
      this.log(name).flatMap(({ did, pid = 0, parent = 0 }) => [
        ...(did === 'grandchild' ? [{ pid, command: did }] : []),
        // A server at a URL has no parent in its log, and is not of the host.
        ...(parent > 0 ? [{ pid, command: 'fault-server' }] : []),
        ...(parent > 0 && this.#wrapped.has(name) ? [{ pid: parent, command: 'shell' }] : []),
      ]),
    );
  }
  /** Waits until a condition holds, or the case is over; returns false after `ms`. */
  until(isSo: () => boolean | Promise<boolean>, ms = soonMs): Promise<boolean> {
    return holds(() => this.#isClosed || isSo(), ms);
  }
  /** Waits until no process of a server lives; returns those that remain after `ms`. */
  async left(ms = soonMs): Promise<readonly Marked[]> {
    await this.until(() => this.processes().length === 0, ms);
    return this.processes();
  }
  ask(name: string, more: object = {}, limitMs = knownMs): Promise<HostAnswer> {
    return this.host.order(name, more, limitMs).answer;
  }
  /** Starts the host with one server. */
  start(
    config: Faulty,
    { wrapped = false, ...more }: { wrapped?: boolean; idleMs?: number } = {},
  ): Promise<HostAnswer> {
    return this.ask('start', {
      servers: { shaky: this.server({ tools: { read }, ...config }, { wrapped }) },
      ...more,
    });
  }
  async startRemote(config: Faulty): Promise<HostAnswer> {
    return this.ask('start', { servers: { shaky: await this.remote({ tools: { read }, ...config }) } });
  }
  calling(more: object = {}, limitMs = knownMs): GivenOrder {
    return this.host.order('call', { server: 'shaky', tool: 'read', args: { text: 'hi' }, ...more }, limitMs);
  }
  call(more: object = {}, limitMs = knownMs): Promise<HostAnswer> {
    return this.calling(more, limitMs).answer;
  }
  /** Repeats a call until one succeeds; returns that answer, or the last one after `ms`. */
  async callUntilOk(more: object = {}, ms = knownMs): Promise<HostAnswer> {
    const end = performance.now() + ms;
    for (;;) {
      const answer = await this.call(more);
      if (answer.ok || answer.isLate || this.host.ended !== undefined || performance.now() > end)
        return answer;
      await sleep(200);
    }
  }
  /** Ends everything that the case started, and everything that the host left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts) host.end();
    for (const child of this.#remote) child.kill('SIGKILL');
    const isOver = (): boolean => {
      const alive = isWindows ? livingOf(this.#noted()) : Object.values(this.#marks).flatMap(processesWith);
      for (const { pid } of alive) endProcess(pid);
      return alive.length === 0;
    };
    // Again until nothing is found: one may have started another meanwhile.
    await holds(isOver, closeMs);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
