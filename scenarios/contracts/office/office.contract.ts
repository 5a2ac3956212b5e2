import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OfficeFact } from '../../../machines/ports/office.ts';
import {
  callTo,
  heardBy,
  type MakeTransport,
  type OfficeProbe,
  type Peer,
  World,
} from '../link/link-world.ts';

const limits = { relayMarginMs: 50, queryMs: 80 };
let world: World;
let office: OfficeProbe;

function joins(): void {
  const join = (peer: Peer, role: string, name: string, id = 'o'): Promise<unknown[]> =>
    world.ask(peer, 'server:join_office', { role, name, office_id: id });

  it('acks joining and leaving with two arguments', async () => {
    const computer = await world.peer(office.url);
    expect(await join(computer, 'computer', 'c')).toEqual([true, null]);
    expect(await world.ask(computer, 'server:leave_office', { office_id: 'o' })).toEqual([true, null]);
    expect(await world.ask(computer, 'server:leave_office', {})).toEqual([false, expect.any(String)]);
    expect(await join(computer, 'admin', 'c')).toEqual([false, expect.stringContaining('role')]);
  });

  it('tells those who sit there who comes and goes, and not the one who does', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    await join(computer, 'computer', 'c');
    await join(computer, 'computer', 'c', 'p');
    await world.until(() => agent.heard.length > 1);
    await world.fence(agent, computer);
    expect(heardBy(agent)).toEqual([
      ['notify:enter_office', { office_id: 'o', computer: 'c' }],
      ['notify:leave_office', { office_id: 'o', computer: 'c' }],
    ]);
    expect(computer.heard).toEqual([]);
    await world.seated(office.url, 'agent', 'b', 'p');
    await world.fence(computer);
    expect(heardBy(computer)).toEqual([['notify:enter_office', { office_id: 'p', agent: 'b' }]]);
  });

  it('lets a refused socket hear nothing of that office, and join under another name', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    await world.seated(office.url, 'computer', 'c');
    const second = await world.peer(office.url);
    expect(await join(second, 'computer', 'c')).toEqual([false, expect.stringContaining('already exists')]);
    await world.seated(office.url, 'computer', 'd');
    await world.fence(second);
    expect(second.heard).toEqual([]);
    expect(await join(second, 'computer', 'e')).toEqual([true, null]);
    const [room] = await world.ask(agent, 'server:list_room', { agent: 'a', req_id: 'r1', office_id: 'o' });
    const { sessions, req_id } = room as { sessions: { name: string; office_id: string }[]; req_id: string };
    expect([req_id, sessions.map((s) => s.name).sort()]).toEqual(['r1', ['a', 'c', 'd', 'e']]);
  });

  it('gives the one agent place of an office to exactly one of two that race for it', async () => {
    const [one, two] = [await world.peer(office.url), await world.peer(office.url)];
    const asked = [one, two].map((peer, i) =>
      world.asking(peer, 'server:join_office', { role: 'agent', name: `a${i}`, office_id: 'o' }),
    );
    await world.until(() => asked.every(({ ack }) => ack));
    expect(asked.filter(({ ack }) => ack?.[0] === true)).toHaveLength(1);
  });

  it('frees the name of a socket that drops at once', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    (await world.seated(office.url, 'computer', 'c')).close();
    await world.until(() => agent.heard.length > 1);
    expect(heardBy(agent).at(-1)).toEqual(['notify:leave_office', { office_id: 'o', computer: 'c' }]);
    expect(await join(await world.peer(office.url), 'computer', 'c')).toEqual([true, null]);
  });
}

function broadcasts(): void {
  it('tells nothing more to who left', async () => {
    await world.seated(office.url, 'agent', 'a');
    const [gone, moved] = [
      await world.seated(office.url, 'computer', 'gone'),
      await world.seated(office.url, 'computer', 'moved'),
    ];
    await world.ask(gone, 'server:leave_office', { office_id: 'o' });
    await world.ask(moved, 'server:join_office', { role: 'computer', name: 'moved', office_id: 'p' });
    await world.fence(gone, moved);
    const before = [gone.heard.length, moved.heard.length];
    await world.seated(office.url, 'computer', 'c');
    await world.fence(gone, moved);
    expect([gone.heard.length, moved.heard.length]).toEqual(before);
  });

  it('tells a change of tools to the own office only, never to the sender, under the registered name', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const others = [await world.seated(office.url, 'agent', 'b', 'p'), await world.peer(office.url)];
    expect(await world.ask(computer, 'server:update_tool_list', { computer: 'someone else' })).toEqual([]);
    await world.fence(agent, computer, ...others);
    expect(heardBy(agent).at(-1)).toEqual(['notify:update_tool_list', { computer: 'c' }]);
    expect([computer, ...others].map((peer) => peer.heard)).toEqual([[], [], []]);
  });

  it('tells a cancel to the computers only', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    await world.fence(agent);
    const before = agent.heard.length;
    expect(await world.ask(agent, 'server:tool_call_cancel', { agent: 'a', req_id: 'r' })).toEqual([]);
    await world.fence(agent, computer);
    expect(heardBy(computer)).toEqual([['notify:tool_call_cancel', { agent: 'a', req_id: 'r' }]]);
    expect(agent.heard).toHaveLength(before);
  });

  it('tells nobody a cancel under another name, or one of a computer, or of nobody', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const stranger = await world.peer(office.url);
    agent.emit('server:tool_call_cancel', [{ agent: 'x', req_id: 'r' }]);
    computer.emit('server:tool_call_cancel', [{ agent: 'c', req_id: 'r' }]);
    stranger.emit('server:tool_call_cancel', [{ agent: 'a', req_id: 'r' }]);
    await world.fence(agent, computer, stranger);
    await world.fence(agent, computer);
    expect(heardBy(computer)).toEqual([]);
    expect(heardBy(agent)).toEqual([['notify:enter_office', { office_id: 'o', computer: 'c' }]]);
  });
}

function endings(): void {
  it('answers everything that waits when it closes, says nothing more, and gives back its port', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const call = world.asking(agent, 'client:tool_call', callTo('c', { timeout: 0 }));
    await world.until(() => computer.heard.length > 0);
    const known = office.facts.length;
    office.instance.close();
    office.instance.close();
    await world.until(() => call.ack !== undefined && agent.isClosed() && computer.isClosed());
    expect(call.ack?.[0]).toMatchObject({
      structuredContent: { error: { code: 404, details: { reason: 'closing' } } },
    });
    await world.transport.freed();
    const successor = await world.office(office.port);
    expect([successor.port, office.facts.length]).toEqual([office.port, known]);
  });

  it.each([
    ['in use', () => world.tryOffice(office.port)],
    ['loopback only', () => world.tryOffice(0, '0.0.0.0')],
  ])('fails with a readable text: %s', async (text, open) => {
    const { facts } = open();
    await world.until(() => facts.length > 0);
    expect(facts).toEqual<OfficeFact[]>([
      { type: 'office.failed', message: expect.stringContaining(text) as string },
    ]);
  });

  it('never opens when it is closed before it opened', async () => {
    const { facts, instance } = world.tryOffice();
    instance.close();
    await world.transport.freed();
    await world.fence(await world.peer(office.url));
    expect(facts).toEqual([]);
  });
}

export function officeContract(make: MakeTransport): void {
  beforeEach(async () => {
    world = new World(make(limits));
    office = await world.office();
  });
  afterEach(() => world.close());
  describe('with seats', joins);
  describe('with notices', broadcasts);
  describe('with ends', endings);
}
