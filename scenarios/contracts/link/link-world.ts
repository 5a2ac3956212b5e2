import type { RequestFact, PortInstance, RequestPort } from '../../../machines/kernel/ports.ts';
import type { LinkFact } from '../../../machines/link/questions.ts';
import type { LinkCommand, LinkInput } from '../../../machines/ports/link.ts';
import type { OfficeCommand, OfficeFact, OfficeInput } from '../../../machines/ports/office.ts';
import { PROTOCOL_VERSION } from '../../../machines/protocol/protocol.ts';
import { claim, type Claims, forget, noClaims, release } from '../../../machines/office/rooms/claims.ts';
import type { RelayTiming } from '../../../machines/office/rooms/relay.ts';
import type { SeatFacts } from '../../../machines/ports/office.ts';
import type { StagePorts } from '../../stage/ports.ts';

type Ack = (...args: unknown[]) => void;
export interface Heard {
  readonly event: string;
  readonly body: unknown;
  readonly ack: Ack | undefined;
}
export interface Peer {
  readonly heard: Heard[];
  /** By default the ack stays open. */
  onAsked: (heard: Heard) => void;
  emit(event: string, payload: unknown[], onAck?: Ack): void;
  isClosed(): boolean;
  close(): void;
}
export interface Transport {
  readonly office: StagePorts['office'];
  readonly link: StagePorts['link'];
  readonly ask: RequestPort;
  has(key: string): boolean;
  peer(url: string, changed: () => void): Promise<Peer>;
  detour(url: string): Promise<string>;
  cut(name: string, url: string): void;
  /** Rejects when nothing more can happen, or it takes too long. */
  until(probe: () => boolean): Promise<void>;
  readonly changed: () => void;
  freed(): Promise<void>;
  close(): Promise<void>;
}
export type MakeTransport = (limits: RelayTiming) => Transport;

export interface OfficeProbe {
  readonly url: string;
  readonly port: number;
  readonly facts: OfficeFact[];
  readonly instance: PortInstance<OfficeCommand>;
}
export interface LinkProbe {
  readonly key: string;
  readonly url: string;
  readonly facts: LinkFact[];
  readonly instance: PortInstance<LinkCommand>;
}

export const callTo = (computer: string, more: object = {}): object => ({
  agent: 'a',
  req_id: 'r',
  computer,
  tool_name: 't',
  params: {},
  timeout: 5,
  ...more,
});
export const toolsOf = (computer: string): object => ({ agent: 'a', req_id: 'r', computer });
export const codeIn = (ack: readonly unknown[]): unknown => {
  const body = ack[0] as { error?: { code: number }; structuredContent?: { error: { code: number } } };
  return body.error?.code ?? body.structuredContent?.error.code;
};
export const heardBy = (peer: Peer): unknown[] => peer.heard.map(({ event, body }) => [event, body]);

const noticeOf = ({ office, role, name }: SeatFacts): object => ({ office_id: office, [role]: name });

/** A few lines do the work of the office machine, because the contract tests the port. */
class Doorkeeper {
  readonly #tell: (command: OfficeCommand) => void;
  #claims: Claims = noClaims;

  constructor(tell: (command: OfficeCommand) => void) {
    this.#tell = tell;
  }
  hear(fact: OfficeFact): void {
    if (fact.type === 'socket.joins') this.#joins(fact.socket, fact.ticket, fact.seat);
    if (fact.type === 'socket.closed') this.#frees(fact.socket, forget(this.#claims, fact.socket));
    if (fact.type !== 'socket.leaves') return;
    this.#tell({ type: 'office.unseat', socket: fact.socket });
    this.#frees(fact.socket, release(this.#claims, fact.socket));
    this.#tell({ type: 'office.answer', ticket: fact.ticket, ok: true, text: null });
  }
  #joins(socket: string, ticket: string, seat: SeatFacts): void {
    const claimed = claim(this.#claims, socket, seat);
    if (!claimed.ok) return this.#tell({ type: 'office.answer', ticket, ok: false, text: claimed.text });
    this.#claims = claimed.claims;
    this.#tell({ type: 'office.seat', socket, seat });
    this.#tell({ type: 'office.answer', ticket, ok: true, text: null });
    if (claimed.left) this.#broadcast(socket, claimed.left, 'notify:leave_office');
    if (!claimed.repeated) this.#broadcast(socket, seat, 'notify:enter_office');
  }
  #frees(socket: string, { claims, left }: { claims: Claims; left?: SeatFacts }): void {
    this.#claims = claims;
    if (left) this.#broadcast(socket, left, 'notify:leave_office');
  }
  #broadcast(except: string, seat: SeatFacts, event: 'notify:enter_office' | 'notify:leave_office'): void {
    this.#tell({ type: 'office.broadcast', office: seat.office, except, event, body: noticeOf(seat) });
  }
}

