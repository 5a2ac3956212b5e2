import type { AnyEventObject } from 'xstate';
import type { Observer } from '../../../../actors/runtime/directory.ts';
import type { Permission } from '../../../../machines/call/policy/permission.ts';
import type { Emit, RequestPort } from '../../../../machines/kernel/ports.ts';
import type { Fault } from '../../../fault-server/words/fault.ts';
import { Bench, type Violation } from '../../../invariants/index.ts';
import { Harness, officeUrl, type Person, type HarnessOptions } from '../../harness.ts';
import { showsTheTruth, untruthsShown } from '../../../invariants/truth-shown.ts';
import { offersTheTruth, untruths } from '../../../invariants/truth.ts';
import { randomOf, type VirtualClock } from '../../virtual-clock.ts';
import { Observed } from '../observations.ts';
import {
  personIn,
  timingOf,
  type OutsideSignal,
  type PermissionData,
  type PersonData,
  type Plan,
  type Root,
  type ProgramData,
  type SharedData,
} from '../plan.ts';
import { scriptOf } from './scripted-server.ts';
import { agentOf, computerOf, has, names, seedOf, type Transfer, type Waits, type World } from '../world.ts';
import { Transfers, transfersEnd } from './transfers.ts';
import { eventOf, type TransformRequest } from '../../../../machines/call/transform.ts';
import { ScriptedTransformer, type ScriptedProgram } from '../../scripted/transformer.ts';
import type { StagePorts } from '../../ports.ts';

const programs: Readonly<Record<ProgramData, ScriptedProgram>> = {
  works: { makes: (event) => ({ ...event, program: 'works' }) },
  fails: { fails: 'the program gave up' },
  hangs: { takesMs: 'forever' },
};

/** The runner runs all programs one after the other. */
export function programsOf(
  plan: Plan,
  clock: VirtualClock,
): { hasProgram: (server: string) => boolean; transform: RequestPort } {
  const transformer = new ScriptedTransformer(clock, programs, { vrlMs: timingOf(plan).vrlMs });
  const programOf = (server: string): ProgramData | undefined =>
    plan.servers.find(({ name }) => name === server)?.program;
  return {
    hasProgram: (server) => programOf(server) !== undefined,
    transform: (_from, { id, params }, emit) => {
      const { server, ...call } = params as TransformRequest;
      return transformer.run(programOf(server) ?? '', eventOf(call), (answer) =>
        emit(
          answer.ok
            ? { type: 'ask.answered', id, result: { json: answer.json } }
            : { type: 'ask.refused', id, sent: true, failure: answer.failure },
        ),
      );
    },
  };
}

const words = {
  yes: 'allow',
  always: 'allowForSession',
  no: 'deny',
  never: 'never',
  nobody: 'nobody',
} as const;
const personOf = (data: PersonData): Person => {
  const { word, afterMs } = personIn(data);
  return () => ({ says: words[word], ...(afterMs !== undefined && { afterMs }) });
};
const rules: Readonly<Record<PermissionData, Permission>> = {
  allow: () => 'allow',
  ask: () => 'ask',
  deny: () => 'deny',
  throws: () => {
    throw new Error('no rule today');
  },
  never: () => new Promise(() => {}),
};
const partBytes = 1_024;
const blobFaults = { 'blob.stall': 'hangs', 'blob.break': 'fails', 'blob.lie': 'lies' } as const;
type BlobWord = keyof typeof blobFaults;
interface Delay {
  readonly actor: string;
  readonly ms: number;
  /** In the order sent; none overtakes another. */
  readonly waiting: (() => void)[];
  until: number;
}

export interface VirtualWorldOptions {
  readonly kinds?: HarnessOptions['kinds'];
  readonly watches?: HarnessOptions['watches'];
  /** Then the play counts as endless and fails; unlimited by default. */
  readonly mostTurns?: number;
  readonly observer?: Observer;
  readonly onFault?: (word: string) => void;
}

const limitsIn = ({ servers }: Plan): NonNullable<HarnessOptions['limits']> =>
  Object.fromEntries(servers.flatMap(({ name, limits }) => (limits ? [[name, limits]] : [])));

const stallsOf = ({ steps }: Plan): number =>
  steps.reduce(
    (sum, step) =>
      step.do === 'fault' && step.fault.fault === 'host.eventLoopStall'
        ? sum + Number(step.fault['ms'])
        : sum,
    0,
  );

