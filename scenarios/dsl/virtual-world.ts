import type { AnyEventObject } from 'xstate';
import type { Give, Ports } from '../../machines/ports.ts';
import type { Fault } from '../faults/fault.ts';
import { Stage as Theatre, officeUrl, type Person, type StageOptions } from '../stage.ts';
import { randomOf } from '../virtual-clock.ts';
import { Observed } from './observations.ts';
import { timingOf, type OutsideSignal, type Plan, type PersonData } from './plan.ts';
import { scriptOf } from './scripted-server.ts';
import { agentOf, computerOf, has, names, seedOf, type Root, type Waits, type World } from './world.ts';

const persons: Readonly<Record<PersonData, Person>> = {
  yes: () => true,
  no: () => false,
  never: () => 'never',
  nobody: () => 'nobody',
};
/** What the world says to whoever lives at or below an address comes so much later. */
interface Delay {
  readonly actor: string;
  readonly ms: number;
}

/** A plan on virtual time: everything scripted, on the stage on which the other scenarios play. */
export class VirtualWorld implements World {
  readonly isExact = true;
  readonly observed = new Observed();
  readonly stage: Theatre;
  readonly #plan: Plan;
  readonly #delays: Delay[] = [];
  readonly random: () => number;

  constructor(plan: Plan) {
    this.#plan = plan;
    const seed = seedOf(plan);
    this.random = randomOf(seed ?? 1);
    const options: StageOptions = {
      servers: Object.fromEntries(plan.servers.map((server) => [server.name, scriptOf(server)])),
      timing: timingOf(plan),
      ...(plan.person && { person: persons[plan.person] }),
      ...(seed !== undefined && { seed }),
      ...(has(plan, 'sched.delayDelivery') && { mend: (ports) => this.#late(ports) }),
      observer: () => ({ record: (record) => this.observed.take({ at: this.stage.clock.now(), record }) }),
    };
    this.stage = new Theatre(options);
  }
  *boot(): Waits {
    const { stage } = this;
    const { office } = this.#plan;
    if (office) stage.office();
    stage.start('computer', computerOf(this.#plan, office ? officeUrl : null));
    if (office) stage.start('agent', agentOf(this.#plan, officeUrl));
    yield { ms: 0 };
  }
  ask(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): void {
    this.stage.asked(who, ticket, { ...event, replyTo: `host:${who}` });
  }
  order(who: Root, event: AnyEventObject): void {
    if (this.stage.directory.find(who)) this.stage.order(who, event);
  }
  kill(server: string, signal: OutsideSignal): void {
    this.stage.servers.kill(server, { signal });
  }
  happen(fault: Fault): void {
    const { clock, network } = this.stage;
    const ms = Number(fault['ms'] ?? 0);
    if (fault.fault === 'host.eventLoopStall') clock.stall(ms);
    else if (fault.fault === 'host.clockJump') this.stage.skewMs += ms;
    else if (fault.fault === 'host.clockStrobe') this.#strobe(ms, Number(fault['n']));
    else if (fault.fault === 'agent.disconnect') network.faults.keepAway(names.agent, ms);
    else if (fault.fault === 'agent.ackLost') network.faults.holdAck(names.agent, 'lost');
    else if (fault.fault === 'agent.ackLate') network.faults.holdAck(names.agent, ms);
    else if (fault.fault === 'sched.delayDelivery') this.#delays.push({ actor: String(fault['actor']), ms });
    else if (fault.fault !== 'sched.permuteTies') throw new Error(`${fault.fault} cannot be played`);
  }
  #strobe(ms: number, n: number): void {
    if (n === 0) return;
    this.stage.skewMs = this.stage.skewMs === 0 ? ms : 0;
    this.stage.clock.setTimeout(() => this.#strobe(ms, n - 1), 10);
  }
  #late(ports: Ports): Ports {
    const late = <Fact>(at: string, give: Give<Fact>): Give<Fact> => {
      return (fact) => {
        const ms = this.#delays.findLast(({ actor }) => at.startsWith(actor))?.ms;
        if (ms === undefined) give(fact);
        else this.stage.clock.setTimeout(() => give(fact), ms);
      };
    };
    return {
      process: (at, input, give) => ports.process(at, input, late(at, give)),
      session: (at, input, give) => ports.session(at, input, late(at, give)),
      link: (at, input, give) => ports.link(at, input, late(at, give)),
      office: (at, input, give) => ports.office(at, input, late(at, give)),
      ask: (from, question, give) => ports.ask(from, question, late(from, give)),
    };
  }
}
