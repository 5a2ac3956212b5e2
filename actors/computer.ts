import type { AnyEventObject } from 'xstate';
import { hostName } from '../adapters/index.ts';
import { keyOf } from '../machines/address.ts';
import type { ComputerContext, ComputerNews, ComputerStart, ToolCall } from '../machines/computer.machine.ts';
import { shownServer, toProtocol, type Config, type ServerConfig } from '../machines/config/index.ts';
import type { CallSettled } from '../machines/settlement.ts';
import { timing, type Timing } from '../machines/timing.ts';
import { wireCodes, type Failure } from '../machines/wire/index.ts';
import { deferred } from './deferred.ts';
import type {
  ComputerOptions,
  ServerStatus,
  ToolListing,
  ComputerStatus,
  ComputerEvents,
  Computer,
  OfficeSeat,
} from './computer-handle.ts';
import { CallWatch } from './call-watch.ts';
import { cannotOrder, closedCall, closedText, listingOf, serverStatus } from './computer-status.ts';
import { A2cError } from './errors.ts';
import { Listeners } from './listeners.ts';
import { PendingCalls } from './pending-calls.ts';
import { launchOf, planOf, readOrThrow, type StdioServer } from './plan.ts';
import { Runtime, type Hosted } from './runtime.ts';

/** For our own command: one runtime for several handles, a config that was read already. */
export interface Inner {
  readonly runtime?: Runtime;
  readonly config?: Config;
}

class HostedComputer implements Computer {
  readonly name: string;
  readonly #options: ComputerOptions;
  readonly #runtime: Runtime;
  readonly #isShared: boolean;
  readonly #config: Config;
  readonly #timing: Timing;
  readonly #stdio: readonly StdioServer[];
  readonly #hosted: Hosted;
  readonly #listeners = new Listeners<ComputerEvents>();
  readonly #calls = new PendingCalls();
  readonly #booted = deferred();
  #link: ComputerStatus['link'] = null;
  #isWatchingCalls = false;
  readonly #failures = new Map<string, Failure | null>();

