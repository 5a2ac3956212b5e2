/** An office on several nodes that agree in one register: calls cross, seats are held once, nodes and the register fail. */
import { expect } from 'vitest';
import { events, notices } from '../../../machines/protocol/events.ts';
import { inHarness } from '../../stage/scenario.ts';
import type { Harness } from '../../stage/harness.ts';
import { startNode } from '../../stage/nodes.ts';
import { leaseMs } from '../../stage/scripted/network/network.ts';
import type { Peer } from '../../stage/scripted/network/peer.ts';

const granted = [[true, null]];
const answers = {
  [events.toolCall]: (body: unknown, ack: (...args: unknown[]) => void): void => {
    if ((body as { tool_name: string }).tool_name !== 'hang') ack({ content: [], isError: false });
  },
};
const call = (agent: Peer, reqId: string, tool = 'read', computer = 'c', timeout = 60): unknown[][] =>
  agent.ask(events.toolCall, {
    ...{ agent: 'a', req_id: reqId, computer, tool_name: tool, params: {}, timeout },
  });
/** An agent at the first of two nodes, a computer at the second, both seated. */
const seated = (
  s: Harness,
): { readonly agent: Peer; readonly computer: Peer; readonly urls: readonly string[] } => {
  const urls = [startNode(s, 1), startNode(s, 2)];
  const agent = s.peer('a', {}, urls[0]);
  const computer = s.peer('c', answers, urls[1]);
  const acks = [agent.join('agent', 'a'), computer.join('computer', 'c')];
  s.run(20);
  expect(acks).toEqual([granted, granted]);
  return { agent, computer, urls };
};
const has = (peer: Peer, event: string): boolean => peer.heard.some((heard) => heard.event === event);
const said = (acks: unknown[][]): string => JSON.stringify(acks);

inHarness('a call, its answer and its cancel cross nodes', {}, (s) => {
  const { agent, computer } = seated(s);
  const [first, second] = [call(agent, 'r1'), call(agent, 'r2', 'hang')];
  s.run(20);
  expect(first).toMatchObject([[{ isError: false }]]);
  agent.ask(events.cancelToolCall, { agent: 'a', req_id: 'r2' });
  s.run(20);
  expect(has(computer, notices.toolCallCancelled)).toBe(true);
  expect(second).toEqual([]);
  computer.close();
  s.run(20);
  expect(said(second)).toContain('"reason":"left"');
  expect(has(agent, notices.leaveOffice)).toBe(true);
});

inHarness('what one connection asks is done in its order, however long the register takes', {}, (s) => {
  const url = startNode(s, 1);
  const agent = s.peer('a', answers, url);
  const acks = [agent.join('agent', 'a', 'o'), agent.leave('o'), agent.join('agent', 'a', 'p')];
  s.run(20);
  expect(acks).toEqual([granted, granted, granted]);
  const computer = s.peer('c', answers, url);
  computer.join('computer', 'c', 'p');
  s.run(20);
  expect(call(agent, 'r1')).toEqual([]);
  s.run(20);
  expect(computer.heard.filter(({ event }) => event === events.toolCall)).toHaveLength(1);
  const many = Array.from({ length: 20 }, () => [agent.leave('p'), agent.join('agent', 'a', 'p')]).flat();
  s.run(20);
  expect(many.every((ack) => ack.length === 1)).toBe(true);
  expect(said(many.at(-1) ?? [])).toContain('Too many joins and leaves at once');
});

inHarness('of those who want one seat at two nodes at the same moment one has it', {}, (s) => {
  const urls = [startNode(s, 1), startNode(s, 2)];
  const acks = urls.flatMap((url) => [
    s.peer('a', {}, url).join('agent', 'a'),
    s.peer('c', {}, url).join('computer', 'c'),
  ]);
  s.run(20);
  expect(acks.filter(([ack]) => ack?.[0] === true)).toHaveLength(2);
  expect(said(acks.flat())).toMatch(
    /Agent already in room.*already exists|already exists.*Agent already in room/,
  );
});

inHarness('a computer is known at once at the other node, whenever news of it come there', {}, (s) => {
  const urls = [startNode(s, 1), startNode(s, 2)];
  const agent = s.peer('a', {}, urls[0]);
  agent.join('agent', 'a');
  s.run(20);
  s.network.register.faults.delay = () => 'lost';
  const computer = s.peer('c', answers, urls[1]);
  expect(computer.join('computer', 'c')).toEqual([]);
  s.run(20);
  s.network.register.faults.delay = () => 1;
  const ack = call(agent, 'r1');
  s.run(20);
  expect(ack).toMatchObject([[{ isError: false }]]);
});

