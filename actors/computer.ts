import type { AnyEventObject } from 'xstate';
import { hostName } from '../adapters/index.ts';
import { keyOf } from '../machines/address.ts';
import { offeredTools, toSmcpTool } from '../machines/catalog/index.ts';
import type { ComputerContext, ComputerNews, ComputerStart, ToolCall } from '../machines/computer.machine.ts';
import { mistakeLine, parseConfig, type Config } from '../machines/config/index.ts';
import type { CallSettled } from '../machines/settlement.ts';
import { timing, type Timing } from '../machines/timing.ts';
import type { Failure } from '../machines/wire/index.ts';
import { deferred } from './deferred.ts';
import type {
  ComputerOptions,
  ServerStatus,
  ToolListing,
  ComputerStatus,
  ComputerEvents,
  Computer,
} from './computer-handle.ts';
import { A2cError } from './errors.ts';
import { Listeners } from './listeners.ts';
import { PendingCalls } from './pending-calls.ts';
import { launchOf, planOf, type StdioServer } from './plan.ts';
import { Runtime, type Hosted } from './runtime.ts';

const readOrThrow = (config: unknown): Config => {
  const parsed = parseConfig(config ?? []);
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Mend the config; nothing was started.',
  });
};

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
  readonly #failures = new Map<string, Failure | null>();

  constructor(options: ComputerOptions, inner: Inner) {
    this.#options = options;
    this.#config = inner.config ?? readOrThrow(options.config);
    this.#runtime = inner.runtime ?? new Runtime();
    this.#isShared = inner.runtime !== undefined;
    this.name = options.name ?? hostName();
    this.#timing = { ...timing, ...this.#config.settings.timeouts, ...options.timing } as Timing;
    this.#runtime.confirm = options.confirm ?? 'deny';
    const needy = new Set(this.#config.needsInputs.map((n) => n.server));
    this.#stdio = this.#config.servers.filter(
      (s): s is StdioServer => s.kind === 'stdio' && !s.disabled && !needy.has(s.name),
    );
    for (const server of this.#stdio) this.#runtime.launches.set(server.name, launchOf(server));
    this.#hosted = this.#runtime.start('computer', this.#input(), (event) => this.#hear(event));
  }
  #input(): ComputerStart {
    const { office, autoConnect = true, autoReconnect = true } = this.#options;
    const policy = { autoConnect, autoReconnect, timing: this.#timing };
    return {
      servers: this.#stdio.map((server) => planOf(server, this.#config.settings, policy)),
      link: office
        ? { url: office.url, role: 'computer', name: this.name, office: office.id ?? 'local' }
        : null,
      timing: this.#timing,
    };
  }
  #emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void {
    this.#listeners.emit(name, value);
    this.#options.onEvent?.(name, value);
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
    } else if (news.type === 'tools.changed') this.#emit('tools.changed', news);
    else if (news.type === 'link.changed') {
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
  #statusOf(server: Config['servers'][number]): ServerStatus {
    const { name } = server;
    const needed = this.#config.needsInputs.find((n) => n.server === name);
    if (server.disabled) return { name, state: 'disabled', reason: 'disabled in its config' };
    if (server.kind !== 'stdio')
      return { name, state: 'unsupported', reason: `transport '${server.kind}' is not built yet` };
    if (needed) return { name, state: 'needs input', reason: `needs input ${needed.ids.join(', ')}` };
    const snapshot = this.#runtime.directory.find(`computer/client:${keyOf(name)}`)?.ref.getSnapshot();
    const state = snapshot ? stateOf(snapshot) : 'closing';
    const failure = state === 'ready' ? null : this.#failures.get(name);
    return { name, state, ...(failure && { reason: failure.message }) };
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
    const context = this.#context();
    const isUp = (server: string): boolean => context?.stages[server] === 'ready';
    const entries = context ? offeredTools(context.table, isUp) : [];
    const refused = context?.table.refused ?? [];
    return {
      tools: entries.map((e) => ({ ...toSmcpTool(e), original: e.tool.name, server: e.server })),
      refused: refused.map(({ name, server, failure }) => ({
        name,
        server,
        reason: failure.message,
        suggestion: failure.remedy ?? '',
      })),
      servers: this.servers(),
    };
  }
  callTool: Computer['callTool'] = (tool, params = {}, options = {}) => {
    const { timeoutMs = this.#timing.callTotalMs, confirmed = false } = options;
    const { directory } = this.#runtime;
    const send = (ticket: string, reqId: string): void => {
      const call = { ticket, reqId, tool, params, timeoutMs, confirmed };
      const event: ToolCall = { type: 'tool.call', call, replyTo: this.#hosted.host };
      if (directory.find('computer')) directory.send('computer', event);
      else this.#calls.settle(closedCall(ticket, reqId, tool));
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
    return this.#order(
      'server.start',
      name,
      (state) => !['connecting', 'closing', 'recovering'].includes(state),
    );
  }
  stopServer(name: string): Promise<void> {
    return this.#order('server.stop', name, (state) => state === 'idle');
  }
  /** Resolves when the server has come to rest; start rejects when that is not `ready`. */
  async #order(
    type: 'server.start' | 'server.stop',
    name: string,
    isDone: (state: string) => boolean,
  ): Promise<void> {
    const status = this.servers().find((s) => s.name === name);
    if (!status || !this.#stdio.some((s) => s.name === name)) throw cannotOrder(name, status);
    if (status.state === (type === 'server.start' ? 'ready' : 'idle')) return;
    const { promise, resolve } = deferred<ServerStatus>();
    const stop = this.#listeners.on(
      'server.changed',
      (s) => s.name === name && isDone(s.state) && resolve(s),
    );
    const stopEnd = this.#listeners.on('computer.changed', (c) => {
      if (c.state === 'closed') resolve({ name, state: 'closing' });
    });
    this.#runtime.directory.send('computer', { type, server: name } as AnyEventObject);
    const rested = await promise;
    stop();
    stopEnd();
    if (type === 'server.start' && rested.state !== 'ready')
      throw new A2cError({
        code: 'ServerNotActive',
        message: rested.reason ?? `Server '${name}' is ${rested.state}`,
        details: { server_name: name, state: rested.state },
      });
  }
  on: Computer['on'] = (name, listener) => this.#listeners.on(name, listener);

  async close(): Promise<void> {
    await this.#runtime.end(this.#hosted, this.#timing.shutdownMs + 1_000);
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const stateOf = (snapshot: { value: unknown; hasTag(tag: string): boolean }): ServerStatus['state'] => {
  const { value } = snapshot;
  if (value === 'idle' || value === 'waiting' || value === 'tripped' || value === 'recovering') return value;
  if (snapshot.hasTag('ready')) return 'ready';
  return snapshot.hasTag('connecting') ? 'connecting' : 'closing';
};
const closedCall = (ticket: string, reqId: string, tool: string): CallSettled => ({
  ...{
    type: 'call.settled',
    ticket,
    reqId,
    server: '',
    tool,
    end: 'failed',
    outcome: 'failed',
    result: null,
  },
  failure: { code: 'ServerNotActive', message: 'The computer is closed' },
});
const cannotOrder = (name: string, status: ServerStatus | undefined): A2cError =>
  status
    ? new A2cError({
        code: 'ServerNotActive',
        message: `Server '${name}' cannot be started or stopped: ${status.reason ?? status.state}`,
        details: { server_name: name, state: status.state },
      })
    : new A2cError({ code: 404, message: `Unknown server: ${name}`, remedy: 'List them: servers list' });

/**
 * Starts a computer and resolves when every server is up or has failed once, or after 15 s with those that are.
 * Rejects with an `A2cError` (`ConfigInvalid`) when the config has a mistake: then nothing was started.
 */
export async function createComputer(options: ComputerOptions = {}, inner: Inner = {}): Promise<Computer> {
  const computer = new HostedComputer(options, inner);
  const abort = (): void => void computer.close();
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  await computer.booted;
  options.signal?.removeEventListener('abort', abort);
  return computer;
}
