import type { CallLimits } from '../../../machines/call/policy/call-limiters.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { ResourceCollection } from '../../../machines/ports/link.ts';
import { parseFault, wordOf, type Fault } from '../../fault-server/words/fault.ts';
import type { Harness } from '../harness.ts';
import type { Values } from '../scripted/host-ports.ts';
import { expecting, type AskRef, type CallRef, type Expecting, type ServerRef } from './expecting.ts';
import type {
  Aspect,
  ConfigEntry,
  OutsideSignal,
  PermissionData,
  PersonData,
  Plan,
  Root,
  ServerData,
  SharedData,
  Stage,
  StageOptions,
  Step,
} from './plan.ts';

/** Code over the harness of virtual time. @internal */
export type Code = (harness: Harness) => void | Promise<void>;

/** All scenarios of the loaded files, in order; the test suites play them from here. */
export const registered: Plan[] = [];

/**
 * Registers one failure as data: played in virtual time and, where possible, with real processes.
 * @example
 * scenario('a server that dies in the middle of a call', (s) => {
 *   const files = s.server('files', { tools: { slow: { takes: 5_000 } } });
 *   s.fault(files, 'proc.exit', { code: 3, when: 'call', tool: 'slow', afterMs: 20 });
 *   s.ready();
 *   const lost = s.call('slow');
 *   s.settled(lost);
 *   s.expect(lost).settles('unknown', { code: 'ServerLost' });
 * });
 */
export function scenario(title: string, build: (s: Scene) => void): void;
/**
 * Registers one failure as code over the virtual-time harness, for cases that no plan step covers: own machines,
 * failing ports, several computers, strangers on the wire. @internal
 */
export function scenario(title: string, stage: StageOptions, act: Code): void;
export function scenario(
  title: string,
  first: StageOptions | ((s: Scene) => void),
  act: Code = () => {},
): void {
  if (registered.some((plan) => plan.title === title))
    throw new Error(`there is a scenario "${title}" already`);
  const build = typeof first === 'function' ? first : (s: Scene): void => s.code(act, first);
  registered.push(planOf(title, build));
}