/** Over two wires, whose ends may notice late. */
const wayOf = ({ steps }: Plan): number => {
  const delays = steps.flatMap((step) => {
    if (step.do !== 'fault') return [];
    const { fault, ms = 0 } = step.fault as Fault & { readonly ms?: number };
    return fault === 'net.latency' ? 2 * ms : fault === 'sched.delayDelivery' ? ms : 0;
  });
  return delays.reduce((sum, ms) => sum + ms, 10);
};

export class VirtualWorld implements World {
  readonly isExact = true;
  readonly observed = new Observed();
  readonly bench: Bench;
  readonly harness: Harness;
  readonly #plan: Plan;
  readonly #delays: Delay[] = [];
  /** Only the harness can see them, when the system is quiescent. */
  readonly #untrue: Violation[] = [];
  #areFaultsCleared = false;
  readonly random: () => number;
  readonly #transfers: Transfers;

  constructor(
    plan: Plan,
    { kinds, watches = 'all', mostTurns, observer, onFault = () => {} }: VirtualWorldOptions = {},
  ) {
    this.#plan = plan;
    const seed = seedOf(plan);
    this.random = randomOf(seed ?? 1);
    const secrets = plan.servers.flatMap(({ secret = [] }) => secret);
    this.bench = new Bench({ slackMs: stallsOf(plan), wayMs: wayOf(plan), secrets });
    const care = {
      areFaultsCleared: () => this.#areFaultsCleared,
      onFault: (fault: Fault) => onFault(fault.fault),
    };
    const { total } = plan;
    let made: ReturnType<typeof programsOf> | undefined;
    const programs = (): ReturnType<typeof programsOf> => (made ??= programsOf(plan, this.harness.clock));
    const options: HarnessOptions = {
      servers: Object.fromEntries(plan.servers.map((server) => [server.name, scriptOf(server, care)])),
      timing: timingOf(plan),
      watches,
      limits: limitsIn(plan),
      hears: (who, event) => {
        if (who === 'agent') this.#transfers.heard(event);
      },
      ...(total && { total: () => total }),
      ...(plan.permission && { permission: rules[plan.permission] }),
      hasProgram: (server) => programs().hasProgram(server),
      transform: (...asked) => programs().transform(...asked),
      ...(kinds && { kinds }),
      ...(plan.person && { person: personOf(plan.person) }),
      ...(seed !== undefined && { seed }),
      ...(has(plan, 'sched.delayDelivery') && {
        mend: (ports) => this.#late(ports),
        answering: (ask) => (from, request, emit) => ask(from, request, this.#lateFor(from, emit)),
      }),
      observer: () => ({
        ...observer,
        record: (record) => {
          this.bench.take({ at: this.harness.clock.now(), record });
          observer?.record?.(record);
          if (watches === 'all') this.observed.take({ at: this.harness.clock.now(), record });
        },
      }),
    };
    this.harness = new Harness({
      ...(plan.stage
        ? { watches, ...(observer && { observer: () => observer }), ...plan.stage, ...(kinds && { kinds }) }
        : options),
      ...(mostTurns !== undefined && { mostTurns }),
    });
    this.#transfers = new Transfers(this.harness, this.observed);
    if (plan.shares) this.harness.callPorts.blobs.partBytes = partBytes;
    this.harness.callPorts.skills.truth = plan.shares?.skills ?? {};
  }
  *boot(): Waits {
    if (this.#plan.stage) return;
    for (const who of ['office', 'computer', 'agent'] as const) yield* this.begin(who);
    yield { ms: 0 };
  }
  *begin(who: Root): Waits {
    const { harness } = this;
    const { office } = this.#plan;
    if (harness.directory.find(who) || (!office && who !== 'computer')) return;
    if (who === 'office') yield { act: () => harness.office() };
    else if (who === 'agent') harness.start('agent', agentOf(this.#plan, officeUrl));
    else {
      harness.start('computer', computerOf(this.#plan, office ? officeUrl : null));
      const landing = this.#plan.shares?.landing;
      if (landing) harness.order('computer', { type: 'landing.set', landing });
    }
  }
  /** Like the handle of a host, it refuses by itself when the actor is not there. */
  ask(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): void {
    if (this.harness.directory.find(who))
      this.harness.asked(who, ticket, { ...event, replyTo: `host:${who}` });
  }
  order(who: Root, event: AnyEventObject): void {
    if (this.harness.directory.find(who)) this.harness.order(who, event);
  }
  kill(server: string, signal: OutsideSignal): void {
    this.harness.servers.kill(server, { signal });
  }
  get specs(): World['specs'] {
    return this.harness.callPorts.specs;
  }
  clearFaults(): void {
    this.#areFaultsCleared = true;
    this.specs.clearFaults();
    this.harness.network.faults.clearFaults();
    this.harness.callPorts.blobs.fault = null;
    this.harness.callPorts.landing.faults = {};
    this.#transfers.clearFaults();
    if (this.#plan.shares?.skills) this.#share(this.#plan.shares.skills);
    this.harness.skewMs = 0;
  }
  get violations(): readonly Violation[] {
    return [...this.bench.violations, ...this.#untrue];
  }
  async quiescent(): Promise<readonly string[]> {
    const known = this.bench.violations.length;
    this.bench.quiescent(this.harness.clock.now());
    const violation =
      (invariant: string) =>
      (what: string): Violation => ({ invariant, kind: 'liveness', at: 'computer', what });
    const untrue = [
      ...untruths(this.harness).map(violation(offersTheTruth)),
      ...(await untruthsShown(this.harness)).map(violation(showsTheTruth)),
      ...this.#transfers.open.map(violation(transfersEnd)),
    ];
    this.#untrue.push(...untrue);
    const found = [...this.bench.violations.slice(known), ...untrue];
    return found.map(({ invariant, what }) => `${invariant}: ${what}`);
  }
  transfer(step: Transfer): void {
    this.#transfers.start(step);
  }
  #share(skills: NonNullable<SharedData['skills']>): void {
    this.harness.callPorts.skills.truth = skills;
    this.order('computer', { type: 'skills.look' });
  }
  happen(fault: Fault): void {
    const { clock, network, callPorts } = this.harness;
    const isUp = fault['way'] === 'up';
    const ms = Number(fault['ms'] ?? 0);
    if (fault.fault === 'host.eventLoopStall') clock.stall(ms);
    else if (fault.fault === 'host.clockJump') this.harness.skewMs += ms;
    else if (fault.fault === 'host.clockStrobe') this.#strobe(ms, Number(fault['n']));
    else if (fault.fault === 'agent.disconnect') network.faults.keepAway(names.agent, ms);
    else if (fault.fault === 'net.down')
      network.faults.keepAway(names[fault['who'] as 'computer' | 'agent'], ms);
    else if (fault.fault === 'net.latency') network.faults.setLatency(ms);
    else if (fault.fault === 'agent.ackLost') network.faults.holdAck(names.agent, 'lost');
    else if (fault.fault === 'agent.ackLate') network.faults.holdAck(names.agent, ms);
    else if (fault.fault === 'sched.delayDelivery')
      this.#delays.push({ actor: String(fault['actor']), ms, waiting: [], until: 0 });
    else if (fault.fault === 'skill.vanish') this.#share({});
    else if (fault.fault === 'blob.break' && isUp) callPorts.landing.faults = { write: 'breaks' };
    else if (fault.fault === 'blob.stall' && isUp) this.#transfers.isStalled = true;
    else if (fault.fault === 'blob.lie' && isUp) this.#transfers.isLying = true;
    else if (fault.fault in blobFaults) callPorts.blobs.fault = blobFaults[fault.fault as BlobWord];
    else if (fault.fault !== 'sched.permuteTies') throw new Error(`${fault.fault} cannot be played`);
  }
  #strobe(ms: number, n: number): void {
    if (n === 0) return;
    this.harness.skewMs = this.harness.skewMs === 0 ? ms : 0;
    this.harness.clock.setTimeout(() => this.#strobe(ms, n - 1), 10);
  }
  #delay(delay: Delay, say: () => void): void {
    const { clock } = this.harness;
    const ms = this.#areFaultsCleared ? 0 : delay.ms;
    delay.until = Math.max(delay.until, clock.now() + ms);
    delay.waiting.push(say);
    clock.setTimeout(() => delay.waiting.shift()?.(), delay.until - clock.now());
  }
  #lateFor<Fact>(at: string, emit: Emit<Fact>): Emit<Fact> {
    return (fact) => {
      const delay = this.#delays.findLast(({ actor }) => at.startsWith(actor));
      if (!delay) emit(fact);
      else this.#delay(delay, () => emit(fact));
    };
  }
  #late(ports: StagePorts): StagePorts {
    return {
      ...ports,
      process: (at, input, emit) => ports.process(at, input, this.#lateFor(at, emit)),
      session: (at, input, emit) => ports.session(at, input, this.#lateFor(at, emit)),
      link: (at, input, emit) => ports.link(at, input, this.#lateFor(at, emit)),
      office: (at, input, emit) => ports.office(at, input, this.#lateFor(at, emit)),
    };
  }
}
