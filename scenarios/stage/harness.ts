import type { AnyEventObject, AnyStateMachine } from 'xstate';
import { assemble } from '../../actors/runtime/assemble.ts';
import { machines } from '../../actors/kinds/all.ts';
import { Directory, type Observer, Tap } from '../../actors/runtime/directory.ts';
import { RedactedPorts } from '../../actors/secrets/redacted-ports.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Recorder } from '../../actors/recording/recorder.ts';
import type { AgentStart } from '../../machines/agent/agent.machine.ts';
import type { ComputerStart, ServerPlan } from '../../machines/computer/computer.machine.ts';
import { nameOf, type Address } from '../../machines/kernel/effects.ts';
import { defaultLimits, type CallLimits } from '../../machines/call/policy/call-limiters.ts';
import type { KnownTools } from '../../machines/call/policy/judge.ts';
import { extended } from '../../machines/kernel/objects.ts';
import type { RequestPort, Ports, OpenPort } from '../../machines/kernel/ports.ts';
import type { CallSettled } from '../../machines/call/call.rules.ts';
import { timing, type Timing } from '../../machines/kernel/timing.ts';
import { namesOf } from '../../actors/runtime/charts.ts';
import type { Microstep } from '../../actors/runtime/stepper/stepper.ts';
import type { SeenRecord } from '../invariants/invariant.ts';
import { steppingOfTests } from '../lockstep/stepping-of-tests.ts';
import { recorderOf } from './recording.ts';
import { ScriptedCallPorts, type CallPortsOptions, type Person } from './scripted/call-ports.ts';
import { createNetwork, type Network, Peer } from './scripted/network/network.ts';
import { ScriptedServers } from './scripted/servers.ts';
import type { Script } from './scripted/script.ts';
import { calm, planOf, type ServerOptions } from './server-plan.ts';
import { streamOf, type Random } from '../simulator/drawing/streams.ts';
import { VirtualClock } from './virtual-clock.ts';
import type { StagePorts } from './ports.ts';

/** A reader needs actor, event and time, so values are cut to a word where they matter. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= 60 ? (text ?? '') : `${text.slice(0, 57)}…`;
};
const lines: { [K in DirectoryRecord['k']]: (r: Extract<DirectoryRecord, { k: K }>) => string } = {
  in: (r) => `> ${r.via} ${r.a}${r.ev ? ` ${r.ev.type}` : ''}${r.n === undefined ? '' : ` #${r.n}`}`,
  draw: (r) => `? ${r.a} ${r.port}: ${r.threw ? r.threw.message : JSON.stringify(r.v)}`,
  post: (r) => `${r.from} -> ${r.a}: ${r.ev.type}${r.dead ? ` (${r.dead})` : ''}`,
  open: (r) => `+ ${r.a}`,
  end: (r) => `- ${r.a} ${r.why}${r.error === undefined ? '' : ` ${r.error}`}`,
  timer: (r) => `${r.op} ${r.a} ${r.via ?? 'timer'} #${r.n}${r.ms === undefined ? '' : ` ${r.ms} ms`}`,
  out: (r) => `${r.a} ${r.port}: ${r.ev.type}`,
  defect: (r) => `! ${r.a}: ${r.what}`,
};

/** Actors are named by path, so that equal runs give equal lines. */
export const lineOf = <K extends DirectoryRecord['k']>(
  now: number,
  record: Extract<DirectoryRecord, { k: K }>,
): string => `${String(now).padStart(7)} ${lines[record.k](record)}`;

export const stepLine = (now: number, { actor, snapshot: { value, status } }: Microstep): string => {
  const end = status === 'active' ? '' : ` [${status}]`;
  return `${String(now).padStart(7)} ${actor.id} = ${shown(value)}${end}`;
};

export type { Person } from './scripted/call-ports.ts';
export interface HarnessOptions extends Pick<
  CallPortsOptions,
  'permission' | 'total' | 'transform' | 'hasProgram'
