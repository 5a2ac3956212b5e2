/** The office alone, with strangers that follow nothing but the wire protocol. */
import { expect } from 'vitest';
import { events, notices as noticeNames } from '../../../machines/protocol/protocol.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { Heard } from '../../stage/scripted/network/network.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import { after } from '../../stage/watching.ts';

const settle = 10;
const ok = [[true, null]];
const taken = (name: string, office: string) => [
  [false, `Computer with name '${name}' already exists in room '${office}'`],
];
const notices = (heard: readonly Heard[]): string[] =>
  heard.map(({ event, body }) => {
    const { computer, agent, office_id } = body as Record<string, string>;
    return `${event.replace('notify:', '')} ${computer ?? agent} ${office_id}`;
  });
const seats = (s: Harness): string[] => {
  const taken = new Set<string>();
  for (const { stage, seat } of s.heard('office', 'seat.changed'))
    if (stage === 'joined') taken.add(`${seat.office}/${seat.name}`);
    else taken.delete(`${seat.office}/${seat.name}`);
  return [...taken];
};

scenario('a leave of an office that one does not sit in is refused by its name', {}, async (s) => {
  await s.office();
  const peer = s.peer('p');
  const early = peer.leave('o');
  const join = peer.join('computer', 'c', 'o');
  const foreign = await after(s, settle, peer.leave('elsewhere'));
  expect([early, join, foreign]).toEqual([
    [[false, "Not in office 'o'"]],
    ok,
    [[false, "Not in office 'elsewhere'"]],
  ]);
  expect(seats(s)).toEqual(['o/c']);
});

scenario('a computer that changes offices and comes back is announced each time once', {}, async (s) => {
  await s.office();
  const [one, two, peer] = [s.peer('w1'), s.peer('w2'), s.peer('p')];
  one.join('agent', 'a', 'one');
  two.join('agent', 'a', 'two');
  await s.run(settle);
  for (const office of ['one', 'two', 'one']) {
    peer.join('computer', 'c', office);
    await s.run(settle);
  }
  expect(notices(one.heard)).toEqual(['enter_office c one', 'leave_office c one', 'enter_office c one']);
  expect(notices(two.heard)).toEqual(['enter_office c two', 'leave_office c two']);
});

scenario('a join that is repeated is granted and announced to nobody', {}, async (s) => {
  await s.office();
  const [watch, peer] = [s.peer('w'), s.peer('p')];
  watch.join('agent', 'a');
  await s.run(settle);
  const acks = await after(s, settle, [peer.join('computer', 'c'), peer.join('computer', 'c')]);
  expect(acks).toEqual([ok, ok]);
  expect(notices(watch.heard)).toEqual(['enter_office c o']);
});

scenario('a switch that is refused keeps the old seat, and calls still arrive there', {}, async (s) => {
  await s.office();
  s.peer('holder').join('computer', 'c', 'two');
  const peer = s.peer('p', {
    'client:get_tools': (body, ack) => ack({ tools: [], req_id: (body as { req_id: string }).req_id }),
    'client:tool_call': (_, ack) => ack({ content: [] }),
  });
  const join = await after(s, settle, peer.join('computer', 'c', 'o'));
  const refused = peer.join('computer', 'c', 'two');
  s.agent();
  await s.run(settle);
  expect(join).toEqual(ok);
  expect(refused).toEqual(taken('c', 'two'));
  expect(seats(s)[1]).toBe('o/c');
  const call = await after(s, settle, s.agentCall('read', { computer: 'c' }));
  expect(call.settled[0]?.outcome).toBe('succeeded');
});