inHarness('an agent hears from another node how far its call is', {}, (s) => {
  const { agent, computer } = seated(s);
  call(agent, 'r1', 'hang');
  s.run(20);
  const told = { agent: 'a', req_id: 'r1', computer: 'x', progress: 1, total: 2, message: 'half', more: 'x' };
  expect(computer.ask(events.toolCallProgress, told)).toEqual([]);
  s.run(20);
  const { more: _, ...heard } = told;
  expect(agent.heard.filter(({ event }) => event === notices.toolCallProgress)).toEqual([
    { event: notices.toolCallProgress, body: { ...heard, computer: 'c' } },
  ]);
  expect(has(computer, notices.toolCallProgress)).toBe(false);
});

inHarness('what comes twice is done once', {}, (s) => {
  const { agent, computer } = seated(s);
  s.network.register.faults.copies = () => 2;
  const ack = call(agent, 'r1');
  s.run(50);
  expect(ack).toMatchObject([[{ isError: false }]]);
  expect(computer.heard.filter(({ event }) => event === events.toolCall)).toHaveLength(1);
});

inHarness(
  'a node that dies: its calls end and its seats are free within its lease, and others hear so',
  {},
  (s) => {
    const { agent, urls } = seated(s);
    const ack = call(agent, 'r1', 'hang');
    s.run(20);
    s.network.faults.killOffice(urls[1]);
    const early = s.peer('c', answers, urls[0]).join('computer', 'c');
    s.run(20);
    expect(said(early)).toContain('already exists');
    s.run(leaseMs * 1.5);
    expect(said(ack)).toContain('"a2c_outcome":"unknown"');
    expect(has(agent, notices.leaveOffice)).toBe(true);
    const late = s.peer('c', answers, urls[0]).join('computer', 'c');
    s.run(20);
    expect(late).toEqual(granted);
  },
);

inHarness('a node that closes frees its seats at once', {}, (s) => {
  const { agent, urls } = seated(s);
  const ack = call(agent, 'r1', 'hang');
  s.run(20);
  s.close('office2');
  s.run(20);
  expect(said(ack)).toContain('"reason":"left"');
  const again = s.peer('c', answers, urls[0]).join('computer', 'c');
  s.run(20);
  expect([again, has(agent, notices.leaveOffice)]).toEqual([granted, true]);
});

inHarness(
  'a register that is away: nobody joins, within the lease calls go on, then they are refused; all heals when it is back',
  {},
  (s) => {
    const { agent, urls } = seated(s);
    const near = s.peer('near', answers, urls[0]);
    near.join('computer', 'near');
    s.run(20);
    const { register } = s.network;
    register.faults.isDown = true;
    const [late, there] = [
      s.peer('late', {}, urls[0]).join('computer', 'late'),
      call(agent, 'r1', 'read', 'near'),
    ];
    s.run(3_500);
    expect([said(late), there.length]).toEqual([expect.stringContaining('cannot reach its register'), 1]);
    expect(there).toMatchObject([[{ isError: false }]]);
    s.run(leaseMs);
    const refused = call(agent, 'r2', 'read', 'near');
    s.run(20);
    expect(said(refused)).toContain('503');
    // It comes back and knows nothing.
    register.forget();
    register.back();
    s.run(leaseMs * 2);
    const [healed, again] = [call(agent, 'r3'), s.peer('near', {}, urls[1]).join('computer', 'near')];
    s.run(20);
    expect([healed.length, said(again)]).toEqual([1, expect.stringContaining('already exists')]);
    expect(healed).toMatchObject([[{ isError: false }]]);
  },
);

inHarness('a seat that was taken while its node was apart is given up there', {}, (s) => {
  const { computer, urls } = seated(s);
  const { register } = s.network;
  register.apart = 'n2';
  s.run(leaseMs * 2);
  expect(s.network.isCurrent(urls[1] ?? '')).toBe(false);
  const taken = s.peer('c', answers, urls[0]).join('computer', 'c');
  s.run(20);
  expect(taken).toEqual(granted);
  register.apart = undefined;
  s.run(leaseMs);
  expect([computer.ended.length, has(computer, notices.disconnecting)]).toEqual([1, true]);
});

