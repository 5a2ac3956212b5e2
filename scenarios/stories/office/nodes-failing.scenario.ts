import { expect } from 'vitest';
import { events, notices } from '../../../machines/protocol/protocol.ts';
import { scenario } from '../../stage/plan/index.ts';
import { leaseMs } from '../../stage/scripted/network/network.ts';
import { answers, call, granted, has, joining, said, seated } from './two-nodes.ts';
import { after } from '../../stage/watching.ts';

scenario('a node that dies: calls end and seats are free within its lease; others hear so', {}, async (s) => {
  const { agent, urls } = await seated(s);
  const ack = await after(s, 20, call(agent, 'r1', 'hang'));
  s.network.faults.killOffice(urls[1]);
  expect(said(await joining(s, urls[0]))).toContain('already exists');
  await s.run(leaseMs * 1.5);
  expect(said(ack)).toContain('"a2c_outcome":"unknown"');
  expect(has(agent, notices.leaveOffice)).toBe(true);
  expect(await joining(s, urls[0])).toEqual(granted);
});

scenario('a call for a node that hears nothing for a moment is refused at once, unsent', {}, async (s) => {
  const { agent, computer } = await seated(s);
  s.network.register.deaf = 'n2';
  const ack = await after(s, 20, call(agent, 'r1'));
  expect(said(ack)).toContain('nothing was sent');
  expect(has(computer, events.toolCall)).toBe(false);
});

scenario('a node that closes frees its seats at once', {}, async (s) => {
  const { agent, urls } = await seated(s);
  const ack = await after(s, 20, call(agent, 'r1', 'hang'));
  s.close('office2');
  await s.run(20);
  expect(said(ack)).toContain('"reason":"left"');
  expect(await joining(s, urls[0])).toEqual(granted);
  expect(has(agent, notices.leaveOffice)).toBe(true);
});

scenario('a register that is away: calls go on within the lease; later all join again', {}, async (s) => {
  const { agent, urls, register } = await seated(s);
  const near = s.peer('near', answers, urls[0]);
  near.join('computer', 'near');
  await s.run(20);
  register.faults.isDown = true;
  const [late, there] = [
    s.peer('late', {}, urls[0]).join('computer', 'late'),
    call(agent, 'r1', 'read', 'near'),
  ];
  await s.run(3_500);
  expect(said(late)).toEqual(expect.stringContaining('cannot reach its register'));
  expect(there).toHaveLength(1);
  expect(there).toMatchObject([[{ isError: false }]]);
  await s.run(leaseMs);
  const refused = await after(s, 20, call(agent, 'r2', 'read', 'near'));
  expect(said(refused)).toContain('503');
  register.forget();
  register.back();
  await s.run(leaseMs * 2);
  const other = s.peer('agent again', {}, urls[0]);
  const seats = [s.peer('near', answers, urls[1]).join('computer', 'near'), other.join('agent', 'again')];
  await s.run(20);
  expect(seats).toEqual([granted, granted]);
  const healed = await after(s, 20, call(other, 'r3', 'read', 'near'));
  expect(healed).toMatchObject([[{ isError: false }]]);
});

scenario('a seat that was taken while its node was apart is given up there', {}, async (s) => {
  const { computer, urls, register } = await seated(s);
  register.apart = 'n2';
  await s.run(leaseMs * 2);
  expect(s.network.isCurrent(urls[1] ?? '')).toBe(false);
  expect(await joining(s, urls[0])).toEqual(granted);
  register.apart = undefined;
  await s.run(leaseMs);
  expect(computer.ended).toHaveLength(1);
  expect(has(computer, notices.disconnecting)).toBe(true);
});

scenario('a lease that ended is known to have, also where the answer saying so was lost', {}, async (s) => {
  const { computer, urls, register } = await seated(s);
  register.apart = 'n2';
  await s.run(leaseMs * 2);
  expect(await joining(s, urls[0])).toEqual(granted);
  register.faults.isAnswered = () => false;
  register.apart = undefined;
  await s.run(leaseMs / 2);
  register.faults.isAnswered = () => true;
  for (let ms = 0; ms < leaseMs && computer.ended.length === 0; ms += 10) {
    // Until then this node holds a seat that another node has granted again, so it must not relay.
    expect(s.network.isCurrent(urls[1] ?? '')).toBe(false);
    await s.run(10);
  }
  expect(computer.ended).toHaveLength(1);
});

scenario('an agent that sits elsewhere is refused, although the register would let it in', {}, async (s) => {
  const { agent } = await seated(s);
  const both = await after(s, 20, [agent.join('agent', 'a', 'second'), agent.join('agent', 'a', 'third')]);
  expect(said(both.flat())).toMatch(/Agent sid already in room.*Agent sid already in room/);
  agent.leave();
  await s.run(20);
  const race = await after(s, 20, [agent.join('agent', 'a', 'second'), agent.join('agent', 'a', 'third')]);
  expect(race.map(([ack]) => ack?.[0])).toEqual([true, false]);
  expect(s.network.register.holders.map(({ seat }) => seat.office).toSorted()).toEqual(['o', 'second']);
});

