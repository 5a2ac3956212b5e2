import type { AnyEventObject } from 'xstate';
import type { Observer } from '../../../../actors/runtime/observer.ts';
import type { Permission } from '../../../../machines/call/permission/index.ts';
import type { Give, Ports } from '../../../../machines/kernel/ports.ts';
import type { Fault } from '../../../fault-server/words/fault.ts';
import { Bench, type Breach } from '../../../invariants/index.ts';
import { Stage as Theatre, officeUrl, type Person, type StageOptions } from '../../stage.ts';
import { simpleValidate } from '../../scripted/validator.ts';
import { showsTheTruth, untruthsShown } from '../../../invariants/truth-shown.ts';
import { offersTheTruth, untruths } from '../../../invariants/truth.ts';
import { randomOf } from '../../virtual-clock.ts';
import { Observed } from '../observations.ts';
import {
  personIn,
  timingOf,
  type OutsideSignal,
  type PermissionData,
  type PersonData,
  type Plan,
  type Root,
} from '../plan.ts';
import { programsOf } from './scripted-programs.ts';
import { scriptOf } from './scripted-server.ts';
import { agentOf, computerOf, has, names, seedOf, type Waits, type World } from '../world.ts';

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
/** What the world says to whoever lives at or below an address comes so much later. */
interface Delay {
  readonly actor: string;
  readonly ms: number;
  /** What waits, in the order in which it was said: nothing overtakes. */
  readonly waiting: (() => void)[];
  until: number;
}

/** How a plan is put on stage. */
export interface Staging {
  /** Other machines than today's. */
  readonly kinds?: StageOptions['kinds'];
  readonly watches?: StageOptions['watches'];
  /** Who watches as well. */
  readonly observer?: Observer;
  /** Told of each fault that happens, by its word. */
  readonly onFault?: (word: string) => void;
}

const limitsIn = ({ servers }: Plan): NonNullable<StageOptions['limits']> =>
  Object.fromEntries(servers.flatMap(({ name, limits }) => (limits ? [[name, limits]] : [])));

/** Timers are so late at most. */
const stallsOf = ({ steps }: Plan): number =>
  steps.reduce(
    (sum, step) =>
      step.do === 'fault' && step.fault.fault === 'host.eventLoopStall'
        ? sum + Number(step.fault['ms'])
        : sum,
    0,
  );

/** What an agent says is with its computer after so long at most: over two wires, whose ends may hear late. */
const wayOf = ({ steps }: Plan): number => {
  const delays = steps.flatMap((step) => {
    if (step.do !== 'fault') return [];
    const { fault, ms = 0 } = step.fault as Fault & { readonly ms?: number };
    return fault === 'net.latency' ? 2 * ms : fault === 'sched.delayDelivery' ? ms : 0;
  });
  return delays.reduce((sum, ms) => sum + ms, 10);
};

/** A plan on virtual time: everything scripted, on the stage on which the other scenarios play. */
export class VirtualWorld implements World {
  readonly isExact = true;
  readonly observed = new Observed();
  /** The laws over records, held as they come. */
  readonly bench: Bench;
  readonly stage: Theatre;
  readonly #plan: Plan;
  readonly #delays: Delay[] = [];
  /** What only the stage could see, when all was quiet. */
  readonly #untrue: Breach[] = [];
  #isHealed = false;
  readonly random: () => number;