inHarness('an agent that sits elsewhere is refused here, although the register would let it in', {}, (s) => {
  const { agent } = seated(s);
  const both = [agent.join('agent', 'a', 'second'), agent.join('agent', 'a', 'third')];
  s.run(20);
  expect(said(both.flat())).toMatch(/Agent sid already in room.*Agent sid already in room/);
  agent.leave();
  s.run(20);
  const race = [agent.join('agent', 'a', 'second'), agent.join('agent', 'a', 'third')];
  s.run(20);
  expect(race.map(([ack]) => ack?.[0])).toEqual([true, false]);
  expect(s.network.register.holders.map(({ seat }) => seat.office).toSorted()).toEqual(['o', 'second']);
});

inHarness('after a register that was empty, whoever sits at another node is reached as before', {}, (s) => {
  const { agent, urls } = seated(s);
  const others = ['c2', 'c3', 'c4'].map((name, n) => ({ name, peer: s.peer(name, answers, urls[n % 2]) }));
  for (const { name, peer } of others) {
    peer.join('computer', name);
    s.run(20);
  }
  const { register } = s.network;
  register.faults.isDown = true;
  s.run(1_000);
  register.forget();
  register.back();
  s.run(leaseMs * 2);
  const acks = ['c', 'c2', 'c3', 'c4'].map((name) => call(agent, name, 'read', name));
  s.run(20);
  expect(acks.map(([ack]) => (ack?.[0] as { isError?: boolean } | undefined)?.isError)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
});

inHarness('a call without a time limit ends also where it, or its answer, is lost between nodes', {}, (s) => {
  for (const lost of [1, 2]) {
    const { agent, computer } = seated(s);
    let told = 0;
    s.network.register.faults.delay = () => ((told += 1) === lost ? 'lost' : 1);
    const ack = call(agent, 'r1', 'read', 'c', 0);
    s.run(leaseMs * 7);
    expect(said(ack)).toContain('"a2c_outcome":"unknown"');
    expect(ack).toHaveLength(1);
    for (const peer of [agent, computer]) peer.close();
    s.run(20);
    for (const node of ['office', 'office2']) s.close(node);
    s.run(20);
  }
});

inHarness('a call that runs for long is not taken for one that is lost', {}, (s) => {
  const late: ((...args: unknown[]) => void)[] = [];
  const { agent, urls } = seated(s);
  const slow = s.peer('slow', { [events.toolCall]: (_, ack) => void late.push(ack) }, urls[1]);
  slow.join('computer', 'slow');
  s.run(20);
  const ack = call(agent, 'r1', 'read', 'slow', 0);
  s.run(leaseMs * 10);
  expect(ack).toEqual([]);
  for (const answer of late) answer({ content: [], isError: false });
  s.run(20);
  expect(ack).toMatchObject([[{ isError: false }]]);
});

inHarness('an answer for a node that hears nothing for a moment comes when it hears again', {}, (s) => {
  const { agent } = seated(s);
  const { register } = s.network;
  const ack = call(agent, 'r1', 'read', 'c', 0);
  register.deaf = 'n1';
  s.run(3_000);
  expect(ack).toEqual([]);
  register.hearsAgain();
  s.run(leaseMs / 3 + 20);
  expect(ack).toMatchObject([[{ isError: false }]]);
});

inHarness('what waited while the lease ended is relayed to nobody', {}, (s) => {
  const { agent, urls } = seated(s);
  const late: boolean[] = [];
  const serve = (_: unknown, ack: (...args: unknown[]) => void): void => {
    late.push(!s.network.isCurrent(urls[0] ?? ''));
    ack({ content: [], isError: false });
  };
  const near = s.peer('near', { [events.toolCall]: serve }, urls[0]);
  near.join('computer', 'near');
  s.run(20);
  s.network.register.apart = 'n1';
  const acks: unknown[][][] = [];
  for (let n = 0; s.network.isCurrent(urls[0] ?? ''); n += 1) {
    // Nobody here knows this one, so the register is asked, and what comes meanwhile waits.
    acks.push(call(agent, `unknown ${n}`, 'read', 'nobody'), call(agent, `near ${n}`, 'read', 'near'));
    s.run(500);
  }
  s.run(leaseMs);
  expect(late.length).toBeGreaterThan(0);
  expect(late.filter(Boolean)).toEqual([]);
  expect(acks.every((ack) => ack.length === 1)).toBe(true);
  expect(said(acks.flat())).toContain('503');
  // Whether it is there cannot be known, so it is not said.
  expect(said(acks.flat())).not.toContain('is not in this office');
});
