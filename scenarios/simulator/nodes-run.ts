/** Random runs of an office on three nodes, drawn from seeds, for `a2c sim --nodes`. */
import { events } from '../../machines/protocol/protocol.ts';
import type { SeatFacts } from '../../machines/ports/office.ts';
import { seatsIn, type Claims } from '../../machines/office/rooms/claims.ts';
import { placeOf } from '../../machines/office/rooms/register.ts';
import { RollingHash } from './rolling-hash.ts';
import { Harness } from '../stage/harness.ts';
import { nodeKind, nodeUrl, startNode } from '../stage/nodes.ts';
import { Peer } from '../stage/scripted/network/network.ts';
import { streamOf, type Random } from './drawing/streams.ts';

interface Seated {
  readonly peer: Peer;
  readonly name: string;
  readonly at: { office: string; before: string; since: number };
  readonly role: 'agent' | 'computer';
  readonly node: number;
  isClosed: boolean;
}
interface Called {
  readonly by: Seated;
  readonly acks: unknown[][];
}
const offices = ['o', 'p'] as const;
const steps = 80;
const callSeconds = 5;

export interface NodesPlayed {
  readonly wrong: readonly string[];
  readonly story: readonly string[];
  readonly rollingHash: string;
  readonly records: number;
  readonly virtualMs: number;
}
export class NodesRun {
  readonly #random: Random;
  readonly #hash = new RollingHash();
  readonly #s = new Harness({
    watches: 'nothing',
    observer: () => ({
      record: (record) => {
        this.#records += 1;
        this.#hash.take(record);
      },
    }),
  });
  readonly #story: string[] = [];
  #records = 0;
  readonly #nodes: number[] = [];
  readonly #peers: Seated[] = [];
  readonly #calls: Called[] = [];
  readonly #wrong: string[] = [];
  #started = 0;
  #downMs = 0;
  #apartMs = 0;
  #deafMs = 0;

  constructor(seed: number) {
    this.#random = streamOf(seed, 'nodes', 'chance');
  }
  async play(): Promise<NodesPlayed> {
    for (let n = 0; n < 3; n += 1) await this.#startNode();
    for (let step = 0; step < steps; step += 1) {
      await this.#act();
      await this.#advance(this.#below(2) === 0 ? this.#below(20) : this.#below(3_000));
    }
    await this.#heal();
    await this.#judge();
    for (const { peer } of this.#peers) peer.close();
    this.#s.close();
    await this.#s.run(30_000);
    return {
      wrong: this.#wrong,
      story: this.#story,
      rollingHash: this.#hash.text,
      records: this.#records,
      virtualMs: this.#s.clock.now(),
    };
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }
  #one<T>(all: readonly T[]): T | undefined {
    return all[this.#below(all.length)];
  }
  #tell(what: string): void {
    this.#story.push(`  ${(this.#s.clock.now() / 1_000).toFixed(3).padStart(8)} s  ${what}`);
  }
  async #startNode(): Promise<void> {
    this.#nodes.push((this.#started += 1));
    this.#tell(`node ${this.#started} starts`);
    await startNode(this.#s, this.#started);
  }
  async #act(): Promise<void> {
    const { register } = this.#s.network;
    const what = this.#below(100);
    if (what < 30) this.#joins();
    else if (what < 65) this.#asks();
    else if (what < 72) this.#leaves();
    else if (what < 79) this.#moves();
    else if (what < 82) await this.#kills();
    else if (what < 86) {
      register.faults.isDown = true;
      this.#downMs = this.#below(15_000);
      const isEmptied = this.#below(2) === 0;
      if (isEmptied) register.forget();
      this.#tell(`the register is gone for ${this.#downMs} ms${isEmptied ? ', and forgets everything' : ''}`);
    } else if (what < 90) {
      register.apart = `n${this.#one(this.#nodes)}`;
      this.#apartMs = this.#below(15_000);
      this.#tell(`node ${register.apart.slice(1)} does not reach the register for ${this.#apartMs} ms`);
    } else if (what < 92) {
      register.deaf = `n${this.#one(this.#nodes)}`;
      this.#deafMs = this.#below(15_000);
      this.#tell(`node ${register.deaf.slice(1)} hears nothing from the register for ${this.#deafMs} ms`);
    } else if (what < 97) {
      const [lost, late] = [this.#below(20), 1 + this.#below(60)];
      register.faults.delay = () => (this.#below(100) < lost ? 'lost' : 1 + this.#below(late));
      register.faults.copies = () => 1 + Number(this.#below(8) === 0);
      register.faults.isAnswered = () => this.#below(100) >= lost;
      this.#tell(
        `of 100 messages between nodes ${lost} are lost, the others take up to ${late} ms or come twice`,
      );
    } else {
      this.#tell('messages between nodes arrive at once, and once');
      register.faults.delay = () => 1;
      register.faults.copies = () => 1;
      register.faults.isAnswered = () => true;
    }
  }
  #joins(): void {
    const [node, office] = [this.#one(this.#nodes), this.#one(offices)];
    if (node === undefined || office === undefined) return;
    const role = this.#below(3) === 0 ? 'agent' : 'computer';
    const name = role === 'agent' ? `a${this.#below(3)}` : `c${this.#below(3)}`;
    const end = this.#s.network.connect(nodeUrl(node), name);
    if (!end) return;
    const at = { office, before: office, since: 0 };
    const answer = (body: unknown, ack: (...args: unknown[]) => void): void => {
      const { params, tool_name: tool } = body as { params: { office: string }; tool_name: string };
      // A request that was on its way to a peer when it left.
      const isLate = params.office === at.before && this.#s.clock.now() - at.since <= 2;
      if (params.office !== at.office && !isLate)
        this.#wrong.push(`a call of ${params.office} came to ${at.office}`);
      if (tool !== 'hang') ack({ content: [], isError: false });
    };
    const peer = new Peer(end, { [events.toolCall]: answer });
    this.#peers.push({ peer, name, role, node, at, isClosed: false });
    this.#tell(`${role} ${name} joins ${office} at node ${node}`);
    peer.join(role, name, office);
  }
  #leaves(): void {
    const one = this.#one(this.#there);
    if (!one) return;
    one.isClosed = true;
    one.peer.close();
    this.#tell(`${one.role} ${one.name} of ${one.at.office} at node ${one.node} is gone`);
  }
  get #there(): readonly Seated[] {
    return this.#peers.filter(({ peer, isClosed }) => !isClosed && peer.ended.length === 0);
  }
  /** An agent has to leave first. */
  #moves(): void {
    const one = this.#one(this.#there);
    if (!one) return;
    one.peer.leave(one.at.office);
    one.at.before = one.at.office;
    one.at.since = this.#s.clock.now();
    one.at.office = this.#one(offices) ?? 'o';
    one.peer.join(one.role, one.name, one.at.office);
    this.#tell(`${one.role} ${one.name} of node ${one.node} moves from ${one.at.before} to ${one.at.office}`);
  }
  #asks(): void {
    const by = this.#one(this.#there.filter(({ role }) => role === 'agent'));
    if (!by) return;
    const reqId = `r${this.#calls.length}`;
    const asked = { agent: by.name, computer: `c${this.#below(3)}`, req_id: reqId };
    const tool = this.#below(4) === 0 ? 'hang' : 'read';
    // One without a time limit has to end all the same.
    const timeout = tool === 'read' && this.#below(4) === 0 ? 0 : callSeconds;
    const call = { tool_name: tool, params: { office: by.at.office }, timeout };
    this.#calls.push({ by, acks: by.peer.ask(events.toolCall, Object.assign(asked, call)) });
    const isCancelled = this.#below(4) === 0;
    if (isCancelled) by.peer.say(events.cancelToolCall, { agent: by.name, req_id: reqId });
    this.#tell(
      `${reqId}: agent ${by.name} of ${by.at.office} at node ${by.node} calls ${tool} of ${asked.computer}${isCancelled ? ', and cancels it' : ''}`,
    );
  }
  async #kills(): Promise<void> {
    const n = this.#one(this.#nodes);
    if (n === undefined) return;
    this.#nodes.splice(this.#nodes.indexOf(n), 1);
    this.#tell(`node ${n} is killed`);
    this.#s.network.faults.killOffice(nodeUrl(n));
    await this.#startNode();
  }
  async #advance(ms: number): Promise<void> {
    const { register } = this.#s.network;
    await this.#s.run(ms);
    this.#downMs -= ms;
    this.#apartMs -= ms;
    this.#deafMs -= ms;
    if (register.faults.isDown && this.#downMs <= 0) register.back();
    if (this.#apartMs <= 0) register.apart = undefined;
    if (this.#deafMs <= 0) register.hearsAgain();
    this.#heldOnce();
  }

  #seatsAt(n: number): readonly SeatFacts[] {
    const snapshot = this.#s.directory.find(nodeKind(n))?.ref.getSnapshot() as
      | { context: { claims: Claims } }
      | undefined;
    return snapshot ? seatsIn(snapshot.context.claims).map(([, seat]) => seat) : [];
  }
  #heldOnce(): void {
    const held = new Map<string, number>();
    for (const n of this.#nodes) {
      if (!this.#s.network.isCurrent(nodeUrl(n))) continue;
      for (const seat of this.#seatsAt(n)) {
        const place = `${seat.office} ${placeOf(seat)}`;
        if (held.has(place)) this.#wrong.push(`${place} is held at n${held.get(place)} and n${n}`);
        held.set(place, n);
      }
    }
  }
  async #heal(): Promise<void> {
    const { register } = this.#s.network;
    register.apart = undefined;
    register.faults.delay = () => 1;
    register.faults.copies = () => 1;
    register.faults.isAnswered = () => true;
    register.hearsAgain();
    if (register.faults.isDown) register.back();
    await this.#s.run(120_000);
  }
  async #judge(): Promise<void> {
    this.#heldOnce();
    for (const { by, acks } of this.#calls) {
      if (acks.length > 1) this.#wrong.push(`a call of ${by.name} was answered ${acks.length} times`);
      if (acks.length === 0 && this.#there.includes(by))
        this.#wrong.push(`a call of ${by.name} was never answered`);
    }
    const local = this.#nodes.flatMap((n) => this.#seatsAt(n));
    const held = this.#s.network.register.holders;
    if (local.length !== held.length)
      this.#wrong.push(`${local.length} seats at the nodes, ${held.length} in the register`);
    for (const agent of this.#there) {
      if (agent.role !== 'agent') continue;
      const isThere = held.some(
        ({ seat }) => seat.role === 'agent' && seat.name === agent.name && seat.office === agent.at.office,
      );
      if (isThere) await this.#reachesAll(agent);
    }
  }
  async #reachesAll(agent: Seated): Promise<void> {
    const { holders } = this.#s.network.register;
    for (const { seat } of holders) {
      if (seat.role !== 'computer' || seat.office !== agent.at.office) continue;
      const call = {
        agent: agent.name,
        computer: seat.name,
        req_id: `last ${seat.name}`,
        tool_name: 'read',
        timeout: 5,
      };
      const acks = agent.peer.ask(
        events.toolCall,
        Object.assign(call, { params: { office: agent.at.office } }),
      );
      await this.#s.run(100);
      const said = JSON.stringify(acks);
      // Two agents of one name, of which one was refused.
      if (!said.includes('"isError":false') && !said.includes('Join an office first'))
        this.#wrong.push(`${agent.name} does not reach ${seat.name} in ${agent.at.office}: ${said}`);
    }
  }
}