> {
  readonly servers?: Readonly<Record<string, Script>>;
  readonly options?: Readonly<Record<string, ServerOptions>>;
  readonly timing?: Partial<Timing>;
  /** Without one no confirmation is needed, because all tools are approved beforehand. */
  readonly person?: Person;
  readonly limits?: Readonly<Record<string, CallLimits>>;
  /** For the order of timers that are due at the same instant. */
  readonly seed?: number;
  readonly mend?: (ports: StagePorts) => StagePorts;
  /** Wraps the answers of servers and office before the limiters see them. */
  readonly answering?: (ask: RequestPort) => RequestPort;
  readonly kinds?: Kinds;
  /** Of timers, and of questions, after which the play is endless and fails; unlimited by default. */
  readonly mostTurns?: number;
  /** `all`: to inspect or replay. `transitions`: only those taken. `nothing`: for ten thousand plays. */
  readonly watches?: 'all' | 'transitions' | 'nothing';
  readonly hears?: (who: string, event: AnyEventObject) => void;
  readonly observer?: () => Observer;
}
interface Cast {
  readonly as?: string;
  readonly name?: string;
}
export interface AskedCall {
  readonly ticket: string;
  readonly settled: CallSettled[];
  cancel(): void;
}
export const officeUrl = 'http://127.0.0.1:41000';

type Kinds = Readonly<Record<string, AnyStateMachine>>;

const limitsIn = ({ options = {}, limits = {} }: HarnessOptions): Readonly<Record<string, CallLimits>> => ({
  ...Object.fromEntries(Object.entries(options).flatMap(([name, o]) => (o.limits ? [[name, o.limits]] : []))),
  ...limits,
});

/** One machine does not change the random numbers of another. */
function chanceOf(seed: number): (a: Address) => number {
  const streams = new Map<Address, Random>();
  return (a) => {
    const name = nameOf(a);
    const stream = streams.get(name) ?? streamOf(seed, name, 'random');
    streams.set(name, stream);
    return stream();
  };
}

