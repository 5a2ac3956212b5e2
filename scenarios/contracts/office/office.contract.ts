import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  callTo,
  codeIn,
  heardBy,
  type MakeTransport,
  type OfficeProbe,
  type Peer,
  toolsOf,
  World,
} from '../link/link-world.ts';

/** What stories rely on, over sockets and in virtual time alike; real plays compare the rest. */
const limits = { relayMarginMs: 50, queryMs: 80 };
const answering = (peer: Peer, ...ack: unknown[]): void => {
  peer.onAsked = (heard) => heard.ack?.(...ack);
};
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
}

function broadcasts(): void {
  it('tells a change of tools to the own office only, never to the sender, under the registered name', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const others = [await world.seated(office.url, 'agent', 'b', 'p'), await world.peer(office.url)];
    expect(await world.ask(computer, 'server:update_tool_list', { computer: 'someone else' })).toEqual([]);
    await world.fence(agent, computer, ...others);
    expect(heardBy(agent).at(-1)).toEqual(['notify:update_tool_list', { computer: 'c' }]);
    expect([computer, ...others].map((peer) => peer.heard)).toEqual([[], [], []]);
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

function relays(): void {
  it('relays a call as it came and its answer unchanged', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    const result = { meta: null, content: [{ type: 'text', text: 'hi', annotations: null }], isError: false };
    answering(computer, result, 'second');
    const call = callTo('c', { params: { deep: { n: [1] } }, unknown: true });
    expect(await world.ask(agent, 'client:tool_call', call)).toEqual([result, 'second']);
    expect(computer.heard.at(-1)?.body).toEqual(call);
  });

  it('routes by office and name, and says who asks by the registered name', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const [here, there] = [
      await world.seated(office.url, 'computer', 'c'),
      await world.seated(office.url, 'computer', 'c', 'p'),
    ];
    answering(here, 'here');
    answering(there, 'there');
    expect(await world.ask(agent, 'client:tool_call', callTo('c', { agent: 'boss', timeout: '2' }))).toEqual([
      'here',
    ]);
    expect(here.heard.at(-1)?.body).toMatchObject({ agent: 'a', timeout: 2 });
  });

  it('gives up after the time-out of the call and a margin, and drops the late answer', async () => {
    const agent = await world.seated(office.url, 'agent', 'a');
    const computer = await world.seated(office.url, 'computer', 'c');
    expect(codeIn(await world.ask(agent, 'client:get_tools', toolsOf('c')))).toBe(408);
    const [result] = await world.ask(agent, 'client:tool_call', callTo('c', { timeout: 1 }));
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 408 } },
      meta: { a2c_timeout: true },
    });
    for (const { ack } of computer.heard) ack?.('late');
    await world.fence(computer, agent);
    const cancel = { agent: 'a', req_id: 'r', reason: 'timeout' };
    expect(heardBy(computer).slice(2)).toEqual([['notify:tool_call_cancel', cancel]]);
    expect(agent.heard.map(({ event }) => event)).toEqual(['notify:enter_office']);
  });

  it.each(['leaves', 'is gone'] as const)(
    'ends the calls of an agent that %s, and what it asked besides is asked of nobody again',
    async (how) => {
      const agent = await world.seated(office.url, 'agent', 'a');
      const [computer, other] = [
        await world.seated(office.url, 'computer', 'c'),
        await world.seated(office.url, 'computer', 'd'),
      ];
      world.asking(agent, 'client:tool_call', callTo('c', { timeout: 0 }));
      world.asking(agent, 'client:get_tools', { ...toolsOf('c'), req_id: 'r2' });
      await world.until(() => computer.heard.length > 1);
      if (how === 'leaves') agent.emit('server:leave_office', [{ office_id: 'o' }]);
      else agent.close();
      await world.until(() => heardBy(other).length > 0);
      await world.fence(computer, other);
      const left = ['notify:leave_office', { office_id: 'o', agent: 'a' }];
      const cancel = { agent: 'a', req_id: 'r', reason: 'left' };
      expect(heardBy(computer).slice(-2)).toEqual([['notify:tool_call_cancel', cancel], left]);
      expect(heardBy(other)).toEqual([left]);
    },
  );
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
  describe('with calls', relays);
  describe('with ends', endings);
}
