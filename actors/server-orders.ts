import type { AnyEventObject } from 'xstate';
import type { Config, InputDefinition, ServerConfig } from '../machines/config/index.ts';
import { wireCodes, type Failure } from '../machines/wire/index.ts';
import type { ComputerEvents, ServerStatus } from './computer-handle.ts';
import { cannotOrder, closedText } from './computer-status.ts';
import { deferred } from './deferred.ts';
import { A2cError } from './errors.ts';
import type { Listeners } from './listeners.ts';
import { readOrThrow } from './plan.ts';
import type { Servers } from './servers.ts';

/** Where a server rests, or is on a way that may be long: whoever ordered something is answered. */
const resting: ReadonlySet<ServerStatus['state']> = new Set([
  'idle',
  'resting',
  'ready',
  'waiting',
  'tripped',
  'disabled',
  'needs input',
  'unsupported',
]);
/** Its launch facts cannot be changed under it unless it may be connected again. */
const active: ReadonlySet<ServerStatus['state']> = new Set([
  'connecting',
  'ready',
  'recovering',
  'waiting',
  'closing',
]);

export interface OrdersOptions {
  readonly servers: Servers;
  readonly listeners: Listeners<ComputerEvents>;
  readonly autoReconnect: boolean;
  define(inputs: readonly InputDefinition[]): void;
  statusOf(name: string): ServerStatus | undefined;
  isOpen(): boolean;
  send(event: AnyEventObject): void;
}

