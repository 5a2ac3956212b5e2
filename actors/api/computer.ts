/** The handle of a computer over its machine: servers, calls, collections, inputs, and its end. */
import type { AnyEventObject } from 'xstate';
import { outcomeOf, PendingCalls, type Call, limitOf, misusedCall, readAs } from './call-outcome.ts';
import { toolResult } from '../../machines/protocol/tool-result.ts';
import { closedCall } from '../recording/host-words.ts';
import { CallHistoryWatch, CallWatch, type CallEvents } from './computer-calls.ts';
import { answersFor, CallContexts } from './call-contexts.ts';
import { CollectionQuestions } from './computer-collections.ts';
import type { Computer, ComputerEvents, ComputerStatus, WaitOptions } from './computer-handle.ts';
import { skillFileOf, skillOf } from './agent-lists.ts';
import { debugOf } from './debug.ts';
import { drainMs } from './handles.ts';
import { ComputerNewsroom } from './computer-news.ts';
import type { ComputerOptions } from './computer-options.ts';
import { cannotOrder, computerState, configOf, listingOf, serverStatus } from './computer-status.ts';
import {
  computerMethods,
  computerThrowing,
  computerCallOptions,
  computerOptions,
} from './checks/computer.ts';
import { wrongCall } from './checks/host.ts';
import type { Seat } from './seat.ts';
import type { Door, HostDoor, Lent } from '../extras.ts';
import { extra } from '../extras.ts';
import { computerPart, type ComputerPart } from './computer-part.ts';
import { openRuntime, type HostedMachine, type Runtime } from './runtime.ts';
import type { ServersPart } from './servers-part.ts';
import { ServerOrders } from './server-orders.ts';
import { tracedCall } from './tracing.ts';
import type { Inspected, PageOrders } from './page.ts';
import { pageCaller, defaultRemembered } from '../../machines/call/history.ts';
import { telling } from './telling.ts';
import { A2cError, closedFailure } from '../kernel/errors.ts';
import {
  Listeners,
  deferred,
  cancelledByHost,
  escaping,
  onAbort,
  unlessAborted,
  untilAborted,
} from '../kernel/listeners.ts';
import { checkArguments, mustBeOptions, type EventNames } from '../kernel/options.ts';
import { fingerprintOf, readOrThrow, hostTiming } from '../plans/plan.ts';
import {
  catalogsOf,
  listedOf,
  listsRead,
  promptsOf,
  resourcesOf,
  CachedCatalogs,
} from '../servers/catalogs.ts';
import { Inputs, type AskInput } from '../servers/inputs.ts';
import { specAsk, type LaunchSpecsOptions } from '../servers/launch-specs.ts';
import { LazyLogins } from './lazy-logins.ts';
import type { Registries } from '../servers/fastest-registry.ts';
import type { ListedServer, ServerStatus, ComputerInputs } from '../servers/server-handle.ts';
import { Servers } from '../servers/servers.ts';
import { createTransformer } from '../servers/transformer.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { during, hostName, systemClock, homeFolder } from '../../adapters/clock.ts';
import { isRegistryInNpmrc } from '../../adapters/npmrc.ts';
import { copiedAsJson } from '../../machines/call/policy/judge.ts';
import { inEnglish } from '../../machines/call/policy/policy.ts';
import type { CallProgressed, CallSettled, ComputerCall } from '../../machines/call/call.rules.ts';
import type {
  ComputerContext,
  ComputerNews,
  ComputerStart,
} from '../../machines/computer/computer.machine.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import { addressFor, keyOf, type AddressFor, message } from '../../machines/kernel/effects.ts';
import type { Timing } from '../../machines/kernel/timing.ts';
import { progressOf, traceIn } from '../../machines/protocol/messages/messages.ts';
import type { Transformer } from '../../machines/call/transform.ts';

export interface RuntimeShare {
  readonly runtime?: Runtime;
  readonly config?: Config;
  readonly door?: HostDoor;
}

