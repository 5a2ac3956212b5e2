import { expect } from 'vitest';
import { events, notices } from '../../../machines/protocol/protocol.ts';
import { scenario } from '../../stage/plan/index.ts';
import { startNode } from '../../stage/nodes.ts';
import { answers, call, granted, has, said, seated } from './two-nodes.ts';
import { after } from '../../stage/watching.ts';

scenario('a call, its answer and its cancel cross nodes', {}, async (s) => {
  const { agent, computer } = await seated(s);
  const [first, second] = await after(s, 20, [call(agent, 'r1'), call(agent, 'r2', 'hang')]);
  expect(first).toMatchObject([[{ isError: false }]]);
  agent.ask(events.cancelToolCall, { agent: 'a', req_id: 'r2' });
  await s.run(20);
  expect(has(computer, notices.toolCallCancelled)).toBe(true);
  expect(second).toEqual([]);
  computer.close();
  await s.run(20);
  expect(said(second)).toContain('"reason":"left"');
  expect(has(agent, notices.leaveOffice)).toBe(true);
});

scenario('what one connection asks is done in its order, however long the register takes', {}, async (s) => {
  const url = await startNode(s, 1);
  const agent = s.peer('a', answers, url);
  const acks = [agent.join('agent', 'a', 'o'), agent.leave('o'), agent.join('agent', 'a', 'p')];
  await s.run(20);
  expect(acks).toEqual([granted, granted, granted]);
  const computer = s.peer('c', answers, url);
  computer.join('computer', 'c', 'p');
  await s.run(20);
  expect(call(agent, 'r1')).toEqual([]);
  await s.run(20);
  expect(computer.heard.filter(({ event }) => event === events.toolCall)).toHaveLength(1);
  const many = Array.from({ length: 20 }, () => [agent.leave('p'), agent.join('agent', 'a', 'p')]).flat();
  await s.run(20);
  expect(many.every((ack) => ack.length === 1)).toBe(true);
  expect(said(many.at(-1) ?? [])).toContain('Too many joins and leaves at once');
});

scenario('one of those who want one seat at two nodes at the same moment has it', {}, async (s) => {
  const urls = [await startNode(s, 1), await startNode(s, 2)];
  const acks = urls.flatMap((url) => [
    s.peer('a', {}, url).join('agent', 'a'),
    s.peer('c', {}, url).join('computer', 'c'),
  ]);
  await s.run(20);
  expect(acks.filter(([ack]) => ack?.[0] === true)).toHaveLength(2);
  expect(said(acks.flat())).toMatch(
    /Agent already in room.*already exists|already exists.*Agent already in room/,
  );
});

scenario('a computer is known at once at the other node, whenever news of it come there', {}, async (s) => {
  const urls = [await startNode(s, 1), await startNode(s, 2)];
  const agent = s.peer('a', {}, urls[0]);
  agent.join('agent', 'a');
  await s.run(20);
  s.network.register.faults.delay = () => 'lost';
  const computer = s.peer('c', answers, urls[1]);
  expect(computer.join('computer', 'c')).toEqual([]);
  await s.run(20);
  s.network.register.faults.delay = () => 1;
  const ack = await after(s, 20, call(agent, 'r1'));
  expect(ack).toMatchObject([[{ isError: false }]]);
});

scenario('an agent hears from another node how far its call is', {}, async (s) => {
  const { agent, computer } = await seated(s);
  call(agent, 'r1', 'hang');
  await s.run(20);
  const told = { agent: 'a', req_id: 'r1', computer: 'x', progress: 1, total: 2, message: 'half', more: 'x' };
  expect(computer.ask(events.toolCallProgress, told)).toEqual([]);
  await s.run(20);
  const { more: _, ...heard } = told;
  expect(agent.heard.filter(({ event }) => event === notices.toolCallProgress)).toEqual([
    { event: notices.toolCallProgress, body: { ...heard, computer: 'c' } },
  ]);
  expect(has(computer, notices.toolCallProgress)).toBe(false);
});

scenario('what comes twice is done once', {}, async (s) => {
  const { agent, computer } = await seated(s);
  s.network.register.faults.copies = () => 2;
  const ack = await after(s, 50, call(agent, 'r1'));
  expect(ack).toMatchObject([[{ isError: false }]]);
  expect(computer.heard.filter(({ event }) => event === events.toolCall)).toHaveLength(1);
});