/** Office, links and peers of one test, over one transport. */
export class World {
  readonly transport: Transport;
  readonly #leaves: { close(): void }[] = [];
  #opened = 0;

  constructor(transport: Transport) {
    this.transport = transport;
  }
  until(probe: () => boolean): Promise<void> {
    return this.transport.until(probe);
  }

  /** Opens an office, without waiting: it may fail. */
  tryOffice(
    port = 0,
    host = '127.0.0.1',
    more: Partial<OfficeInput> = {},
  ): { facts: OfficeFact[]; instance: PortInstance<OfficeCommand> } {
    const facts: OfficeFact[] = [];
    const keeper = new Doorkeeper((command) => instance.tell(command));
    const instance: PortInstance<OfficeCommand> = this.transport.office(
      `office#${++this.#opened}`,
      { host, port, ...more },
      (fact) => {
        facts.push(fact);
        keeper.hear(fact);
        this.transport.changed();
      },
    );
    this.#leaves.push(instance);
    return { facts, instance };
  }
  async office(port = 0, more: Partial<OfficeInput> = {}): Promise<OfficeProbe> {
    const { facts, instance } = this.tryOffice(port, undefined, more);
    await this.until(() => facts.length > 0);
    const [opened] = facts;
    if (opened?.type !== 'office.opened') throw new Error(`no office: ${JSON.stringify(opened)}`);
    return { url: opened.url, port: opened.port, facts, instance };
  }

  async peer(url: string): Promise<Peer> {
    const peer = await this.transport.peer(url, this.transport.changed);
    this.#leaves.push(peer);
    return peer;
  }
  /** A peer that sits. */
  async seated(url: string, role: SeatFacts['role'], name: string, office = 'o'): Promise<Peer> {
    const peer = await this.peer(url);
    await this.ask(peer, 'server:join_office', { role, name, office_id: office });
    return peer;
  }
  /** The arguments of the ack. */
  async ask(peer: Peer, event: string, ...payload: unknown[]): Promise<unknown[]> {
    const asked = this.asking(peer, event, ...payload);
    await this.until(() => asked.ack !== undefined);
    return asked.ack ?? [];
  }
  asking(peer: Peer, event: string, ...payload: unknown[]): { ack?: unknown[] } {
    const asked: { ack?: unknown[] } = {};
    peer.emit(event, payload, (...ack) => {
      asked.ack = ack;
      this.transport.changed();
    });
    return asked;
  }
  /** Everything that the office said to this peer before is heard now. */
  async fence(...peers: Peer[]): Promise<void> {
    for (const peer of peers) await this.ask(peer, 'fence:here', {});
  }

  /** A link, not waited for. */
  tryLink(url: string, input: Partial<LinkInput> = {}): LinkProbe {
    const at = `link#${++this.#opened}`;
    const facts: LinkFact[] = [];
    const whole: LinkInput = {
      url,
      role: 'computer',
      name: 'c',
      office: 'o',
      key: at,
      version: PROTOCOL_VERSION,
      ...input,
    };
    const instance = this.transport.link(at, whole, (fact) => {
      facts.push(fact);
      this.transport.changed();
    });
    this.#leaves.push(instance);
    return { key: whole.key, url, facts, instance };
  }
  async link(url: string, input: Partial<LinkInput> = {}): Promise<LinkProbe> {
    const link = this.tryLink(await this.transport.detour(url), input);
    await this.fact(link, 'link.up');
    return link;
  }
  async joined(url: string, input: Partial<LinkInput> = {}): Promise<LinkProbe> {
    const link = await this.link(url, input);
    link.instance.tell({ type: 'link.join' });
    await this.fact(link, 'join.accepted');
    return link;
  }
  async fact<T extends LinkFact['type']>(link: LinkProbe, type: T): Promise<Extract<LinkFact, { type: T }>> {
    const found = (): LinkFact | undefined => link.facts.find((fact) => fact.type === type);
    await this.until(() => found() !== undefined);
    return found() as Extract<LinkFact, { type: T }>;
  }
  request(key: string, method: string, params: unknown): { facts: RequestFact[]; withdraw: () => void } {
    const facts: RequestFact[] = [];
    const request = { id: `q${++this.#opened}`, target: key, method, params };
    const withdraw = this.transport.ask('asker#1', request, (fact) => {
      facts.push(fact);
      this.transport.changed();
    });
    return { facts, withdraw };
  }

  async close(): Promise<void> {
    for (const instance of this.#leaves.reverse()) instance.close();
    await this.transport.close();
  }
}
