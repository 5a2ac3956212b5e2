import type { CallLimits } from '../../../machines/call/policy/index.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { ResourceCollection } from '../../../machines/kernel/ports.ts';
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
  Stage,
  StageOptions,
  Step,
} from './plan.ts';

/** Every scenario of the files that were loaded, in order. Whoever plays them takes them from here. */
export const registered: Plan[] = [];

/** One failure as data: played in virtual time and, where it can be, for real. */
export function scenario(title: string, build: (s: Scene) => void): void;
/**
 * One failure in code over the harness of virtual time, where no step of a plan fits: machines of its own, ports that
 * break, several computers, strangers on the wire.
 * @internal
 */
export function scenario(title: string, stage: StageOptions, act: (harness: Harness) => void): void;
export function scenario(
  title: string,
  first: StageOptions | ((s: Scene) => void),
  act: (harness: Harness) => void = () => {},
): void {
  if (registered.some((plan) => plan.title === title))
    throw new Error(`there is a scenario "${title}" already`);
  const build = typeof first === 'function' ? first : (s: Scene): void => s.code(act, first);
  registered.push(planOf(title, build));
}

/** The clauses and parameters of a fault, by name (docs of `a2c-fault-server`). */
export type FaultOptions = Readonly<Record<string, string | number | boolean>>;
/** What a scenario says of one call beside its tool. */
export interface CallOptions {
  /** Default 60 s; 0 is without limit. */
  readonly timeoutMs?: number;
  /** What it is called on the wire. Default: one of its own. */
  readonly reqId?: string;
  /** Its arguments. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a scenario is written with. Each word writes data down; nothing happens before the plan is played. */
export class Scene {
  readonly #title: string;
  readonly #servers: ServerData[] = [];
  readonly #steps: Step[] = [];
  #rest: Omit<Plan, 'title' | 'servers' | 'steps'> = {};
  #calls = 0;
  #asks = 0;
  /** Says what has to hold at this point. */
  readonly expect: Expecting = expecting((expect) => this.#steps.push({ do: 'expect', expect }));

  constructor(title: string) {
    this.#title = title;
  }

  // ── who is there ───────────────────────────────────────────────────────────────────────────────────
  /** A server of the config; its name has to be unique. */
  server(name: string, options: Omit<ServerData, 'name'> = {}): ServerRef {
    if (this.#servers.some((s) => s.name === name)) throw new Error(`there is a server ${name} already`);
    const { faults = [], ...rest } = options;
    this.#servers.push({ name, ...rest, faults: faults.map((fault) => parseFault(fault)) });
    return { server: name };
  }
  /** An office in which the computer sits, as `c1`, and an agent. */
  office(): void {
    this.#rest = { ...this.#rest, office: true };
  }
  /** Tools need a person's word, and this is what the person does. */
  person(person: PersonData): void {
    this.#rest = { ...this.#rest, person };
  }
  /** The host has a rule of its own. */
  permission(permission: PermissionData): void {
    this.#rest = { ...this.#rest, permission };
  }
  /** Of all servers together. */
  total(total: CallLimits): void {
    this.#rest = { ...this.#rest, total };
  }
  /** Delays in ms in the place of `planTiming`; said twice, the later counts for what it names. */
  timing(timing: Partial<Timing>): void {
    this.#rest = { ...this.#rest, timing: { ...this.#rest.timing, ...timing } };
  }

  // ── what goes wrong ────────────────────────────────────────────────────────────────────────────────
  /** A fault of a server holds from its first start. One of host, agent or clock comes at this point. */
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
  /** From its n-th start on the server behaves so; what is not said stays. Without faults: it is well. */
  later(server: ServerRef, start: number, { faults = [], ...rest }: Omit<ServerData, 'name'> = {}): void {
    const behaviour = { ...rest, faults: faults.map((fault) => parseFault(fault)) };
    this.#change(server, (s) => ({ ...s, later: { ...s.later, [start]: behaviour } }));
  }
  #change({ server }: ServerRef, change: (data: ServerData) => ServerData): void {
    const at = this.#servers.findIndex((s) => s.name === server);
    this.#servers[at] = change(this.#servers[at] as ServerData);
  }

  // ── what happens, one after the other ──────────────────────────────────────────────────────────────
  /** Until every server is ready or rests, and whoever has a link has joined. */
  ready(): void {
    this.#steps.push({ do: 'ready' });
  }
  /** The host of the computer calls a tool, and goes on at once. */
  call(tool: string, options: CallOptions = {}): CallRef {
    return this.#call('host', tool, options);
  }
  /** Through the office, by the agent. */
  agentCall(tool: string, options: CallOptions = {}): CallRef {
    return this.#call('agent', tool, options);
  }
  #call(by: 'host' | 'agent', tool: string, { timeoutMs = 60_000, reqId, params }: CallOptions): CallRef {
    const call = `call${(this.#calls += 1)}`;
    const given = params && { params };
    this.#steps.push({ do: 'call', call, by, tool, ...given, reqId: reqId ?? call, timeoutMs });
    return { call };
  }
  /** The agent sends a call once more, under the same request id. */
  again({ call }: CallRef): CallRef {
    const as = `call${(this.#calls += 1)}`;
    this.#steps.push({ do: 'fault', fault: parseFault({ fault: 'agent.duplicateCall' }), call, as });
    return { call: as };
  }
  /** The host asks for the Desktop or the Finder. */
  show(collection: ResourceCollection, query: Readonly<Record<string, unknown>> = {}): AskRef {
    return this.#show('host', collection, query);
  }
  /** The agent asks for the Desktop or the Finder. */
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
  /** The host reads one resource. */
  read(uri: string): AskRef {
    return this.#read('host', uri);
  }
  /** The agent reads one resource. */
  agentRead(uri: string): AskRef {
    return this.#read('agent', uri);
  }
  #read(by: 'host' | 'agent', uri: string): AskRef {
    const ask = `ask${(this.#asks += 1)}`;
    this.#steps.push({ do: 'read', ask, by, uri });
    return { ask };
  }
  /** Until each of these is answered. */
  shown(...asks: readonly AskRef[]): void {
    for (const { ask } of asks) this.#steps.push({ do: 'shown', ask });
  }
  /** Whoever made the call cancels it. */
  cancel({ call }: CallRef): void {
    this.#steps.push({ do: 'cancel', call });
  }
  /** Until each of these has ended. */
  settled(...calls: readonly CallRef[]): void {
    for (const { call } of calls) this.#steps.push({ do: 'settled', call });
  }
  /** Until the server comes to this stage once more since it was last waited for. */
  reaches({ server }: ServerRef, stage: Stage): void {
    this.#steps.push({ do: 'reaches', server, stage });
  }
  /** Until it was asked this, for the n-th time. */
  asked({ server }: ServerRef, method: string, count = 1): void {
    this.#steps.push({ do: 'asked', server, method, count });
  }
  /** Until it was sent this, for the n-th time: `stdin`, `SIGTERM`, `SIGKILL`. */
  signalled({ server }: ServerRef, signal: string, count = 1): void {
    this.#steps.push({ do: 'signalled', server, signal, count });
  }
  /** Until the host of `who` has heard this, for the n-th time. */
  heard(who: 'computer' | 'agent', event: string, count = 1): void {
    this.#steps.push({ do: 'heard', who, event, count });
  }
  /** The whole config from now on: each server, or a server and what is said of it now. */
  config(...entries: readonly (ServerRef | readonly [ServerRef, Omit<ConfigEntry, 'name'>])[]): void {
    const servers = entries.map((entry) =>
      'server' in entry ? { name: entry.server } : { name: entry[0].server, ...entry[1] },
    );
    this.#steps.push({ do: 'config', servers });
  }
  /** The host starts it. */
  start({ server }: ServerRef): void {
    this.#steps.push({ do: 'start', server });
  }
  /** The host stops it. */
  stop({ server }: ServerRef): void {
    this.#steps.push({ do: 'stop', server });
  }
  /** From now on its inputs give these values, none, or no answer ever; whoever is asked takes `ms`. */
  values({ server }: ServerRef, values: Values, ms?: number): void {
    this.#steps.push({ do: 'values', server, values, ...(ms !== undefined && { ms }) });
  }
  /** Somebody wants to hear when these resources of it change, and no others. */
  watch({ server }: ServerRef, ...uris: readonly string[]): void {
    this.#steps.push({ do: 'watch', server, uris });
  }
  /** Stops it, and starts it again at once. */
  restart(server: ServerRef): void {
    this.stop(server);
    this.start(server);
  }
  /** Somebody else kills its process. */
  kill({ server }: ServerRef, signal: OutsideSignal = 'SIGKILL'): void {
    this.#steps.push({ do: 'kill', server, signal });
  }
  /** So many ms pass. */
  run(ms: number): void {
    this.#steps.push({ do: 'run', ms });
  }
  /** The host asks it to end. */
  close(who: Root = 'computer'): void {
    if (who === 'computer') this.fault('host.stop');
    else this.#steps.push({ do: 'close', who });
  }
  /** The host starts it again; nothing while it is still there. */
  begin(who: Root): void {
    this.#steps.push({ do: 'begin', who });
  }
  /** From now on all is well. */
  clearFaults(): void {
    this.#steps.push({ do: 'clearFaults' });
  }
  /** So much later what has to come in the end has to be there. */
  quiescent(ms = 60_000): void {
    this.run(ms);
    this.#steps.push({ do: 'quiescent' });
  }
  /** Until the computer has ended. */
  ended(): void {
    this.#steps.push({ do: 'ended' });
  }

  /**
   * Runs code over the harness, for what no other word says, in virtual time only. With `stage` the plan is nothing
   * but this.
   * @internal
   */
  code(act: (harness: Harness) => void, stage?: StageOptions): void {
    this.#steps.push({ do: 'code', act });
    this.#rest = { virtualOnly: 'it has code of its own', ...this.#rest, ...(stage && { stage }) };
  }

  // ── where it can be played ─────────────────────────────────────────────────────────────────────────
  /** It is not played for real, and why. */
  virtualOnly(because: string): void {
    this.#rest = { ...this.#rest, virtualOnly: because };
  }
  /** Reality may differ from virtual time in this, for a reason. What is expected of it holds virtually only. */
  differs(because: string, aspects: readonly Aspect[]): void {
    this.#rest = { ...this.#rest, differs: [...(this.#rest.differs ?? []), { because, aspects }] };
  }

  /** What was written down, as plain data. */
  get plan(): Plan {
    return { title: this.#title, servers: this.#servers, steps: this.#steps, ...this.#rest };
  }
}

/** The plan that these words make. */
export function planOf(title: string, build: (s: Scene) => void): Plan {
  const scene = new Scene(title);
  build(scene);
  return scene.plan;
}