/** Runs one whole system in virtual time, in which a scenario plays, and records everything that happens. */
export class Harness {
  readonly clock: VirtualClock;
  readonly servers: ScriptedServers;
  readonly network: Network;
  readonly callPorts: ScriptedCallPorts;
  readonly directory: Directory;
  readonly timing: Timing;
  /** Of the clock that the host shows to people. */
  skewMs = 0;
  readonly trace: string[] = [];
  readonly seen: SeenRecord[] = [];
  readonly recorder: Recorder;
  readonly taken = new Set<string>();
  readonly calls: AskedCall[] = [];
  readonly blunders: unknown[] = [];
  readonly news: { readonly at: number; readonly who: string; readonly event: AnyEventObject }[] = [];
  readonly #options: HarnessOptions;
  readonly #named = new Set<unknown>();
  readonly #started = new Set<string>();
  readonly #aliases: Record<string, AnyStateMachine> = {};
  readonly #peers: Peer[] = [];
  #asked = 0;

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.clock = new VirtualClock(options.seed, options.mostTurns);
    this.servers = new ScriptedServers(this.clock, options.servers ?? {});
    this.network = createNetwork(this.clock);
    this.callPorts = new ScriptedCallPorts(
      this.clock,
      (address) => this.directory.find(address)?.ref.getSnapshot().context as KnownTools | undefined,
      {
        ...options,
        limitsOf: (server) => limitsIn(options)[server] ?? defaultLimits,
        askOffice: (...asked) => this.network.request(...asked),
      },
    );
    this.callPorts.landing.partOf = this.network.partOf;
    this.callPorts.blobs.give = this.network.holdPart;
    this.timing = { ...timing, ...calm, ...options.timing };
    const { watches = 'all', observer } = options;
    const tap = new Tap((error) => this.blunders.push(error));
    if (observer) tap.add(observer());
    this.recorder = recorderOf(this.clock);
    if (watches === 'transitions') tap.add({ step: (step) => this.#take(step) });
    else if (watches === 'all') {
      tap.add({ record: (r) => this.#record(r), step: (step) => this.#step(step) });
      tap.add(this.recorder);
    }
    const redacted = RedactedPorts.of(this.servers.secrets());
    const ports: StagePorts = {
      process: redacted.process(this.servers.process),
      session: redacted.session(this.servers.session),
      link: this.network.link,
      office: this.network.office,
      request: (from, request, emit) => this.#ask(from, request, redacted.answer(emit)),
    };
    const platform = {
      now: () => this.clock.now() + this.skewMs,
      // Without a seed no timer is late by chance.
      random: options.seed === undefined ? () => 0 : chanceOf(options.seed),
      draw: (a: Address, _port: string, params: object) => this.callPorts.judge(a, params),
      setTimeout: this.clock.setTimeout,
      clearTimeout: this.clock.clearTimeout,
      ports: this.#limited(options.mend?.(ports) ?? ports),
    };
    this.directory = assemble(new Directory(platform, tap), options.kinds ?? machines, steppingOfTests());
  }
  #record(record: DirectoryRecord): void {
    this.seen.push({ at: this.clock.now(), record });
    this.trace.push(lineOf(this.clock.now(), record));
  }
  #step(step: Microstep): void {
    this.#take(step);
    this.trace.push(stepLine(this.clock.now(), step));
  }
  /** Naming a transition is slow and most are taken many times, so each name is computed once. */
  #take({ transitions }: Microstep): void {
    const fresh = transitions.filter((each) => !this.#named.has(each));
    for (const each of fresh) this.#named.add(each);
    for (const name of namesOf(fresh)) this.taken.add(name);
  }
  /** Without an answer a machine that asks at each answer stops, and the play can fail. */
  #limited({ request, ...ports }: StagePorts): Ports {
    const opens: Readonly<Record<string, OpenPort>> = ports;
    return {
      open: (port, ...opening) => {
        const open = opens[port];
        if (!open) throw new Error(`the stage does not play the port ${port}`);
        return open(...opening);
      },
      request: (...asked) => {
        this.#asked += 1;
        return this.#isEndless ? () => {} : request(...asked);
      },
    };
  }
  #ask(...[from, request, emit]: Parameters<RequestPort>): () => void {
    if (this.callPorts.has(request.target)) return this.callPorts.request(from, request, emit);
    const plain: RequestPort = (...asked) =>
      (this.servers.has(request.target) ? this.servers : this.network).request(...asked);
    const ask = this.#options.answering?.(plain) ?? plain;
    if (request.limiter === undefined) return ask(from, request, emit);
    return this.callPorts.limited(from, request, emit, (answer) => ask(from, request, answer));
  }
  start(kind: string, input: object, { as = kind }: Cast = {}): void {
    const host = `host:${as}`;
    if (as !== kind) {
      this.#aliases[as] = (this.#options.kinds ?? machines)[kind] as AnyStateMachine;
      assemble(this.directory, this.kinds, steppingOfTests());
    }
    if (!this.#started.has(as)) this.#listen(host, as);
    this.#started.add(as);
    this.directory.start(as, input, host);
  }
  #listen(host: string, as: string): void {
    this.directory.listen(host, (event) => {
      this.news.push({ at: this.clock.now(), who: as, event });
      if (event.type === 'call.settled') {
        const settled = event as CallSettled;
        this.calls.find((c) => c.ticket === settled.ticket)?.settled.push(settled);
      }
      this.#options.hears?.(as, event);
    });
  }
  async office(cast: Cast = {}): Promise<void> {
    this.start('office', { host: '127.0.0.1', port: 41_000 }, cast);
    return this.run(1);
  }
  computer({
    name = 'c1',
    linked = false,
    servers = Object.keys(this.#options.servers ?? {}),
    ...cast
  }: Cast & { linked?: boolean; servers?: readonly string[] } = {}): void {
    const input: ComputerStart = {
      servers: servers.map((server) => this.#plan(server)),
      link: linked ? { url: officeUrl, role: 'computer', name, office: 'o' } : null,
      timing: this.timing,
      shown: { servers: {}, inputs: [] },
    };
    this.start('computer', input, cast);
  }
  /** Starts a computer with all servers, and lets these ms pass. */
  async up(ms: number): Promise<void> {
    this.computer();
    return this.run(ms);
  }
  agent({ name = 'a1', ...cast }: Cast = {}): void {
    const input: AgentStart = { link: { url: officeUrl, name, office: 'o' }, timing: this.timing };
    this.start('agent', input, cast);
  }
  peer(name: string, answers?: ConstructorParameters<typeof Peer>[1], url = officeUrl): Peer {
    const end = this.network.connect(url, name);
    if (!end) throw new Error('there is no office to connect to');
    const peer = new Peer(end, answers);
    this.#peers.push(peer);
    return peer;
  }
  #plan(server: string): ServerPlan {
    const { person, options } = this.#options;
    return planOf(server, options?.[server] ?? {}, this.timing, person === undefined);
  }

  /** Of timers or of questions so far, whichever are more. */
  get turns(): number {
    return Math.max(this.clock.fired, this.#asked);
  }
  get #isEndless(): boolean {
    return this.#asked > (this.#options.mostTurns ?? Infinity);
  }
  async #settled(): Promise<void> {
    await this.servers.settled();
    if (this.#isEndless) throw new Error(`endless: more than ${this.#options.mostTurns} questions`);
  }
  async run(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    do await this.#settled();
    while (this.clock.step(end));
    this.clock.advance(end - this.clock.now());
  }
  /** Resolves with false when the condition does not hold within `limitMs`. */
  async until(isSo: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.clock.now() + limitMs;
    for (;;) {
      await this.#settled();
      if (isSo()) return true;
      if (!this.clock.step(end)) return false;
    }
  }
  call(tool: string, { reqId = `r${this.calls.length + 1}`, timeoutMs = 60_000 } = {}): AskedCall {
    const ticket = `host.${this.calls.length + 1}.${reqId}`;
    const call = { type: 'call.request', ticket, reqId, agent: null, tool, params: {}, timeoutMs };
    return this.asked('computer', ticket, extended(call, { isConfirmed: false, replyTo: 'host:computer' }));
  }
  query(method: string, request: object): AskedCall {
    const reqId = `q${this.calls.length + 1}`;
    const query = { type: 'agent.query', ticket: reqId, reqId, method, request, replyTo: 'host:agent' };
    return this.asked('agent', reqId, query);
  }
  agentCall(
    tool: string,
    { reqId = `r${this.calls.length + 1}`, timeoutMs = 60_000, computer = 'c1', params = {} } = {},
  ): AskedCall {
    const ticket = reqId;
    const call = { type: 'agent.call', ticket, reqId, computer, tool, params, timeoutMs };
    return this.asked('agent', ticket, extended(call, { replyTo: 'host:agent' }));
  }
  asked(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): AskedCall {
    const settled: CallSettled[] = [];
    const cancel = (): void =>
      this.directory.send(who, { type: 'call.cancel', ticket, reason: 'asked' } as AnyEventObject);
    this.calls.push({ ticket, settled, cancel });
    this.directory.send(who, event);
    return { ticket, settled, cancel };
  }
  order(who: string, event: AnyEventObject): void {
    this.directory.send(who, event);
  }
  config(servers: Readonly<Record<string, ServerOptions>>, shown: object = { servers, inputs: [] }): void {
    const plans = Object.entries(servers).map(([server, options]) =>
      planOf(server, options, this.timing, this.#options.person === undefined),
    );
    this.order('computer', { type: 'servers.set', servers: plans, shown });
  }
  close(who?: string): void {
    for (const kind of who === undefined ? [...this.#started].toReversed() : [who])
      if (this.directory.find(kind)) this.directory.send(kind, { type: 'close' });
    if (who === undefined) for (const peer of this.#peers) peer.close();
  }

  get kinds(): Kinds {
    return { ...(this.#options.kinds ?? machines), ...this.#aliases };
  }
  /** As compact JSON; undefined when no actor lives there. */
  state(address: string): string | undefined {
    const snapshot = this.directory.find(address)?.ref.getSnapshot() as { value: unknown } | undefined;
    return snapshot && JSON.stringify(snapshot.value).replaceAll('"', '');
  }
  heard(who: string, type: string): AnyEventObject[] {
    return this.news.filter((n) => n.who === who && n.event.type === type).map((n) => n.event);
  }
}
