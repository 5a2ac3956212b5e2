import { createOffice, type Office } from '../../../actors/index.ts';
import { heardBy, type Peer, World } from '../link/link-world.ts';
import { createSockets } from '../link/link-world-sockets.ts';

export class OfficeHarness extends World {
  readonly url: string;
  readonly #office: Office;

  constructor(office: Office) {
    super(createSockets({ relayMarginMs: 0, queryMs: 0 }));
    this.#office = office;
    this.url = office.url;
  }
  override peer(url = this.url): Promise<Peer> {
    return super.peer(url);
  }
  agent(name = 'a', office = 'o'): Promise<Peer> {
    return this.#sat('agent', name, office);
  }
  computer(name = 'c', office = 'o'): Promise<Peer> {
    return this.#sat('computer', name, office);
  }
  async answering(answer: unknown, name = 'c', office = 'o'): Promise<Peer> {
    const peer = await this.computer(name, office);
    peer.onAsked = ({ ack }) => ack?.(answer);
    return peer;
  }

  join(peer: Peer, role: string, name: string, office = 'o'): Promise<unknown[]> {
    return this.ask(peer, 'server:join_office', { role, name, office_id: office });
  }
  leave(peer: Peer, office = 'o'): Promise<unknown[]> {
    return this.ask(peer, 'server:leave_office', { office_id: office });
  }
  async room(member: Peer, office = 'o'): Promise<string[]> {
    const question = { agent: 'a', req_id: 'room', office_id: office };
    const [reply] = await this.ask(member, 'server:list_room', question);
    const { sessions } = reply as { sessions: { role: string; name: string }[] };
    return sessions.map(({ role, name }) => `${role}:${name}`).sort();
  }
  /** As `[event, body]`. Everything that the office sent before has arrived. */
  async heard(peer: Peer): Promise<unknown[]> {
    await this.fence(peer);
    return heardBy(peer);
  }
  override async close(): Promise<void> {
    await super.close();
    await this.#office.close();
  }

  async #sat(role: string, name: string, office: string): Promise<Peer> {
    const peer = await this.peer();
    const [ok, text] = await this.join(peer, role, name, office);
    if (ok !== true) throw new Error(String(text));
    return peer;
  }
}

export const openOffice = async (): Promise<OfficeHarness> =>
  new OfficeHarness(await createOffice({ host: '127.0.0.1', port: 0 }));

export const entered = (who: object, office = 'o'): unknown => [
  'notify:enter_office',
  { office_id: office, ...who },
];
export const left = (who: object, office = 'o'): unknown => [
  'notify:leave_office',
  { office_id: office, ...who },
];
