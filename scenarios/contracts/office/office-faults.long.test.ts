import { afterEach, beforeEach, expect, it } from 'vitest';
import { callTo, codeIn, type Peer, toolsOf } from '../link/link-world.ts';
import { entered, left, type OfficeHarness, openOffice } from './office-harness.ts';

/** Time-outs are in relay.test.ts, questions in flight in pending.test.ts, long names in messages.test.ts. */
const questions = ['get_tools', 'get_config', 'get_desktop', 'get_finder', 'read_resource'].map(
  (what) => `client:${what}`,
);
const updates = ['config', 'tool_list', 'desktop', 'finder'].map((what) => `server:update_${what}`);
const granted = [true, null];
const cancel = { agent: 'a', req_id: 'r' };

let office: OfficeHarness;
beforeEach(async () => {
  office = await openOffice();
});
afterEach(() => office.close());
const called = async (agent: Peer, computer: string): Promise<unknown> =>
  (await office.ask(agent, 'client:tool_call', callTo(computer)))[0];

it('no event crosses from one office into another', async () => {
  const agent = await office.agent();
  const there = await office.answering('there', 'c', 'p');
  const neighbour = await office.agent('b', 'p');
  for (const event of ['client:tool_call', ...questions]) {
    const question = { ...callTo('c'), uri: 'dpe://h' };
    expect(codeIn(await office.ask(agent, event, question)), event).toBe(404);
    expect(codeIn(await office.ask(agent, event, { ...question, computer: 'b' })), event).toBe(404);
  }
  expect(await office.heard(there)).toEqual([entered({ agent: 'b' }, 'p')]);
  expect(await office.heard(neighbour)).toEqual([]);
});
it('somebody who sits nowhere tells nobody anything', async () => {
  const witnesses = [
    await office.agent(),
    await office.computer('d'),
    await office.agent('b', 'p'),
    await office.peer(),
  ];
  const [never, noMore, agent] = [
    await office.peer(),
    await office.computer('e', 'q'),
    await office.agent('z', 'q'),
  ];
  for (const peer of [noMore, agent]) await office.leave(peer, 'q');
  const before = await Promise.all(witnesses.map((peer) => office.heard(peer)));
  for (const peer of [never, noMore, agent])
    for (const event of [...updates, 'server:tool_call_cancel'])
      expect(codeIn(await office.ask(peer, event, { computer: 'e', agent: 'z', req_id: 'r' }))).toBe(403);
  expect(await Promise.all(witnesses.map((peer) => office.heard(peer)))).toEqual(before);
});
it('nobody can say that somebody left another office, and who tries loses nothing', async () => {
  const victim = await office.agent();
  const liar = await office.computer('liar', 'p');
  const [ok, text] = await office.leave(liar, 'o');
  expect([ok, text]).toEqual([false, "Not in office 'o'"]);
  expect(await office.heard(victim)).toEqual([]);
  const own = await office.agent('b', 'p');
  expect(await office.room(own, 'p')).toEqual(['agent:b', 'computer:liar']);
  expect(await office.heard(liar)).toEqual([entered({ agent: 'b' }, 'p')]);
});
it('somebody who was refused sits nowhere and hears nothing', async () => {
  const agent = await office.agent();
  await office.computer('c');
  const [ghost, second] = [await office.peer(), await office.peer()];
  await office.join(ghost, 'computer', 'c');
  await office.join(second, 'agent', 'b');
  const another = await office.computer('d');
  await office.ask(another, 'server:update_tool_list', { computer: 'd' });
  await office.ask(agent, 'server:tool_call_cancel', cancel);
  for (const peer of [ghost, second]) {
    expect(await office.heard(peer)).toEqual([]);
    expect(codeIn(await office.ask(peer, 'server:update_tool_list', { computer: 'c' }))).toBe(403);
  }
});
it('a move that fails strands nobody', async () => {
  const agent = await office.agent();
  const computer = await office.answering('here');
  await office.computer('c', 'p');
  expect((await office.join(computer, 'computer', 'c', 'p'))[0]).toBe(false);
  expect(await called(agent, 'c')).toBe('here');
  await office.ask(agent, 'server:tool_call_cancel', cancel);
  expect((await office.heard(computer)).at(-1)).toEqual(['notify:tool_call_cancel', cancel]);
});
it('the end of a socket frees its own names, all of them, and nobody else’s', async () => {
  const agent = await office.agent();
  const old = await office.computer('c');
  await office.leave(old);
  await office.answering('successor', 'c');
  old.close();
  const renamed = await office.computer('d');
  await office.join(renamed, 'computer', 'd9');
  await office.join(renamed, 'computer', 'd9', 'p');
  renamed.close();
  const fresh = await office.peer();
  for (const [name, id] of [
    ['d', 'o'],
    ['d9', 'o'],
    ['d9', 'p'],
  ] as const)
    while ((await office.join(fresh, 'computer', name, id))[0] !== true);
  expect(await called(agent, 'c')).toBe('successor');
});
it('a new name on the same socket is known to all', async () => {
  const agent = await office.agent();
  const computer = await office.answering('renamed');
  expect(await office.join(computer, 'computer', 'c9')).toEqual(granted);
  expect(await called(agent, 'c9')).toBe('renamed');
  expect(await called(agent, 'c')).toMatchObject({ meta: { error_code: 404 } });
  await office.leave(computer);
  expect(await office.heard(agent)).toEqual([
    entered({ computer: 'c' }),
    left({ computer: 'c' }),
    entered({ computer: 'c9' }),
    left({ computer: 'c9' }),
  ]);
});
it('one office does not block the names of another, and no text names a socket', async () => {
  const agent = await office.agent();
  await office.computer();
  const [reply] = await office.ask(agent, 'server:list_room', { ...cancel, office_id: 'o' });
  const ids = (reply as { sessions: { sid: string }[] }).sessions.map(({ sid }) => sid);
  const [rival, second] = [await office.peer(), await office.peer()];
  const texts = [await office.join(rival, 'computer', 'c'), await office.join(second, 'agent', 'a')].map(
    ([ok, text]) => (ok === false ? String(text) : ''),
  );
  for (const text of texts) {
    expect(text).toMatch(/already/);
    for (const id of ids) expect(text).not.toContain(id);
  }
  expect(await office.join(rival, 'computer', 'c', 'p')).toEqual(granted);
  expect(await office.join(second, 'agent', 'a', 'p')).toEqual(granted);
});
it('a question of a peer that may not ask it is answered with a code', async () => {
  const [agent, computer] = [await office.agent(), await office.computer()];
  const foreign = { ...cancel, office_id: 'p' };
  for (const [peer, event, payload, code] of [
    [computer, 'client:tool_call', callTo('c'), 403],
    [computer, 'client:get_tools', toolsOf('c'), 403],
    [computer, 'client:get_desktop', toolsOf('c'), 403],
    [computer, 'server:tool_call_cancel', cancel, 403],
    [agent, 'client:get_tools', toolsOf('a'), 404],
    [agent, 'server:update_config', { computer: 'c' }, 403],
    [agent, 'server:tool_call_cancel', { ...cancel, agent: 'b' }, 403],
    [agent, 'server:list_room', foreign, 403],
  ] as const)
    expect(codeIn(await office.ask(peer, event, payload)), event).toBe(code);
});