scenario('a peer at another node is reached as before after a register that was empty', {}, async (s) => {
  const { agent, urls, register } = await seated(s);
  const others = ['c2', 'c3', 'c4'].map((name, n) => ({ name, peer: s.peer(name, answers, urls[n % 2]) }));
  for (const { name, peer } of others) {
    peer.join('computer', name);
    await s.run(20);
  }
  register.faults.isDown = true;
  await s.run(1_000);
  register.forget();
  register.back();
  await s.run(leaseMs * 2);
  const acks = ['c', 'c2', 'c3', 'c4'].map((name) => call(agent, name, 'read', name));
  await s.run(20);
  expect(acks.map(([ack]) => (ack?.[0] as { isError?: boolean } | undefined)?.isError)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
});

scenario('a call without a limit ends also where it, or its answer, is lost between nodes', {}, async (s) => {
  for (const lost of [1, 2]) {
    const { agent, computer } = await seated(s);
    let told = 0;
    s.network.register.faults.delay = () => ((told += 1) === lost ? 'lost' : 1);
    const ack = await after(s, leaseMs * 7, call(agent, 'r1', 'read', 'c', 0));
    expect(said(ack)).toContain('"a2c_outcome":"unknown"');
    expect(ack).toHaveLength(1);
    for (const peer of [agent, computer]) peer.close();
    await s.run(20);
    for (const node of ['office', 'office2']) s.close(node);
    await s.run(20);
  }
});

scenario('a call that runs for long is not taken for one that is lost', {}, async (s) => {
  const late: ((...args: unknown[]) => void)[] = [];
  const { agent, urls } = await seated(s);
  const slow = s.peer('slow', { [events.toolCall]: (_, ack) => void late.push(ack) }, urls[1]);
  slow.join('computer', 'slow');
  await s.run(20);
  const ack = await after(s, leaseMs * 10, call(agent, 'r1', 'read', 'slow', 0));
  expect(ack).toEqual([]);
  for (const answer of late) answer({ content: [], isError: false });
  await s.run(20);
  expect(ack).toMatchObject([[{ isError: false }]]);
});

scenario('an answer for a node that hears nothing for a moment comes when it hears again', {}, async (s) => {
  const { agent, register } = await seated(s);
  const ack = call(agent, 'r1', 'read', 'c', 0);
  register.deaf = 'n1';
  await s.run(3_000);
  expect(ack).toEqual([]);
  register.hearsAgain();
  await s.run(leaseMs / 3 + 20);
  expect(ack).toMatchObject([[{ isError: false }]]);
});

scenario('what waited while the lease ended is relayed to nobody', {}, async (s) => {
  const { agent, urls } = await seated(s);
  const late: boolean[] = [];
  const serve = (_: unknown, ack: (...args: unknown[]) => void): void => {
    late.push(!s.network.isCurrent(urls[0] ?? ''));
    ack({ content: [], isError: false });
  };
  const near = s.peer('near', { [events.toolCall]: serve }, urls[0]);
  near.join('computer', 'near');
  await s.run(20);
  s.network.register.apart = 'n1';
  const acks: unknown[][][] = [];
  for (let n = 0; s.network.isCurrent(urls[0] ?? ''); n += 1) {
    // This node does not know the name, so the register is asked, and later calls wait.
    acks.push(call(agent, `unknown ${n}`, 'read', 'nobody'), call(agent, `near ${n}`, 'read', 'near'));
    await s.run(500);
  }
  await s.run(leaseMs);
  expect(late.length).toBeGreaterThan(0);
  expect(late.filter(Boolean)).toEqual([]);
  expect(acks.every((ack) => ack.length === 1)).toBe(true);
  expect(said(acks.flat())).toContain('503');
  // The presence of that computer cannot be known, so the answer does not deny it.
  expect(said(acks.flat())).not.toContain('is not in this office');
});

scenario('a question that comes after the lease of its node has ended is asked of nobody', {}, async (s) => {
  const { agent, computer, urls, register } = await seated(s);
  register.faults.delay = () => leaseMs * 2;
  const ack = await after(s, 1, call(agent, 'r1'));
  register.apart = 'n2';
  await s.run(leaseMs * 2 - 1_000);
  expect(s.network.isCurrent(urls[1] ?? '')).toBe(false);
  expect(ack).toMatchObject([[{ isError: true }]]);
  await s.run(2_000);
  expect(has(computer, events.toolCall)).toBe(false);
});

scenario('a question for a seat that its computer leaves meanwhile is asked of nobody', {}, async (s) => {
  const { agent, computer } = await seated(s);
  s.network.register.faults.delay = () => 100;
  const ack = await after(s, 5, call(agent, 'r1'));
  computer.join('computer', 'c', 'elsewhere');
  await s.run(500);
  expect(ack).toMatchObject([[{ isError: true, structuredContent: { error: { code: 404 } } }]]);
  expect(has(computer, events.toolCall)).toBe(false);
});

scenario('nobody gets a seat that is taken after a fail-over that forgot the last claims', {}, async (s) => {
  const { urls, register } = await seated(s);
  register.failOver();
  expect(said(await joining(s, urls[0]))).toContain('cannot reach its register');
  await s.run(leaseMs * 2);
  expect(said(await joining(s, urls[0]))).toContain('already exists');
  expect(register.holders.map(({ node }) => node).toSorted()).toEqual(['n1', 'n2']);
});

scenario('an earlier holder must join again after a register that forgot who took a seat', {}, async (s) => {
  const { computer, urls, register } = await seated(s);
  register.apart = 'n2';
  await s.run(leaseMs * 2);
  const later = s.peer('c', answers, urls[0]);
  expect(later.join('computer', 'c')).toEqual([]);
  await s.run(20);
  expect(register.holders.map(({ node }) => node)).toEqual(['n1', 'n1']);
  // The node of the later holder comes after that of the earlier one, and its lease has ended as well.
  register.failOver();
  register.apart = 'n1';
  await s.run(leaseMs * 2);
  expect(computer.ended).toHaveLength(1);
  expect(register.holders).toEqual([]);
});
