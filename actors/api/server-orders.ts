/** Orders about servers and changes of the config, one after another, with how each ended. */
import type { AnyEventObject } from 'xstate';
import type { ComputerEvents } from './computer-handle.ts';
import { cannotOrder } from './computer-status.ts';
import { closedText, A2cError } from '../kernel/errors.ts';
import { deferred, type Listeners } from '../kernel/listeners.ts';
import { readOrThrow } from '../plans/plan.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Servers } from '../servers/servers.ts';
import { mergedSettings, type ServerConfig } from '../../machines/config/schemas.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import { wireCodes, type Failure, type HostFailure } from '../../machines/protocol/failure.ts';

/** The server rests, or is in a phase that may take long. */
const settledStates: ReadonlySet<ServerStatus['state']> = new Set([
  'idle',
  'standby',
  'ready',
  'waiting',
  'open',
  'unauthorized',
  'disabled',
  'needsInput',
  'unsupported',
]);
/** The launch config cannot be changed in these states without a new connection. */
const active: ReadonlySet<ServerStatus['state']> = new Set([
  'connecting',
  'ready',
  'recovering',
  'waiting',
  'authorizing',
  'closing',
]);

/** These servers run or will run again: a restart that fails leaves them unchanged. */
const kept: ReadonlySet<ServerStatus['state']> = new Set(['ready', 'recovering', 'waiting']);
/** A start order then asks for no new values of inputs. */
const started: ReadonlySet<ServerStatus['state']> = new Set(['connecting', 'ready', 'standby']);
type Rested = ServerStatus & { readonly failure: HostFailure | null };

interface OrdersOptions {
  readonly servers: Servers;
  readonly listeners: Listeners<ComputerEvents>;
  emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void;
  readonly autoReconnect: boolean;
  notice(text: string): void;
  define(inputs: readonly InputDefinition[]): void;
  statusOf(name: string): ServerStatus | undefined;
  isOpen(): boolean;
  /** `given` is the order as the host gave it, for the trace. */
  send(event: AnyEventObject, given?: object): void;
}

/** Changes of the config are made one after another. */
export class ServerOrders {
  readonly #options: OrdersOptions;
  #changing: Promise<unknown> = Promise.resolve();
  readonly #rolledBack = new Map<string, Failure | null>();

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  async start(name: string): Promise<void> {
    const state = this.#options.statusOf(name)?.state;
    if (state && !started.has(state)) this.#options.servers.askAgain(name);
    await this.#order('server.start', name, 'ready');
  }
  async stop(name: string): Promise<void> {
    await this.#order('server.stop', name, 'idle');
  }
  async restart(name: string): Promise<void> {
    const { servers, statusOf } = this.#options;
    if (kept.has(statusOf(name)?.state ?? 'idle')) await this.#renewed(name);
    else servers.askAgain(name);
    await this.stop(name);
    await this.#order('server.start', name, 'ready');
  }
  /** Rejects when a value is missing, or when the server is stopped meanwhile. */
  async #renewed(name: string): Promise<void> {
    const { listeners, servers } = this.#options;
    const end = new AbortController();
    const isDown = ({ state }: ServerStatus): boolean => state === 'idle' || state === 'disabled';
    const stops = [
      listeners.on('server.changed', (s) => s.name === name && isDown(s) && end.abort()),
      listeners.on('server.removed', (s) => s.name === name && end.abort()),
    ];
    const failure = await servers.renew(name, end.signal);
    for (const stop of stops) stop();
    this.#mustBeOpen(name);
    if (end.signal.aborted) throw notDone(name, `Server '${name}' was stopped before it was restarted`);
    if (failure) throw new A2cError({ ...failure, message: `${failure.message}; it runs on as it was` });
  }
  /** Resolves when the server rests in the wanted state; rejects with the reason when it rests in another. */
  async #order(type: 'server.start' | 'server.stop', name: string, wanted: 'ready' | 'idle'): Promise<void> {
    const { servers, statusOf, send } = this.#options;
    const status = statusOf(name);
    const known = servers.get(name);
    if (!status || !known || known.server.disabled) throw cannotOrder(name, status, servers.names());
    this.#mustBeOpen(name);
    if (status.state === wanted) return;
    const rested = this.#rested(name);
    send({ type, server: name });
    const { state, reason, failure } = await rested;
    if (state === wanted) return;
    throw notDone(name, reason ?? otherOrder(name, state), { state, failure });
  }
  #mustBeOpen(name: string): void {
    if (!this.#options.isOpen())
      throw new A2cError({ code: 'ServerNotActive', message: closedText, details: { server_name: name } });
  }
  /** When it next comes to rest, is removed, or the computer closes. */
  #rested(name: string): Promise<Rested> {
    const { listeners, servers } = this.#options;
    const { promise, resolve } = deferred<Rested>();
    const over = (reason: string): void => resolve({ name, state: 'idle', reason, failure: null });
    const stops = [
      listeners.on('server.changed', (s) => {
        if (s.name === name && settledStates.has(s.state)) resolve(s);
      }),
      listeners.on('server.removed', (s) => {
        // Ignores the end of the former server when another server with the same name was added meanwhile.
        if (s.name === name && !servers.get(name)) over('it was removed');
      }),
      listeners.on('computer.changed', ({ state }) => {
        if (state === 'closed') over(closedText);
      }),
    ];
    return promise.finally(() => stops.forEach((stop) => stop()));
  }

  async set(config: unknown): Promise<void> {
    await this.take(readOrThrow(config, this.#options.notice));
  }
  async take(whole: Config): Promise<void> {
    await this.#change(() => whole);
  }
  async put(config: unknown): Promise<ServerStatus> {
    const { notice, servers } = this.#options;
    const { servers: given, inputs, settings } = readOrThrow(config, notice, servers.config.inputs);
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
      settings: mergedSettings(now.settings, settings),
    }));
    return this.#settled(name, servers.get(name)?.generation ?? 0);
  }
  async setInputs(of: (now: readonly InputDefinition[]) => readonly InputDefinition[]): Promise<void> {
    await this.#change((now) => ({ ...now, inputs: of(now.inputs) }));
  }
  async remove(name: string): Promise<void> {
    const { servers } = this.#options;
    if (!servers.get(name)) throw cannotOrder(name, undefined, servers.names());
    await untilEnded(this.#options.listeners, [name], () =>
      this.#change((now) => ({ ...now, servers: now.servers.filter((s) => s.name !== name) })),
    );
  }
  rolledBack(name: string, generation: number, failure: Failure | null): void {
    this.#rolledBack.set(name, failure);
    this.#options.servers.rollBack(name, generation);
    this.#tell();
  }
  #tell(): void {
    const { servers, emit, send } = this.#options;
    send({ type: 'servers.set', servers: servers.plans(), shown: servers.shown() }, servers.given());
    emit('config.changed', { servers: servers.config.servers.map(({ name }) => name) });
  }
  /** When any part is refused, nothing changes. */
  async #change(of: (now: Config) => Config): Promise<void> {
    const { servers, define } = this.#options;
    const change = this.#changing.then(async () => {
      const next = of(servers.config);
      for (const server of next.servers) this.#mayChange(server);
      await servers.check(next);
      if (next.inputs !== servers.config.inputs) define(next.inputs);
      const prepared = await servers.prepare(next);
      this.#mustBeOpen('');
      // Checks once more, because a server may have been started while the values were read.
      for (const server of next.servers) this.#mayChange(server);
      const gone = servers.take(prepared);
      this.#tell();
      for (const name of gone) this.#options.emit('server.removed', { name });
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
    const status = now && settledStates.has(now.state) ? now : withoutFailure(await this.#rested(name));
    // An earlier generation in force means that this change was rolled back; a later one is another change.
    if ((servers.get(name)?.generation ?? generation) >= generation) return status;
    throw takenBack(name, this.#rolledBack.get(name));
  }
}