  constructor(plan: Plan, { kinds, watches = 'all', observer, onFault = () => {} }: Staging = {}) {
    this.#plan = plan;
    const seed = seedOf(plan);
    this.random = randomOf(seed ?? 1);
    const secrets = plan.servers.flatMap(({ secret = [] }) => secret);
    // Of what all servers together may do, no record says how much there is.
    const limits = plan.total ? {} : { limits: limitsIn(plan) };
    this.bench = new Bench({ slackMs: stallsOf(plan), wayMs: wayOf(plan), secrets, ...limits });
    const care = { isHealed: () => this.#isHealed, onFault: (fault: Fault) => onFault(fault.fault) };
    const { total } = plan;
    let made: ReturnType<typeof programsOf> | undefined;
    const programs = (): ReturnType<typeof programsOf> => (made ??= programsOf(plan, this.stage.clock));
    const options: StageOptions = {
      servers: Object.fromEntries(plan.servers.map((server) => [server.name, scriptOf(server, care)])),
      timing: timingOf(plan),
      watches,
      limits: limitsIn(plan),
      validate: simpleValidate,
      ...(total && { total: () => total }),
      ...(plan.permission && { permission: rules[plan.permission] }),
      hasProgram: (server) => programs().hasProgram(server),
      transform: (...asked) => programs().transform(...asked),
      ...(kinds && { kinds }),
      ...(plan.person && { person: personOf(plan.person) }),
      ...(seed !== undefined && { seed }),
      ...(has(plan, 'sched.delayDelivery') && {
        mend: (ports) => this.#late(ports),
        answering: (ask) => (from, question, give) => ask(from, question, this.#lateFor(from, give)),
      }),
      observer: () => ({
        ...observer,
        record: (record) => {
          this.bench.take({ at: this.stage.clock.now(), record });
          observer?.record?.(record);
          if (watches === 'all') this.observed.take({ at: this.stage.clock.now(), record });
        },
      }),
    };
    this.stage = new Theatre(options);
  }
  *boot(): Waits {
    for (const who of ['office', 'computer', 'agent'] as const) this.begin(who);
    yield { ms: 0 };
  }
  begin(who: Root): void {
    const { stage } = this;
    const { office } = this.#plan;
    if (stage.directory.find(who) || (!office && who !== 'computer')) return;
    if (who === 'office') stage.office();
    else if (who === 'agent') stage.start('agent', agentOf(this.#plan, officeUrl));
    else stage.start('computer', computerOf(this.#plan, office ? officeUrl : null));
  }
  /** As through the handle of a host, which refuses by itself what nobody is there to take. */
  ask(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): void {
    if (this.stage.directory.find(who)) this.stage.asked(who, ticket, { ...event, replyTo: `host:${who}` });
  }
  order(who: Root, event: AnyEventObject): void {
    if (this.stage.directory.find(who)) this.stage.order(who, event);
  }
  kill(server: string, signal: OutsideSignal): void {
    this.stage.servers.kill(server, { signal });
  }
  get specs(): World['specs'] {
    return this.stage.callPorts.specs;
  }
  heal(): void {
    this.#isHealed = true;
    this.specs.heal();
    this.stage.network.faults.heal();
    this.stage.skewMs = 0;
  }
  get breaches(): readonly Breach[] {
    return [...this.bench.breaches, ...this.#untrue];
  }
  quiet(): readonly string[] {
    const known = this.bench.breaches.length;
    this.bench.quiet(this.stage.clock.now());
    const breach =
      (law: string) =>
      (what: string): Breach => ({ law, kind: 'liveness', at: 'computer', what });
    const untrue = [
      ...untruths(this.stage).map(breach(offersTheTruth)),
      ...untruthsShown(this.stage).map(breach(showsTheTruth)),
    ];
    this.#untrue.push(...untrue);
    const found = [...this.bench.breaches.slice(known), ...untrue];
    return found.map(({ law, what }) => `${law}: ${what}`);
  }
  happen(fault: Fault): void {
    const { clock, network } = this.stage;
    const ms = Number(fault['ms'] ?? 0);
    if (fault.fault === 'host.eventLoopStall') clock.stall(ms);
    else if (fault.fault === 'host.clockJump') this.stage.skewMs += ms;
    else if (fault.fault === 'host.clockStrobe') this.#strobe(ms, Number(fault['n']));
    else if (fault.fault === 'agent.disconnect') network.faults.keepAway(names.agent, ms);
    else if (fault.fault === 'net.down')
      network.faults.keepAway(names[fault['who'] as 'computer' | 'agent'], ms);
    else if (fault.fault === 'net.latency') network.faults.setLatency(ms);
    else if (fault.fault === 'agent.ackLost') network.faults.holdAck(names.agent, 'lost');
    else if (fault.fault === 'agent.ackLate') network.faults.holdAck(names.agent, ms);
    else if (fault.fault === 'sched.delayDelivery')
      this.#delays.push({ actor: String(fault['actor']), ms, waiting: [], until: 0 });
    else if (fault.fault !== 'sched.permuteTies') throw new Error(`${fault.fault} cannot be played`);
  }
  #strobe(ms: number, n: number): void {
    if (n === 0) return;
    this.stage.skewMs = this.stage.skewMs === 0 ? ms : 0;
    this.stage.clock.setTimeout(() => this.#strobe(ms, n - 1), 10);
  }
  #delay(delay: Delay, say: () => void): void {
    const { clock } = this.stage;
    const ms = this.#isHealed ? 0 : delay.ms;
    delay.until = Math.max(delay.until, clock.now() + ms);
    delay.waiting.push(say);
    clock.setTimeout(() => delay.waiting.shift()?.(), delay.until - clock.now());
  }
  #lateFor<Fact>(at: string, give: Give<Fact>): Give<Fact> {
    return (fact) => {
      const delay = this.#delays.findLast(({ actor }) => at.startsWith(actor));
      if (!delay) give(fact);
      else this.#delay(delay, () => give(fact));
    };
  }
  #late(ports: Ports): Ports {
    return {
      ...ports,
      process: (at, input, give) => ports.process(at, input, this.#lateFor(at, give)),
      session: (at, input, give) => ports.session(at, input, this.#lateFor(at, give)),
      link: (at, input, give) => ports.link(at, input, this.#lateFor(at, give)),
      office: (at, input, give) => ports.office(at, input, this.#lateFor(at, give)),
    };
  }
}
