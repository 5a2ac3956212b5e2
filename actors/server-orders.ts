import type { AnyEventObject } from 'xstate';
import type { Config, ServerConfig } from '../machines/config/index.ts';
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
  statusOf(name: string): ServerStatus | undefined;
  isOpen(): boolean;
  send(event: AnyEventObject): void;
}

/** What a host orders of its servers while they run. Changes of the config happen one after another. */
export class ServerOrders {
  readonly #options: OrdersOptions;
  /** The last change that was asked for: the next one begins when it is done. */
  #changing: Promise<unknown> = Promise.resolve();
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
    const { servers: given } = readOrThrow(config);
    const [server] = given;
    if (!server || given.length > 1)
      throw new A2cError({
        code: 'ConfigInvalid',
        message: `expected one server, found ${given.length}`,
        remedy: 'Use setServers for several.',
      });
    const { name } = server;
    await this.#change((now) => ({ ...now, servers: withServer(now.servers, server) }));
    return this.#settled(name);
  }
  async remove(name: string): Promise<void> {
    const { servers } = this.#options;
    if (!servers.get(name)) throw cannotOrder(name, undefined);
    const hasClient = (servers.get(name)?.generation ?? 0) > 0 && !servers.get(name)?.server.disabled;
    const rested = hasClient && this.#options.isOpen() ? this.#rested(name) : undefined;
    await this.#change((now) => ({ ...now, servers: now.servers.filter((s) => s.name !== name) }));
    await rested;
  }
  /** Its new launch facts could not be started. */
  rolledBack(name: string, generation: number, failure: Failure | null): void {
    this.#rolledBack.set(name, failure);
    this.#options.servers.rollBack(name, generation);
    this.#tell();
  }
  #tell(): void {
    const { servers, send } = this.#options;
    send({ type: 'servers.set', servers: servers.plans(), shown: servers.shown() });
  }
  /** Nothing of a change that is refused is taken. */
  async #change(of: (now: Config) => Config): Promise<void> {
    const { servers } = this.#options;
    const change = this.#changing.then(async () => {
      const next = of(servers.config);
      const prepared = await servers.prepare(next);
      this.#mustBeOpen('');
      for (const { name } of next.servers) this.#mayChange(name, prepared.known.get(name)?.generation);
      for (const { name } of next.servers) this.#rolledBack.delete(name);
      servers.take(prepared);
      this.#tell();
    });
    this.#changing = change.catch(() => {});
    return change;
  }
  #mayChange(name: string, generation: number | undefined): void {
    const { servers, autoReconnect, statusOf } = this.#options;
    const before = servers.get(name)?.generation ?? 0;
    if (autoReconnect || before === 0 || before === generation) return;
    const state = statusOf(name)?.state;
    if (state === undefined || !active.has(state)) return;
    throw new A2cError({
      code: wireCodes.conflict,
      message: `Server ${name} is active. Stop it before updating config`,
      details: { server_name: name, state },
    });
  }
  async #settled(name: string): Promise<ServerStatus> {
    const now = this.#options.statusOf(name);
    const status = now && resting.has(now.state) ? now : await this.#rested(name);
    const isBack = this.#rolledBack.has(name);
    const failure = this.#rolledBack.get(name);
    this.#rolledBack.delete(name);
    if (!isBack) return status;
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