/** Clauses and parameters of a fault by name, as documented for `a2c-fault-server`. */
export type FaultOptions = Readonly<Record<string, string | number | boolean>>;
/** Options of a call in a scenario, beside its tool. */
export interface CallOptions {
  /** Time limit of the call in ms, 60,000 by default; 0 means no limit. */
  readonly timeoutMs?: number;
  /** Request id of the call on the wire; a unique one by default. */
  readonly reqId?: string;
  /** Arguments of the call; none by default. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Builder with which a scenario is written. Each method only adds data to the plan; nothing happens before the plan
 * is played.
 */
export class Scene {
  readonly #title: string;
  readonly #servers: ServerData[] = [];
  readonly #steps: Step[] = [];
  #rest: Omit<Plan, 'title' | 'servers' | 'steps'> = {};
  #calls = 0;
  #asks = 0;
  /** Adds an expectation that has to hold at this point of the plan. */
  readonly expect: Expecting = expecting((expect) => this.#steps.push({ do: 'expect', expect }));

  constructor(title: string) {
    this.#title = title;
  }

  // ── who is there ───────────────────────────────────────────────────────────────────────────────────
  /** Adds a server to the config; its name has to be unique. */
  server(name: string, options: Omit<ServerData, 'name'> = {}): ServerRef {
    if (this.#servers.some((s) => s.name === name)) throw new Error(`there is a server ${name} already`);
    const { faults = [], ...rest } = options;
    this.#servers.push({ name, ...rest, faults: faults.map((fault) => parseFault(fault)) });
    return { server: name };
  }
  /** Adds an office with the computer `c1` and an agent `a1`. */
  office(): void {
    this.#rest = { ...this.#rest, office: true };
  }
  /** Gives the computer skills and a landing folder. */
  shares(shares: SharedData): void {
    this.#rest = { ...this.#rest, shares };
  }
  /** Requires confirmation for tools and sets how the person answers. */
  person(person: PersonData): void {
    this.#rest = { ...this.#rest, person };
  }
  /** Sets a permission rule of the host for all calls. */
  permission(permission: PermissionData): void {
    this.#rest = { ...this.#rest, permission };
  }
  /** Sets the call limits of all servers together. */
  total(total: CallLimits): void {
    this.#rest = { ...this.#rest, total };
  }
  /** Overrides delays in ms of `planTiming`; a later call overrides an earlier one. */
  timing(timing: Partial<Timing>): void {
    this.#rest = { ...this.#rest, timing: { ...this.#rest.timing, ...timing } };
  }

  // ── what goes wrong ────────────────────────────────────────────────────────────────────────────────
  /**
   * Adds a fault. A fault of a server holds from its first start; one of host, agent or clock happens at this point
   * of the plan.
   */
  fault(server: ServerRef, word: string, options?: FaultOptions): void;
  fault(word: string, options?: FaultOptions): void;
  fault(first: ServerRef | string, second?: string | FaultOptions, third: FaultOptions = {}): void {
    if (typeof first === 'string') return this.#happens(first, (second as FaultOptions | undefined) ?? {});
    const fault = this.#checked({ ...third, fault: second }, ['server', 'launch']);
    this.#change(first, (s) => ({ ...s, faults: [...(s.faults ?? []), fault] }));
  }
  #happens(word: string, options: FaultOptions): void {
    const fault = this.#checked({ ...options, fault: word }, ['host', 'agent', 'sched', 'net']);
    this.#steps.push({ do: 'fault', fault });
  }
  #checked(given: unknown, places: readonly string[]): Fault {
    const fault = parseFault(given);
    const { where } = wordOf(fault.fault) ?? {};
    if (where === undefined || !places.includes(where))
      throw new Error(`${fault.fault} is no fault of ${places.join(' or ')}`);
    if (fault.p !== undefined) throw new Error(`${fault.fault}: a plan leaves nothing to chance`);
    return fault;
  }
  /**
   * Changes the behaviour of a server from its n-th start on; options not given stay. Without `faults` it works
   * correctly.
   */
  later(server: ServerRef, start: number, { faults = [], ...rest }: Omit<ServerData, 'name'> = {}): void {
    const behaviour = { ...rest, faults: faults.map((fault) => parseFault(fault)) };
    this.#change(server, (s) => ({ ...s, later: { ...s.later, [start]: behaviour } }));
  }
  #change({ server }: ServerRef, change: (data: ServerData) => ServerData): void {
    const at = this.#servers.findIndex((s) => s.name === server);
    this.#servers[at] = change(this.#servers[at] as ServerData);
  }