/** Resolves when the change is made and each server was removed or disabled, or the computer has closed. */
export async function untilEnded(
  events: Pick<Listeners<ComputerEvents>, 'on'>,
  names: readonly string[],
  change: () => Promise<unknown>,
): Promise<void> {
  const left = new Set(names);
  const { promise, resolve } = deferred();
  const ended = (name: string): unknown => left.delete(name) && left.size === 0 && resolve();
  const stops = [
    events.on('server.removed', ({ name }) => ended(name)),
    events.on('server.changed', ({ name, state }) => state === 'disabled' && ended(name)),
    events.on('computer.changed', ({ state }) => state === 'closed' && resolve()),
  ];
  try {
    await change();
    if (left.size > 0) await promise;
  } finally {
    for (const stop of stops) stop();
  }
}

export const takenBack = (name: string, failure: Failure | null | undefined): A2cError =>
  new A2cError({
    code: failure?.code ?? 'ServerLost',
    message: `Server '${name}' could not be started as it was changed, and is back as it was: ${failure?.message ?? 'no reason given'}`,
    details: { ...failure?.details, server_name: name },
    ...(failure?.remedy !== undefined && { remedy: failure.remedy }),
  });

/** The order failed although no server failed: another order was given meanwhile. */
const otherOrder = (name: string, state: ServerStatus['state']): string => {
  if (state === 'idle') return `Server '${name}' was stopped before it was ready`;
  return state === 'ready'
    ? `Server '${name}' was started again before it had ended`
    : `Server '${name}' is ${state}`;
};
const notDone = (
  name: string,
  message: string,
  { state, failure = null }: { readonly state?: string; readonly failure?: HostFailure | null } = {},
): A2cError => {
  const { details, remedy } = failure ?? {};
  return new A2cError({
    ...(failure ?? { code: 'ServerNotActive' }),
    message,
    details: { ...details, server_name: name, ...(state !== undefined && { state }) },
    ...(remedy !== undefined && { remedy }),
  });
};
const withoutFailure = ({ failure: _, ...status }: Rested): ServerStatus => status;
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