/**
 * Starts a computer. Resolves as soon as its config is read and its servers are starting, and with `office` when it
 * has its seat. A call waits for its own server. `tools()` and the other questions about all servers wait up to
 * `toolsMs` for starting servers, and list the missing ones. Rejects with an `A2cError` when an option is wrong
 * (`BadRequest`), the config has a mistake (`ConfigInvalid`), or the seat is refused or no office is there, unless
 * `office.keepTrying` is set; with the reason of `signal` when that aborts first. Then nothing runs.
 */
export async function createComputer(
  options: ComputerOptions = {},
  inner: RuntimeShare = {},
): Promise<Computer> {
  mustBeOptions('createComputer', options, computerOptions);
  const onNotice = escaping(options.onNotice);
  return unlessAborted(options.signal, () => startComputer({ ...options, onNotice }, inner));
}
export const takeConfig = (computer: Computer, config: Config): Promise<void> =>
  HostedComputer.take(computer as HostedComputer, config);

async function startComputer(options: ComputerOptions, inner: RuntimeShare): Promise<Computer> {
  const { onNotice: notice, signal } = options;
  const config = inner.config ?? readOrThrow(options.config, (text) => notice?.(text));
  const runtime = inner.runtime ?? (await openRuntime({ ...options, notice }));
  await runtime.use(computerPart).servers.sweep();
  const { door: host = { kind: 'host' } } = inner;
  const doors = options.shared === true ? await extra('door') : undefined;
  const answers = doors?.answersThroughDoor(options.answers, host.kind === 'keep');
  const given = { ...options, ...(answers && { answers }) };
  const computer = new HostedComputer(given, config, runtime, inner.runtime !== undefined);
  const openDoor: OpenDoor = doors && ((lent) => doors.openHostDoor({ ...host, ...lent }));
  const giveUp = (): void => void computer.close();
  const stop = signal && onAbort(signal, giveUp);
  if (signal?.aborted) giveUp();
  // Closes the computer when its start fails, so that no process is left.
  await HostedComputer.start(computer, config, openDoor)
    .catch(async (error: unknown) => {
      await computer.close();
      throw error;
    })
    .finally(stop);
  return computer;
}

type OpenDoor = ((lent: Lent) => Promise<Door>) | undefined;