  // ── what happens, one after the other ──────────────────────────────────────────────────────────────
  /** Waits until every server is ready or at rest and every link has joined. */
  ready(): void {
    this.#steps.push({ do: 'ready' });
  }
  /** Makes the host of the computer call a tool, without waiting for the end. */
  call(tool: string, options: CallOptions = {}): CallRef {
    return this.#call('host', tool, options);
  }
  /** Makes the agent call a tool through the office, without waiting for the end. */
  agentCall(tool: string, options: CallOptions = {}): CallRef {
    return this.#call('agent', tool, options);
  }
  #call(by: 'host' | 'agent', tool: string, { timeoutMs = 60_000, reqId, params }: CallOptions): CallRef {
    const call = `call${(this.#calls += 1)}`;
    const given = params && { params };
    this.#steps.push({ do: 'call', call, by, tool, ...given, reqId: reqId ?? call, timeoutMs });
    return { call };
  }
  /** Makes the agent send a call once more, under the same request id. */
  again({ call }: CallRef): CallRef {
    const as = `call${(this.#calls += 1)}`;
    this.#steps.push({ do: 'fault', fault: parseFault({ fault: 'agent.duplicateCall' }), call, as });
    return { call: as };
  }
  /** Makes the host of the computer ask for the Desktop or the Finder. */
  show(collection: ResourceCollection, query: Readonly<Record<string, unknown>> = {}): AskRef {
    return this.#show('host', collection, query);
  }
  /** Makes the agent ask for the Desktop or the Finder. */
  agentShow(collection: ResourceCollection, query: Readonly<Record<string, unknown>> = {}): AskRef {
    return this.#show('agent', collection, query);
  }
  #show(
    by: 'host' | 'agent',
    collection: ResourceCollection,
    query: Readonly<Record<string, unknown>>,
  ): AskRef {
    const ask = `ask${(this.#asks += 1)}`;
    this.#steps.push({ do: 'show', ask, by, collection, query });
    return { ask };
  }
  /** Makes the host of the computer read one resource. */
  read(uri: string): AskRef {
    return this.#read('host', uri);
  }
  /** Makes the agent read one resource. */
  agentRead(uri: string): AskRef {
    return this.#read('agent', uri);
  }
  #read(by: 'host' | 'agent', uri: string): AskRef {
    const ask = `ask${(this.#asks += 1)}`;
    this.#steps.push({ do: 'read', ask, by, uri });
    return { ask };
  }
  /** Makes the agent put a file of so many bytes on the computer. */
  put(bytes: number): AskRef {
    const ask = this.#nextShared();
    this.#steps.push({ do: 'put', ask, bytes });
    return { ask };
  }
  /** Makes the agent read a content of so many bytes that the computer keeps for it. */
  fetch(bytes: number): AskRef {
    const ask = this.#nextShared();
    this.#steps.push({ do: 'fetch', ask, bytes });
    return { ask };
  }
  /** Makes the agent read `SKILL.md` of a skill; without a name, the list of skills. */
  skill(name?: string): AskRef {
    const ask = this.#nextShared();
    this.#steps.push({ do: 'skill', ask, ...(name !== undefined && { name }) });
    return { ask };
  }
  #nextShared(): string {
    this.#rest = { virtualOnly: 'a real disk neither hangs, fails nor lies on command', ...this.#rest };
    return `ask${(this.#asks += 1)}`;
  }
  /** Waits until each of these questions is answered, and returns the first. */
  shown<Asks extends readonly AskRef[]>(...asks: Asks): Asks[0] {
    for (const { ask } of asks) this.#steps.push({ do: 'shown', ask });
    return asks[0] as Asks[0];
  }
  /** Cancels a call, on the side that made it. */
  cancel({ call }: CallRef): void {
    this.#steps.push({ do: 'cancel', call });
  }
  /** Waits until each of these calls has ended, and returns the first. */
  settled<Calls extends readonly CallRef[]>(...calls: Calls): Calls[0] {
    for (const { call } of calls) this.#steps.push({ do: 'settled', call });
    return calls[0] as Calls[0];
  }
  /** Waits until the server reaches this stage once more since the last wait for it. */
  reaches({ server }: ServerRef, stage: Stage): void {
    this.#steps.push({ do: 'reaches', server, stage });
  }
  /** Waits until the server has received this request for the n-th time. */
  asked({ server }: ServerRef, method: string, count = 1): void {
    this.#steps.push({ do: 'asked', server, method, count });
  }
  /** Waits until the process of the server was sent `stdin`, `SIGTERM` or `SIGKILL` for the n-th time. */
  signalled({ server }: ServerRef, signal: string, count = 1): void {
    this.#steps.push({ do: 'signalled', server, signal, count });
  }
  /** Waits until the host of `who` has heard this event for the n-th time. */
  heard(who: 'computer' | 'agent', event: string, count = 1): void {
    this.#steps.push({ do: 'heard', who, event, count });
  }
  /** Replaces the whole config: each entry is a server, alone or with changed options. */
  config(...entries: readonly (ServerRef | readonly [ServerRef, Omit<ConfigEntry, 'name'>])[]): void {
    const servers = entries.map((entry) =>
      'server' in entry ? { name: entry.server } : { name: entry[0].server, ...entry[1] },
    );
    this.#steps.push({ do: 'config', servers });
  }
  /** Makes the host start a server. */
  start({ server }: ServerRef): void {
    this.#steps.push({ do: 'start', server });
  }
  /** Makes the host stop a server. */
  stop({ server }: ServerRef): void {
    this.#steps.push({ do: 'stop', server });
  }
  /** Sets the values of a server's inputs from now on: values, none, or never an answer; each answer takes `ms`. */
  values({ server }: ServerRef, values: Values, ms?: number): void {
    this.#steps.push({ do: 'values', server, values, ...(ms !== undefined && { ms }) });
  }
  /** Subscribes the host to changes of these resources of a server, and of no others. */
  watch({ server }: ServerRef, ...uris: readonly string[]): void {
    this.#steps.push({ do: 'watch', server, uris });
  }
  /** Stops a server and starts it again at once. */
  restart(server: ServerRef): void {
    this.stop(server);
    this.start(server);
  }
  /** Kills the process of a server from outside the runtime. */
  kill({ server }: ServerRef, signal: OutsideSignal = 'SIGKILL'): void {
    this.#steps.push({ do: 'kill', server, signal });
  }
  /** Lets this many ms pass. */
  run(ms: number): void {
    this.#steps.push({ do: 'run', ms });
  }
  /** Makes the host close the computer, agent or office. */
  close(who: Root = 'computer'): void {
    if (who === 'computer') this.fault('host.stop');
    else this.#steps.push({ do: 'close', who });
  }
  /** Makes the host start the computer, agent or office again; does nothing while it still runs. */
  begin(who: Root): void {
    this.#steps.push({ do: 'begin', who });
  }
  /** Ends all faults from now on. */
  clearFaults(): void {
    this.#steps.push({ do: 'clearFaults' });
  }
  /** Waits `ms`, then checks that everything has come that has to come in the end. */
  quiescent(ms = 60_000): void {
    this.run(ms);
    this.#steps.push({ do: 'quiescent' });
  }
  /** Waits until the computer has ended. */
  ended(): void {
    this.#steps.push({ do: 'ended' });
  }

  /**
   * Runs code over the harness where no other method fits, in virtual time only. With `stage` the plan consists of
   * nothing else. @internal
   */
  code(act: Code, stage?: StageOptions): void {
    this.#steps.push({ do: 'code', act });
    this.#rest = { virtualOnly: 'it has code of its own', ...this.#rest, ...(stage && { stage }) };
  }

  // ── where it can be played ─────────────────────────────────────────────────────────────────────────
  /** Excludes the scenario from real plays, with the reason. */
  virtualOnly(because: string): void {
    this.#rest = { ...this.#rest, virtualOnly: because };
  }
  /**
   * Names aspects in which a real play may differ from virtual time, with the reason; expectations on them hold in
   * virtual time only.
   */
  differs(because: string, aspects: readonly Aspect[]): void {
    this.#rest = { ...this.#rest, differs: [...(this.#rest.differs ?? []), { because, aspects }] };
  }

  /** Plan built so far, as plain data. */
  get plan(): Plan {
    return { title: this.#title, servers: this.#servers, steps: this.#steps, ...this.#rest };
  }
}

/**
 * Builds a plan without registering it.
 * @example
 * const plan = planOf('two calls', (s) => {
 *   s.server('files', { tools: { read: { takes: 50 } } });
 *   s.ready();
 *   for (const call of [s.call('read'), s.call('read')]) s.settled(call);
 * });
 */
export function planOf(title: string, build: (s: Scene) => void): Plan {
  const scene = new Scene(title);
  build(scene);
  return scene.plan;
}