scenario('an agent leaves before it joins elsewhere; a computer never becomes an agent', {}, async (s) => {
  await s.office();
  const [agent, computer] = [s.peer('a'), s.peer('c')];
  agent.join('agent', 'a', 'one');
  computer.join('computer', 'c', 'one');
  const [early, changed] = [agent.join('agent', 'a', 'two'), computer.join('agent', 'c', 'two')];
  await s.run(settle);
  expect(early[0]?.[1]).toContain("leave 'one' before joining 'two'");
  expect(changed[0]?.[1]).toContain('Role mismatch');
  agent.leave('one');
  const late = await after(s, settle, agent.join('agent', 'a', 'two'));
  expect(late).toEqual(ok);
  expect(seats(s)).toEqual(['one/c', 'two/a']);
});

scenario('who joins and is gone before the answer leaves neither seat nor notice behind', {}, async (s) => {
  await s.office();
  const watch = s.peer('w');
  watch.join('agent', 'a');
  await s.run(settle);
  const peer = s.peer('p');
  peer.join('computer', 'c');
  peer.close();
  await s.run(settle);
  expect(seats(s)).toEqual(['o/a']);
  expect(notices(watch.heard)).toEqual(['enter_office c o', 'leave_office c o']);
});

const losing: HarnessOptions = {
  mend: (ports) => ({
    ...ports,
    office: (at, input, emit) =>
      ports.office(at, input, (fact) => {
        emit(fact);
        if (fact.type === 'socket.opened') emit({ type: 'office.failed', message: 'the port is gone' });
      }),
  }),
};
scenario('an office that loses its port says so and ends; all who sat there hear it', losing, async (s) => {
  await s.office();
  const peer = s.peer('p');
  await s.run(settle);
  expect(s.heard('office', 'office.failed')).toMatchObject([{ message: 'the port is gone' }]);
  expect(s.directory.size).toBe(0);
  expect(peer.ended).toEqual(['io server disconnect']);
});

scenario('an office that closes answers those who wait, and ends all connections', {}, async (s) => {
  await s.office();
  const computer = s.peer('c');
  const agent = s.peer('a');
  computer.join('computer', 'c');
  agent.join('agent', 'a');
  await s.run(settle);
  const tools = agent.ask('client:get_tools', { agent: 'a', req_id: 'q', computer: 'c' });
  await s.run(settle);
  s.close('office');
  await s.run(settle);
  expect(tools).toMatchObject([[{ error: { code: expect.any(Number) } }]]);
  expect([computer.ended, agent.ended]).toEqual([['io server disconnect'], ['io server disconnect']]);
});

scenario('an agent hears how far its call is while it sits there, whoever else has left', {}, async (s) => {
  await s.office();
  const [agent, computer, other] = [s.peer('a'), s.peer('c'), s.peer('d')];
  agent.join('agent', 'a');
  computer.join('computer', 'c');
  other.join('computer', 'd');
  await s.run(settle);
  const told = async (): Promise<number> => {
    computer.ask(events.toolCallProgress, { agent: 'a', req_id: 'r', computer: 'c', progress: 1 });
    await s.run(settle);
    return agent.heard.filter(({ event }) => event === noticeNames.toolCallProgress).length;
  };
  other.leave();
  await s.run(settle);
  expect(await told()).toBe(1);
  agent.leave();
  await s.run(settle);
  expect(await told()).toBe(1);
});

scenario('a question in mid-air when one of the two leaves says who has left', {}, async (s) => {
  await s.office();
  const [agent, computer] = [s.peer('a'), s.peer('c')];
  const asks = (req_id: string): unknown[][] =>
    agent.ask(events.toolCall, {
      agent: 'a',
      req_id,
      computer: 'c',
      tool_name: 'read',
      params: {},
      timeout: 60,
    });
  agent.join('agent', 'a');
  computer.join('computer', 'c');
  await s.run(settle);
  const first = asks('r1');
  agent.leave();
  await s.run(settle);
  expect(JSON.stringify(first)).toContain('You left the office before the computer answered');
  agent.join('agent', 'a');
  await s.run(settle);
  const second = asks('r2');
  computer.leave();
  await s.run(settle);
  expect(JSON.stringify(second)).toContain('The computer left before it answered');
});