/** What a host orders of its servers while they run. Changes of the config happen one after another. */
export class ServerOrders {
  readonly #options: OrdersOptions;
  /** The last change that was asked for: the next one begins when it is done. */
  #changing: Promise<unknown> = Promise.resolve();
  /** By server: why its last change was taken back. */
  readonly #rolledBack = new Map<string, Failure | null>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  // ── one server ─────────────────────────────────────────────────────────────────────────────────────
  async start(name: string): Promise<void> {
    await this.#fillIn(name);
    await this.#order('server.start', name, 'ready');
  }
  async stop(name: string): Promise<void> {
    await this.#order('server.stop', name, 'idle');
  }
  async restart(name: string): Promise<void> {
    await this.stop(name);
    await this.start(name);
  }
  /** A value that was missing may be there by now. */
  async #fillIn(name: string): Promise<void> {
    const { servers } = this.#options;
    if (servers.get(name)?.generation === 0) await this.#change(() => servers.config);
  }
  /** Resolves when the server has come to rest as wanted; rejects with why when it rests otherwise. */
  async #order(type: 'server.start' | 'server.stop', name: string, wanted: 'ready' | 'idle'): Promise<void> {
    const { servers, statusOf, send } = this.#options;
    const status = statusOf(name);
    const known = servers.get(name);
    if (!status || !known || known.server.disabled || known.generation === 0) throw cannotOrder(name, status);
    this.#mustBeOpen(name);
    if (status.state === wanted) return;
    const rested = this.#rested(name);
    send({ type, server: name });
    const { state, reason } = await rested;
    if (state === wanted) return;
    // Another order came in between, or it did not start.
    const message = reason ?? `Server '${name}' is ${state}`;
    throw new A2cError({ code: 'ServerNotActive', message, details: { server_name: name, state } });
  }
  #mustBeOpen(name: string): void {
    if (!this.#options.isOpen())
      throw new A2cError({ code: 'ServerNotActive', message: closedText, details: { server_name: name } });
  }
  /** When it was taken out of the config and has ended. */
  #ended(name: string): Promise<void> {
    const { listeners } = this.#options;
    const { promise, resolve } = deferred();
    const stops = [
      listeners.on('server.removed', (s) => s.name === name && resolve()),
      listeners.on('computer.changed', ({ state }) => state === 'closed' && resolve()),
    ];
    return promise.finally(() => stops.forEach((stop) => stop()));
  }
  /** The next time that it comes to rest. */
  #rested(name: string): Promise<ServerStatus> {
    const { listeners } = this.#options;
    const { promise, resolve } = deferred<ServerStatus>();
    const stops = [
      listeners.on('server.changed', (s) => {
        if (s.name === name && resting.has(s.state)) resolve(s);
      }),
      listeners.on('server.removed', (s) => {
        if (s.name === name) resolve({ name, state: 'idle', reason: 'it was removed' });
      }),
      listeners.on('computer.changed', ({ state }) => {
        if (state === 'closed') resolve({ name, state: 'idle', reason: closedText });
      }),
    ];
    return promise.finally(() => stops.forEach((stop) => stop()));
  }

  // ── the config ─────────────────────────────────────────────────────────────────────────────────────
  async set(config: unknown): Promise<void> {
    const { servers, inputs, settings, needsInputs, warnings } = readOrThrow(config);
    await this.#change((now) => ({
      ...now,
      servers,
      needsInputs,
      warnings,
      inputs: inputs.length > 0 ? inputs : now.inputs,
      settings: Object.keys(settings).length > 0 ? settings : now.settings,
    }));
  }
  async put(config: unknown): Promise<ServerStatus> {
    const { servers: given, inputs } = readOrThrow(config);
    const [server] = given;
    if (!server || given.length > 1)
      throw new A2cError({
        code: 'ConfigInvalid',
        message: `expected one server, found ${given.length}`,
        remedy: 'Give them one by one, or all of them to setServers.',
      });
    const { name } = server;
    await this.#change((now) => ({
      ...now,
      servers: withServer(now.servers, server),
      inputs: withInputs(now.inputs, inputs),
    }));
    return this.#settled(name, this.#options.servers.get(name)?.generation ?? 0);
  }
  async remove(name: string): Promise<void> {
    const { servers } = this.#options;
    if (!servers.get(name)) throw cannotOrder(name, undefined);
    const hasClient = (servers.get(name)?.generation ?? 0) > 0 && !servers.get(name)?.server.disabled;
    const ended = hasClient && this.#options.isOpen() ? this.#ended(name) : undefined;
    await this.#change((now) => ({ ...now, servers: now.servers.filter((s) => s.name !== name) }));
    await ended;
  }
  /** Its new launch facts could not be started. */
  rolledBack(name: string, generation: number, failure: Failure | null): void {
    this.#rolledBack.set(name, failure);
    this.#options.servers.rollBack(name, generation);
    this.#tell();
  }
  #tell(): void {
    const { servers, send, listeners } = this.#options;
    send({
      type: 'servers.set',
      servers: servers.plans(),
      unstarted: servers.unstarted(),
      shown: servers.shown(),
    });
    listeners.emit('config.changed', { servers: servers.config.servers.map(({ name }) => name) });
  }
  /** Nothing of a change that is refused is taken. */
  async #change(of: (now: Config) => Config): Promise<void> {
    const { servers, define } = this.#options;
    const change = this.#changing.then(async () => {
      const next = of(servers.config);
      for (const server of next.servers) this.#mayChange(server);
      await servers.check(next);
      if (next.inputs !== servers.config.inputs) define(next.inputs);
      const prepared = await servers.prepare(next);
      this.#mustBeOpen('');
      // Somebody may have started it while values were asked for.
      for (const server of next.servers) this.#mayChange(server);
      servers.take(prepared);
      this.#tell();
    });
    this.#changing = change.catch(() => {});
    return change;
  }
  #mayChange(server: ServerConfig): void {
    const { servers, autoReconnect, statusOf } = this.#options;
    if (autoReconnect || !servers.isOther(server)) return;
    const { name } = server;
    const state = statusOf(name)?.state;
    if (state === undefined || !active.has(state)) return;
    throw new A2cError({
      code: wireCodes.conflict,
      message: `Server ${name} is active. Stop it before updating config`,
      details: { server_name: name, state },
    });
  }
  async #settled(name: string, generation: number): Promise<ServerStatus> {
    this.#mustBeOpen(name);
    const { servers, statusOf } = this.#options;
    const now = statusOf(name);
    const status = now && resting.has(now.state) ? now : await this.#rested(name);
    // A later one is another's change, and an earlier one what it was before this change.
    if ((servers.get(name)?.generation ?? generation) >= generation) return status;
    const failure = this.#rolledBack.get(name);
    throw new A2cError({
      code: failure?.code ?? 'ServerLost',
      message: `Server '${name}' could not be started as it was changed, and is back as it was: ${failure?.message ?? 'no reason given'}`,
      details: { ...failure?.details, server_name: name },
      ...(failure?.remedy !== undefined && { remedy: failure.remedy }),
    });
  }
}

const withServer = (servers: readonly ServerConfig[], server: ServerConfig): readonly ServerConfig[] =>
  servers.some((s) => s.name === server.name)
    ? servers.map((s) => (s.name === server.name ? server : s))
    : [...servers, server];

const withInputs = (
  some: readonly InputDefinition[],
  others: readonly InputDefinition[],
): readonly InputDefinition[] => [
  ...some.filter(({ id }) => !others.some((other) => other.id === id)),
  ...others,
];