  constructor(options: ComputerOptions, config: Config, runtime: Runtime, isShared: boolean) {
    this.#options = options;
    this.#config = config;
    this.#runtime = runtime;
    this.#isShared = isShared;
    this.name = options.name ?? hostName();
    this.#timing = { ...timing, ...this.#config.settings.timeouts, ...options.timing } as Timing;
    this.#runtime.confirm = options.confirm ?? 'deny';
    const needy = new Set(this.#config.needsInputs.map((n) => n.server));
    this.#stdio = this.#config.servers.filter(
      (s): s is StdioServer => s.kind === 'stdio' && !s.disabled && !needy.has(s.name),
    );
    for (const server of this.#stdio) this.#runtime.launch(server.name, launchOf(server));
    this.#hosted = this.#runtime.start('computer', this.#input(), (event) => this.#hear(event));
  }
  #input(): ComputerStart {
    const { office, autoConnect = true, autoReconnect = true } = this.#options;
    const shown = this.#config.servers.map((s) => ({ ...s, raw: shownServer(s.raw) }));
    const policy = { autoConnect, autoReconnect, timing: this.#timing };
    return {
      servers: this.#stdio.map((server) => planOf(server, this.#config.settings, policy)),
      link: office
        ? { url: office.url, role: 'computer', name: this.name, office: office.id ?? 'local' }
        : null,
      timing: this.#timing,
      shown: toProtocol({ servers: shown, inputs: this.#config.inputs }),
    };
  }
  #emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void {
    const { onEvent } = this.#options;
    this.#listeners.emit(name, value);
    if (onEvent) this.#listeners.tell(name, () => onEvent(name, value), value);
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'call.settled') return this.#calls.settle(event as unknown as CallSettled);
    if (event.type === 'owned.ended') {
      this.#booted.resolve();
      return this.#emit('computer.changed', { state: 'closed' });
    }
    const news = event as ComputerNews;
    if (news.type === 'client.changed') {
      this.#failures.set(news.server, news.failure);
      const { server, stage, failure, attempt } = news;
      const tries = stage === 'waiting' ? ` (try ${attempt} of ${this.#budgetOf(server)})` : '';
      const reason = failure ? { reason: failure.message + tries } : {};
      this.#emit('server.changed', { name: server, state: stage, ...reason, failure });
    } else if (news.type === 'tools.changed') {
      this.#emit('tools.changed', { added: news.added, removed: news.removed });
    } else if (news.type === 'link.changed') {
      this.#link = { state: news.stage, reason: news.reason };
      this.#emit('link.changed', this.#link);
    } else if (news.type === 'computer.changed') {
      this.#booted.resolve();
      this.#emit('computer.changed', { state: news.stage });
    }
  }
  #budgetOf(server: string): number {
    return this.#input().servers.find((s) => s.rules.server === server)?.client.budget ?? 0;
  }
  get booted(): Promise<void> {
    return this.#booted.promise;
  }
  #context(): ComputerContext | undefined {
    return this.#runtime.directory.find('computer')?.ref.getSnapshot().context as ComputerContext | undefined;
  }

  servers(): readonly ServerStatus[] {
    return this.#config.servers.map((server) => this.#statusOf(server));
  }
  #statusOf(server: ServerConfig): ServerStatus {
    const { name } = server;
    const inputs = this.#config.needsInputs.find((n) => n.server === name)?.ids ?? [];
    const root = this.#runtime.directory.find(`computer/client:${keyOf(name)}`);
    return serverStatus(server, inputs, root?.ref.getSnapshot(), this.#failures.get(name) ?? null);
  }
  status(): ComputerStatus {
    const snapshot = this.#runtime.directory.find('computer')?.ref.getSnapshot();
    const value: unknown = snapshot?.value ?? 'closed';
    const state = (
      typeof value === 'string' ? value : Object.values(value as object)[0]
    ) as ComputerStatus['state'];
    return { name: this.name, state, servers: this.servers(), link: this.#link };
  }
  async tools(): Promise<ToolListing> {
    return { ...listingOf(this.#context()), servers: this.servers() };
  }
  callTool: Computer['callTool'] = (tool, params = {}, options = {}) => {
    const { timeoutMs = this.#timing.callTotalMs, confirmed = false } = options;
    const { directory } = this.#runtime;
    const send = (ticket: string, reqId: string): void => {
      const call = { ticket, reqId, tool, params, timeoutMs, confirmed };
      const event: ToolCall = { type: 'tool.call', call, replyTo: this.#hosted.host };
      const orElse = { to: this.#hosted.host, event: closedCall(ticket, reqId, tool) };
      directory.send('computer', event, orElse);
    };
    return this.#calls.start(tool, options, send, (ticket) => this.#cancel(ticket));
  };
  #cancel(ticket: string): void {
    const order = { type: 'call.cancel', ticket, reason: 'cancelled by the host' } as const;
    if (this.#runtime.directory.find('computer')) this.#runtime.directory.send('computer', order);
  }
  cancelCall(reqId: string): void {
    const ticket = this.#calls.ticketOf(reqId);
    if (ticket !== undefined) this.#cancel(ticket);
  }
  startServer(name: string): Promise<void> {
    return this.#order('server.start', name, 'ready');
  }
  stopServer(name: string): Promise<void> {
    return this.#order('server.stop', name, 'idle');
  }
  /** Resolves when the server has come to rest as wanted; rejects with why when it rests otherwise. */
  async #order(type: 'server.start' | 'server.stop', name: string, wanted: 'ready' | 'idle'): Promise<void> {
    const status = this.servers().find((s) => s.name === name);
    if (!status || !this.#stdio.some((s) => s.name === name)) throw cannotOrder(name, status);
    if (!this.#runtime.directory.find('computer'))
      throw new A2cError({ code: 'ServerNotActive', message: closedText, details: { server_name: name } });
    if (status.state === wanted) return;
    const rested = deferred<ServerStatus>();
    const stop = this.#listeners.on('server.changed', (s) => {
      if (s.name === name && !['connecting', 'closing', 'recovering'].includes(s.state)) rested.resolve(s);
    });
    const stopEnd = this.#listeners.on('computer.changed', (c) => {
      if (c.state === 'closed') rested.resolve({ name, state: 'idle', reason: closedText });
    });
    this.#runtime.directory.send('computer', { type, server: name } as AnyEventObject);
    const { state, reason } = await rested.promise;
    stop();
    stopEnd();
    if (state === wanted) return;
    // Another order came in between, or it did not start.
    const message = reason ?? `Server '${name}' is ${state}`;
    throw new A2cError({ code: 'ServerNotActive', message, details: { server_name: name, state } });
  }
  async restartServer(name: string): Promise<void> {
    await this.stopServer(name);
    await this.startServer(name);
  }
  retryServer(name: string): Promise<void> {
    return this.startServer(name);
  }
  async join({ url, id = 'local' }: OfficeSeat): Promise<void> {
    if (this.#context()?.link)
      throw new A2cError({
        code: wireCodes.conflict,
        message: 'Already in an office',
        remedy: 'leave() first',
      });
    const joined = deferred();
    const stop = this.#listeners.on('link.changed', ({ state, reason }) => {
      if (state === 'joined') joined.resolve();
      if (state === 'waiting' || state === 'closed')
        joined.reject(
          new A2cError({ code: 'LinkLost', message: `Could not join the office: ${reason ?? state}` }),
        );
    });
    const link = { url, role: 'computer', name: this.name, office: id } as const;
    this.#runtime.directory.send('computer', { type: 'office.join', link } as AnyEventObject);
    try {
      await joined.promise;
    } catch (error) {
      await this.leave();
      throw error;
    } finally {
      stop();
    }
  }
  async leave(): Promise<void> {
    if (!this.#context()?.link) return;
    const left = deferred();
    const stop = this.#listeners.on('link.changed', ({ state }) => state === 'closed' && left.resolve());
    this.#runtime.directory.send('computer', { type: 'office.leave' });
    await left.promise;
    stop();
    this.#link = null;
  }
  on: Computer['on'] = (name, listener) => {
    if (name === 'call.started' || name === 'call.settled') this.#watchCalls();
    return this.#listeners.on(name, listener);
  };
  /** From the first listener on: until then a call costs nothing more. */
  #watchCalls(): void {
    if (this.#isWatchingCalls) return;
    this.#isWatchingCalls = true;
    const watch = new CallWatch(
      (call) => this.#listeners.emit('call.started', call),
      (call) => this.#listeners.emit('call.settled', call),
    );
    this.#runtime.directory.tap.add(watch);
  }

  writeTrace: Computer['writeTrace'] = async (dir = '.') => this.#runtime.writeTrace(dir);
  async close(): Promise<void> {
    await this.#runtime.end(this.#hosted, this.#timing.shutdownMs + 1_000);
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts a computer and resolves when every server is up or has failed once, or after 15 s with those that are.
 * Rejects with an `A2cError` (`ConfigInvalid`) when the config has a mistake: then nothing was started.
 */
export async function createComputer(options: ComputerOptions = {}, inner: Inner = {}): Promise<Computer> {
  const config = inner.config ?? readOrThrow(options.config);
  const { reaper, stateDir, record, launcher, onNotice: notice } = options;
  const runtime = inner.runtime ?? new Runtime({ reaper, stateDir, notice, record, launcher });
  if (!inner.runtime) await runtime.sweep();
  const computer = new HostedComputer(options, config, runtime, inner.runtime !== undefined);
  let closed: Promise<void> | undefined;
  const abort = (): void => void (closed = computer.close());
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  await computer.booted;
  options.signal?.removeEventListener('abort', abort);
  await closed;
  return computer;
}