class HostedComputer implements Computer {
  readonly name: string;
  readonly inputs: Computer['inputs'];
  readonly #options: ComputerOptions;
  readonly #runtime: Runtime;
  readonly #part: ComputerPart;
  readonly #isShared: boolean;
  #openDoor: OpenDoor;
  #door: Door | undefined;
  readonly #inputs: Inputs;
  readonly #cached: CachedCatalogs;
  readonly #servers: Servers;
  readonly #logins: LazyLogins;
  #registries: Promise<Registries> | undefined;
  readonly #timingOf: ReturnType<typeof hostTiming>;
  readonly #transformer: Transformer;
  readonly #orders: ServerOrders;
  #seat: Seat<'computer'> | undefined;
  #seating: Promise<Seat<'computer'>> | undefined;
  #hosted: HostedMachine | undefined;
  readonly #listeners = new Listeners<ComputerEvents>();
  readonly #calls = new PendingCalls();
  readonly #contexts = new CallContexts();
  readonly #first = new FirstMoments(this.#listeners);
  readonly #news: ComputerNewsroom;
  readonly #collections: CollectionQuestions;
  readonly #history: CallHistoryWatch;
  readonly #forget: readonly (() => void)[];
  #isWatchingCalls = false;
  #closing: Promise<void> | undefined;
  readonly #events = telling(this.#listeners, computerEvents, (name) => {
    if (name.startsWith('call.')) this.#watchCalls();
  });
  readonly on = this.#events.on;
  readonly once = this.#events.once;
  readonly off = this.#events.off;
  readonly removeListener = this.#events.removeListener;

  constructor(given: ComputerOptions, config: Config, runtime: Runtime, isShared: boolean) {
    const { autoConnect = true, autoReconnect = true, stateDir = defaultStateDir() } = given;
    const onNotice: ComputerOptions['onNotice'] = (text, topic) =>
      given.onNotice?.(runtime.redact(text), topic);
    const options = { ...given, onNotice };
    this.#options = options;
    this.#runtime = runtime;
    this.#part = runtime.use(computerPart);
    const { servers } = this.#part;
    this.#isShared = isShared;
    this.name = options.name ?? hostName();
    this.#timingOf = hostTiming(options.timing);
    const own = this.#timingOf({});
    this.#listen();
    this.#inputs = inputsOf(config.inputs, options.input, servers.ledger);
    this.#cached = new CachedCatalogs(stateDir === false ? undefined : stateDir, onNotice);
    this.#transformer = createTransformer({ vrlMs: own.vrlMs, loadMs: own.vrlLoadMs, idleMs: own.vrlIdleMs });
    this.#logins = new LazyLogins(servers, options, stateDir);
    this.#servers = new Servers(config, {
      transformer: this.#transformer,
      inputs: this.#inputs,
      policy: { autoConnect, autoReconnect, timing: own },
      cachedOf: (fingerprint) => this.#cached.of(fingerprint),
      redact: (failure) => runtime.redact(failure),
      ...launching(servers, this.#logins, this.#fastest, options),
    });
    servers.specs = specAsk((...asked) => this.#servers.resolve(...asked));
    servers.calls.fill(this.#options, this.#servers, this.#transformer, onNotice, (call) =>
      this.#contexts.at(call),
    );
    this.#orders = new ServerOrders({
      servers: this.#servers,
      notice: onNotice,
      define: (inputs) => this.#inputs.setDefinitions(inputs),
      listeners: this.#listeners,
      emit: (name, value) => this.#emit(name, value),
      autoReconnect,
      statusOf: (name) => this.#states().find((s) => s.name === name),
      isOpen: () => this.#runtime.directory.find('computer') !== undefined,
      send: (event, given) => {
        this.#runtime.directory.send('computer', event, undefined, given);
        this.#setFolders();
      },
    });
    this.inputs = hostedInputs(this.#inputs, this.#orders);
    this.#news = new ComputerNewsroom({
      servers: this.#servers,
      orders: this.#orders,
      cached: this.#cached,
      clientOf: this.#clientRoot,
      emit: (name, value) => this.#emit(name, value),
      notice: onNotice,
      booted: () => this.#first.booted(),
    });
    this.#collections = new CollectionQuestions({
      host: () => this.#host(),
      send: (event, onUndelivered) => this.#runtime.directory.send('computer', event, onUndelivered),
      servers: () => this.#states(),
      settled: (name) => this.#first.settled(() => this.#states().find((s) => s.name === name)),
    });
    this.debug = this.#debug();
    checkArguments(this, computerMethods, computerThrowing);
    this.#history = historyOf(runtime, this.#contexts);
    servers.answers = answersFor(options.answers, () => this.#history.running(), this.#contexts);
    this.#forget = [runtime.directory.tap.add(this.#history), this.#hearIncidents()];
    if (options.onEvent) this.#watchCalls();
  }
  readonly #fastest: Fastest = async (list) => {
    this.#registries ??= registriesOf(this.#options).catch((error: unknown) => {
      this.#registries = undefined;
      throw error;
    });
    return (await this.#registries).fastest(list);
  };
  /** Loaded with the first office. */
  #seatOf(): Promise<Seat<'computer'>> {
    if (this.#seating) return this.#seating;
    const machine = {
      isTaken: () => Boolean(this.#context()?.link),
      send: (event: AnyEventObject) => this.#runtime.directory.send('computer', event),
    };
    const loading = this.#part
      .seat()
      .then((part) => (this.#seat = part.seatOf(this.name, this.#listeners, machine)));
    // A load that failed is tried again with the next order.
    loading.catch(() => (this.#seating = undefined));
    return (this.#seating = loading);
  }
  #listen(): void {
    const { servers } = this.#part;
    servers.log = (name, entry) => this.#emit('server.logged', { name, ...entry });
    servers.heard = (name, method, params) => this.#emit('server.notified', { name, method, params });
    servers.output.tell = (name, line) => this.#emit('server.wrote', { name, ...line });
  }
  /** Waits for the seat, but not for servers. */
  static start(of: HostedComputer, config: Config, openDoor: OpenDoor): Promise<void> {
    of.#openDoor = openDoor;
    return of.#start(config);
  }
  async #start(config: Config): Promise<void> {
    const prepared = await this.#servers.prepare(config);
    const { office } = this.#options;
    if (office) await this.#seatOf();
    if (this.#closing) return this.#collections.close();
    this.#servers.take(prepared);
    const seated = office?.keepTrying ? this.#first.seated : office && this.#seat?.taken(office);
    // A refusal may come while folders are loaded.
    seated?.catch(() => {});
    await this.#part.loadFolders(config.settings);
    if (this.#closing) return this.#collections.close();
    const hear = (event: AnyEventObject): void => this.#hear(event);
    this.#hosted = this.#runtime.start('computer', this.#input(), hear, this.#servers.given());
    this.#setFolders();
    this.#first.begin(this.#timing().toolsMs);
    await this.#lend();
    await seated;
  }
  async #lend(): Promise<void> {
    const { stateDir = defaultStateDir(), launcher, permission, onNotice, inMemory = {} } = this.#options;
    if (!this.#openDoor || stateDir === false) return;
    // Lends no server to commands when the host has its own way to launch servers or to allow calls.
    const isOwnWay = launcher !== undefined || permission !== undefined;
    try {
      this.#door = await this.#openDoor({
        stateDir,
        computer: this,
        configOf: (name) => (isOwnWay || Object.hasOwn(inMemory, name) ? undefined : this.#servers.config),
        inputs: this.#inputs,
        rootsOf: (name) => {
          const roots = this.#options.answers?.roots?.({
            server: name,
            calls: [],
            signal: new AbortController().signal,
          });
          // Roots that come later are those of another client, which no command shares.
          return roots && 'map' in roots ? roots.map(({ uri }) => uri) : null;
        },
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onNotice?.(`a2c call does not find the servers of this host: ${why}`);
    }
    if (this.#closing) this.#door?.close();
  }
  #setFolders(): void {
    const { onNotice } = this.#options;
    this.#part.setFolders(this.#servers.config.settings, (text) => onNotice?.(text));
  }
  #input(): ComputerStart {
    const { office } = this.#options;
    return {
      servers: this.#servers.plans(),
      link: (office && this.#seat?.linkTo(office)) ?? null,
      timing: this.#timing(),
      shown: this.#servers.shown(),
    };
  }
  #emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void {
    const { onEvent } = this.#options;
    this.#listeners.emit(name, value);
    if (onEvent) this.#listeners.tell(name, () => onEvent(name, value), value);
  }
  #hear(event: AnyEventObject): void {
    if (event.type === 'call.settled') {
      const settled = event as unknown as CallSettled;
      this.#contexts.end(settled.ticket);
      return this.#calls.settle(settled);
    }
    if (event.type === 'call.progressed') return this.#calls.progressed(event as unknown as CallProgressed);
    if (event.type === 'owned.ended') {
      this.#first.close();
      this.#collections.close();
      return this.#emit('computer.changed', { state: 'closed' });
    }
    if (!this.#collections.hear(event)) this.#news.hear(event as ComputerNews);
  }
  #context(): ComputerContext | undefined {
    return this.#runtime.directory.find('computer')?.ref.getSnapshot().context as ComputerContext | undefined;
  }

  #states(): readonly ServerStatus[] {
    return this.#servers.config.servers.map((server) => this.#statusOf(server));
  }
  config: Computer['config'] = () => configOf(this.#servers.config);
  #statusOf(server: ServerConfig): ServerStatus {
    const { name } = server;
    const noise = this.#part.servers.noiseOf(name);
    const pid = this.#part.servers.pidOf(`computer/client:${keyOf(name)}`);
    const facts = { ...this.#news.of(name), noise, pid };
    return serverStatus(server, this.#clientOf(name), facts, this.#context());
  }
  #hearIncidents(): () => void {
    return this.#runtime.incidents.on((fact) => this.#emit('incident', fact));
  }
  status(): ComputerStatus {
    const snapshot = this.#runtime.directory.find('computer')?.ref.getSnapshot();
    return {
      name: this.name,
      state: computerState(snapshot),
      servers: this.#states(),
      link: this.#news.link,
      traces: this.#runtime.flight?.kept ?? [],
      incidents: this.#runtime.incidents.facts,
    };
  }
  #clientRoot = (name: string) => this.#runtime.directory.find(`computer/client:${keyOf(name)}`);
  #clientOf = (name: string) => this.#clientRoot(name)?.ref.getSnapshot();
  /** When a new computer has gathered the lists of its servers; rejects once it is closed. */
  #gathered<T>(options: WaitOptions | undefined, answer: () => T | Promise<T>): Promise<T> {
    return waitedFor(options, async () => {
      await this.#first.gathered;
      if (!this.#runtime.directory.find('computer')) throw new A2cError(closedFailure);
      return answer();
    });
  }
  tools: Computer['tools'] = (options) =>
    this.#gathered(options, () => listingOf(this.#context(), this.#servers, this.#clientOf, this.#states()));
  callTool: Computer['callTool'] = (tool, params = {}, options = {}) => {
    const misuse = wrongCall(tool, params, options, computerCallOptions);
    if (misuse) return misusedCall(tool, misuse);
    const { tracing } = this.#runtime;
    if (!tracing) return this.#call(tool, params, options);
    const about = { layer: 'computer', kind: 'internal', method: 'callTool', tool } as const;
    return tracedCall(tracing, { ...about, computer: this.name }, options, (traced) =>
      this.#call(tool, params, { ...options, ...traced }),
    );
  };
  #call(...[tool, params = {}, options = {}]: Parameters<Computer['callTool']>): Call {
    const { confirmed: isConfirmed = false, context } = options;
    const conversation = options.sessionKey ?? this.#contexts.callerOf(context);
    // Copies the parameters now: later changes of the host's object must not alter what was judged.
    const asked = { tool, params: copiedAsJson(params), ...limitOf(options, this.#timing()) };
    const refused = (settled: CallSettled): CallSettled => this.#history.refused(asked, settled, context);
    const send = (ticket: string, reqId: string): void => {
      const closed = closedCall(ticket, reqId, tool);
      // Answers a call itself when the call was made before the computer started, or after it closed.
      if (!this.#hosted || !this.#runtime.directory.find('computer'))
        return this.#calls.settle(refused(closed));
      this.#contexts.begin(ticket, context);
      const traced = traceIn(options.trace ?? {});
      const event: ComputerCall = {
        type: 'call.request',
        ticket,
        reqId,
        ...asked,
        isConfirmed,
        agent: null,
        wantsProgress: true,
        replyTo: this.#host(),
        ...(conversation !== undefined && { conversation }),
        ...((options.meta || traced) && { trace: { ...options.meta, ...traced } }),
      };
      this.#runtime.directory.send('computer', event, message<CallSettled>(this.#host(), closed));
    };
    const call = this.#calls.start(tool, options, send, (...why) => this.#cancel(...why), refused);
    return readAs(call, (told) => outcomeOf(inEnglish(told)));
  }
  #timing = (): Timing => this.#timingOf(this.#servers.config.settings);
  #host = (): AddressFor<unknown> => this.#hosted?.host ?? addressFor('');
  #cancel(ticket: string, reason = cancelledByHost, timedOut = false): void {
    const order = { type: 'call.cancel', ticket, reason, ...(timedOut && { timedOut }) } as const;
    if (this.#runtime.directory.find('computer')) this.#runtime.directory.send('computer', order);
  }
  cancel(reqId: string): void {
    const own = this.#calls.ticketOf(reqId);
    for (const ticket of own === undefined ? this.#history.ticketsOf(reqId) : [own]) this.#cancel(ticket);
  }
  calls: Computer['calls'] = () => this.#history.newestFirst();
  static take(of: HostedComputer, config: Config): Promise<void> {
    return of.#orders.take(config);
  }
  readonly servers: Computer['servers'] = {
    start: (name, options) => waitedFor(options, () => this.#orders.start(name)),
    stop: (name, options) => waitedFor(options, () => this.#orders.stop(name)),
    restart: (name, options) => waitedFor(options, () => this.#orders.restart(name)),
    add: (config) => this.#orders.put(config),
    remove: (name) => this.#orders.remove(name),
    set: (config) => this.#orders.set(config),
    logs: (name) => {
      const lines = this.#part.servers.output.linesOf(name);
      if (lines.length === 0) this.#mustKnow(name);
      return lines;
    },
    logout: (name) => this.#logins.logOut(this.#servers, name),
    watch: (server, uris) => {
      this.#mustKnow(server);
      const order = { type: 'resources.watch', server, uris, by: 'host' } as AnyEventObject;
      if (this.#runtime.directory.find('computer')) this.#runtime.directory.send('computer', order);
    },
    listed: () => this.#listed(),
    request: (...asked) => this.#request(...asked),
    announceRoots: () => this.#part.servers.announceRoots(),
  };
  #mustKnow(server: string): void {
    if (!this.#servers.get(server)) throw cannotOrder(server, undefined, this.#servers.names());
  }
  desktop: Computer['desktop'] = (query) => waitedFor(query, () => this.#collections.desktop(query));
  finder: Computer['finder'] = (query) => waitedFor(query, () => this.#collections.finder(query));
  readResource: Computer['readResource'] = (uri, options) =>
    waitedFor(options, () => this.#collections.readResource(uri, options));
  resources: Computer['resources'] = (options) =>
    this.#gathered(options, () => resourcesOf(this.#runtime.directory, this.#states()));
  readonly skills: Computer['skills'] = {
    list: (options) =>
      waitedFor(options, async () =>
        (await this.#collections.skills()).map((ref) => skillOf(this.name, ref)),
      ),
    read: (name, options) =>
      waitedFor(options, async () => skillFileOf(await this.#collections.skill(name, options?.path))),
  };
  readonly prompts: Computer['prompts'] = {
    list: (options) => this.#gathered(options, () => promptsOf(this.#runtime.directory, this.#states())),
    get: (server, name, values, options) =>
      waitedFor(options, () => this.#collections.getPrompt(server, name, values)),
  };
  readonly debug: Computer['debug'];
  #debug(): Computer['debug'] {
    const { directory } = this.#runtime;
    const shown = (): Inspected => ({
      kind: directory.find('office') ? 'up' : 'computer',
      name: this.name,
      orders: ordersOf(async () => this),
    });
    return {
      ...debugOf(this.#runtime, shown),
      catalogs: () => catalogsOf(directory),
      cachedResult: (handle) => {
        const kept = this.#part.servers.calls.cached.get(handle);
        return kept === undefined ? undefined : toolResult(kept);
      },
    };
  }
  async #listed(): Promise<readonly ListedServer[]> {
    const known = await Promise.all(
      this.#servers.config.servers
        .filter(({ disabled }) => !disabled)
        .map(async (server) => {
          const fingerprint = fingerprintOf(server);
          return { server: server.name, fingerprint, lists: await this.#cached.of(fingerprint) };
        }),
    );
    const context = this.#context();
    if (!context) throw new A2cError(closedFailure);
    const { directory } = this.#runtime;
    for (const { server, fingerprint, lists } of known) {
      const read = listsRead(context, directory, server);
      if (read) this.#cached.complete(fingerprint, lists, read);
    }
    return listedOf(context, directory, known);
  }
  #request: Computer['servers']['request'] = (server, method, params, { signal, onProgress } = {}) =>
    new Promise((resolve, reject) => {
      this.#mustKnow(server);
      signal?.throwIfAborted();
      let stop = (): void => {};
      const withdraw = this.#part.servers.forward(server, { method, params }, (fact) => {
        if (fact.type === 'ask.progress') return onProgress?.(progressOf(fact));
        stop();
        if (fact.type === 'ask.answered') resolve(fact.result as Readonly<Record<string, unknown>>);
        else if (fact.type === 'ask.refused') reject(new A2cError(fact.failure));
      });
      if (!signal) return;
      stop = onAbort(signal, () => {
        withdraw();
        reject(signal.reason as Error);
      });
    });
  join: Computer['join'] = async (office) => (this.#seat ?? (await this.#seatOf())).join(office);
  joined: Computer['joined'] = async (options = {}) =>
    (this.#seat ?? (await this.#seatOf())).joined(() => this.#news.link, options.signal);
  leave: Computer['leave'] = async () => {
    await (await this.#seating?.catch(() => undefined))?.leave();
    this.#news.link = null;
  };
  /** From the first listener, or from the start with `onEvent`; until then watching costs nothing. */
  #watchCalls(): void {
    if (this.#isWatchingCalls) return;
    this.#isWatchingCalls = true;
    const watch = new CallWatch(
      (name, call) => this.#emit<keyof CallEvents>(name, call),
      (call) => this.#contexts.at(call),
    );
    this.#runtime.directory.tap.add(watch);
  }
  drain: Computer['drain'] = async (options = {}) => {
    if (this.#runtime.directory.find('computer'))
      this.#runtime.directory.send('computer', { type: 'calls.refuse' });
    await this.#history.idle(options.timeoutMs ?? drainMs);
    await this.close();
  };
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }
  async #close(): Promise<void> {
    this.#door?.shut();
    this.#first.close();
    if (this.#hosted) await this.#runtime.end(this.#hosted, this.#timing().shutdownMs + 1_000);
    this.#door?.close();
    (await this.#seating?.catch(() => undefined))?.close();
    this.#inputs.close();
    await this.#logins.close();
    (await this.#registries?.catch(() => undefined))?.close();
    await this.#part.closeFolders();
    await this.#transformer.close();
    await this.#cached.close();
    for (const forget of this.#forget) forget();
    if (!this.#isShared) await this.#runtime.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const computerEvents: EventNames<ComputerEvents> = {
  ...{ 'call.started': true, 'call.progress': true, 'call.settled': true },
  ...{ 'server.changed': true, 'server.removed': true, 'server.logged': true, 'server.wrote': true },
  'server.notified': true,
  ...{ 'desktop.changed': true, 'finder.changed': true, 'resources.changed': true, 'prompts.changed': true },
  ...{ 'skills.changed': true, incident: true },
  ...{ 'resource.updated': true, 'tools.changed': true, 'config.changed': true },
  ...{ 'link.changed': true, 'computer.changed': true },
};

/** A signal ends the wait, and not the work. */
async function waitedFor<T>({ signal }: WaitOptions = {}, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  return untilAborted(work(), signal);
}

/** Questions wait for the end of the start, at most `toolsMs`, and are answered with what is known. */
class FirstMoments {
  readonly #booted = deferred();
  readonly #seated = deferred();
  readonly #late = deferred();
  readonly #listeners: Listeners<ComputerEvents>;
  #timer: unknown;
  /** Resolves when each server of a new computer is up or has failed once, or after `toolsMs`. */
  readonly gathered = Promise.race([this.#booted.promise, this.#late.promise]);
  /** Resolves when the office of a computer that keeps trying has answered, or after `toolsMs`. */
  readonly seated = Promise.race([this.#seated.promise, this.#late.promise]);

  constructor(listeners: Listeners<ComputerEvents>) {
    this.#listeners = listeners;
    listeners.on('link.changed', ({ state }) => state !== 'connecting' && this.#seated.resolve());
  }
  begin(toolsMs: number): void {
    this.#timer = systemClock.setTimeout(() => this.#late.resolve(), toolsMs);
  }
  booted(): void {
    this.#booted.resolve();
  }
  close(): void {
    systemClock.clearTimeout(this.#timer);
    this.#late.resolve();
  }
  async settled(statusOf: () => ServerStatus | undefined): Promise<void> {
    if (statusOf()?.state !== 'connecting') return;
    const settled = deferred();
    const stop = this.#listeners.on('server.changed', () => {
      if (statusOf()?.state !== 'connecting') settled.resolve();
    });
    await Promise.race([settled.promise, this.gathered]);
    stop();
  }
}

const readInputs = (given: unknown): readonly InputDefinition[] =>
  readOrThrow({ servers: [], inputs: Array.isArray(given) ? given : [given] }).inputs;
const withoutThose = (
  all: readonly InputDefinition[],
  others: readonly InputDefinition[],
): readonly InputDefinition[] => all.filter(({ id }) => !others.some((other) => other.id === id));

const running = () => during(import('../../adapters/process/run-text.ts'));
/** Time limit in ms of a command that gives the value of an input. */
const commandMs = 30_000;
/** May read the environment of this process, ask the host, and run commands. */
export const inputsOf = (
  definitions: readonly InputDefinition[],
  ask: AskInput | undefined,
  ledger?: ServersPart['ledger'],
): Inputs =>
  new Inputs({
    definitions,
    environment: process.env,
    run: async (line, signal) => (await running()).runText(line, { ms: commandMs, signal, ledger }),
    ...(ask && { ask }),
  });

/** A change of an input counts as a change of the config. */
const hostedInputs = (inputs: Inputs, orders: ServerOrders): ComputerInputs => ({
  list: () => inputs.definitions(),
  get: (id) => inputs.definitions().find((definition) => definition.id === id),
  add: async (given) => {
    const added = readInputs(given);
    await orders.setInputs((now) => [...withoutThose(now, added), ...added]);
  },
  load: async (given) => {
    const all = readInputs(given);
    await orders.setInputs(() => all);
  },
  remove: async (id) => {
    const wasThere = inputs.definitions().some((definition) => definition.id === id);
    if (wasThere) await orders.setInputs((now) => now.filter((definition) => definition.id !== id));
    return wasThere;
  },
  values: {
    get: (id) => inputs.values().find((known) => known.id === id)?.value,
    set: (id, value) => inputs.setValue(id, value),
    remove: (id) => inputs.clearValue(id),
    list: () => Object.fromEntries(inputs.values().map(({ id, value }) => [id, value])),
    clear: (id) => inputs.clearValue(id),
  },
});

const historyOf = (runtime: Runtime, contexts: CallContexts): CallHistoryWatch =>
  new CallHistoryWatch({
    most: defaultRemembered,
    now: () => Date.now(),
    redact: (value) => runtime.redact(value),
    snapshotOf: (address) => runtime.directory.find(address)?.ref.getSnapshot(),
    contextOf: (ticket) => contexts.of(ticket),
  });

type Fastest = Registries['fastest'];
async function registriesOf({ onNotice }: ComputerOptions): Promise<Registries> {
  const { Registries: Found } = await during(import('../servers/fastest-registry.ts'));
  return new Found({ now: () => Date.now(), notice: (text) => onNotice?.(text) });
}
const launching = (
  servers: ServersPart,
  logins: LazyLogins,
  fastest: Fastest,
  { inMemory = {}, transports = {}, onNotice }: ComputerOptions,
): Omit<LaunchSpecsOptions, 'inputs' | 'redact'> & { accepted(config: Config): void } => {
  const notice = (text: string): void => onNotice?.(text);
  return {
    registries: { fastest, isInNpmrc: isRegistryInNpmrc },
    inMemory,
    transports,
    places: { home: homeFolder(), workspace: process.cwd() },
    notice,
    loginPath: async () => (await running()).loginPath(),
    credentialsOf: (...facts) => logins.of(...facts),
    accepted: (config) => servers.accepted(config),
    introduce: (...facts) => servers.introduce(...facts),
    hide: servers.hide,
    forget: (server, before) => servers.forget(server, before),
  };
};

export const ordersOf = (computer: () => Promise<Computer>): PageOrders => ({
  start: async (name) => (await computer()).servers.start(name),
  stop: async (name) => (await computer()).servers.stop(name),
  retry: async (name) => (await computer()).servers.start(name),
  cancel: async (reqId) => (await computer()).cancel(reqId),
  call: async (tool, params) => {
    const { reqId } = (await computer()).callTool(tool, params, { sessionKey: pageCaller });
    return { reqId };
  },
});
