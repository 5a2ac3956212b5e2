/** What an agent knows of a computer that answers wrongly, late, or not at all. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Peer } from '../../stage/scripted/network/network.ts';
import type { Harness } from '../../stage/harness.ts';
import { linkStage, refusing as refusingAll, until } from '../../stage/watching.ts';

type Ack = (...args: unknown[]) => void;
/** Produces the n-th answer of the computer `c1` to `client:get_tools`; a question without one is never answered. */
type Answer = (reqId: string, ack: Ack) => void;
const never: Answer = () => {};
const tool = (name: string) => ({ name, description: '', params_schema: {}, return_schema: null });
const listing =
  (...names: string[]): Answer =>
  (reqId, ack) =>
    ack({ tools: names.map(tool), req_id: reqId });
const wrong: Answer = (_, ack) => ack({ tools: [], req_id: 'of another question' });
const refusing: Answer = (_, ack) => ack({ error: { code: 500, message: 'not now' } });

const meet = async (s: Harness, ...answers: Answer[]): Promise<Peer> => {
  await s.office();
  let n = 0;
  const peer = s.peer('c1', {
    'client:get_tools': (body, ack) => (answers[n++] ?? never)((body as { req_id: string }).req_id, ack),
  });
  peer.join('computer', 'c1');
  await s.run(5);
  s.agent();
  await s.run(20);
  return peer;
};
const asked = (peer: Peer): number => peer.heard.filter((h) => h.event === 'client:get_tools').length;
const heard = (s: Harness): unknown[] =>
  s
    .heard('agent', 'view.toolsChanged')
    .map((e) => e.failure?.message ?? e.tools?.map((t: { name: string }) => t.name) ?? null);
const update = (peer: Peer): void => peer.say('server:update_tool_list', { computer: 'c1' });

for (const [what, answer, message] of [
  ['to another question', wrong, "The answer is for 'of another question'"],
  ['with an error', refusing, 'not now'],
  ['with what is no list', (_: string, ack: Ack) => ack('tools'), 'answer'],
  ['with nothing', (_: string, ack: Ack) => ack(), 'answer'],
] as const)
  scenario(`a computer that answers ${what} is told as failed, and asked again later`, {}, async (s) => {
    const peer = await meet(s, answer, listing('read'));
    expect(heard(s)).toEqual([expect.stringContaining(message)]);
    await s.run(2000);
    expect(asked(peer)).toBe(2);
    expect(heard(s).at(-1)).toEqual(['read']);
  });

scenario('a notice before the first answer asks again, and the older answer is dropped', {}, async (s) => {
  const late: Ack[] = [];
  const peer = await meet(s, (_, ack) => late.push(ack), listing('new'));
  update(peer);
  await s.run(5);
  late[0]?.({ tools: [tool('old')], req_id: 'tools.c1.1' });
  await s.run(10);
  expect(asked(peer)).toBe(2);
  expect(heard(s)).toEqual([['new']]);
});

scenario('an update notice in the pause after a failure asks at once', {}, async (s) => {
  const peer = await meet(s, refusing, listing('read'));
  update(peer);
  await s.run(10);
  expect(heard(s).at(-1)).toEqual(['read']);
});

const impatient = { timing: { queryMs: 1000, agentMarginMs: 500 } };
for (const [what, answer, afterMs] of [
  ['refused', refusing, 10],
  ['answered to another question', wrong, 10],
  ['never answered', never, 1510],
] as const)
  scenario(`tools whose refresh is ${what} stay, and are fetched again later`, impatient, async (s) => {
    const peer = await meet(s, listing('old'), answer, listing('new'));
    update(peer);
    await s.run(afterMs);
    const [news] = s.heard('agent', 'view.toolsChanged').slice(-1);
    expect(news?.tools).toMatchObject([{ name: 'old' }]);
    expect(news?.failure).toMatchObject({ message: expect.any(String) });
    await s.run(2005);
    expect(heard(s).at(-1)).toEqual(['new']);
  });

const lost = 'The connection to the office was lost before an answer';
scenario('a link that drops while known tools are fetched again forgets them', {}, async (s) => {
  const peer = await meet(s, listing('one'), never, listing('two'));
  update(peer);
  await s.run(5);
  s.network.faults.dropLink('a1');
  await s.run(2000);
  expect(heard(s)).toEqual([['one'], lost, ['two']]);
});

scenario('a computer that leaves while it is asked is forgotten', {}, async (s) => {
  const peer = await meet(s, never);
  peer.leave();
  await s.run(60_000);
  expect([asked(peer), heard(s)]).toEqual([1, ['The computer left before it answered']]);
  expect(s.heard('agent', 'computer.left')).toHaveLength(1);
});

scenario('a link that drops before it is known who is there asks again once it is back', {}, async (s) => {
  await s.office();
  s.network.faults.setLatency(20);
  s.agent();
  await until(s, () => linkStage(s, 'agent') === 'joined');
  s.network.faults.dropLink('a1');
  await s.run(2000);
  expect(linkStage(s, 'agent')).toBe('joined');
  const isAboutRoom = ({ record: r }: Harness['seen'][number]): boolean =>
    r.k === 'out' && r.ev.type === 'ask' && (r.ev as { method?: string }).method === 'server:list_room';
  expect(s.seen.filter(isAboutRoom)).toHaveLength(2);
});

const failure = { code: 501, message: 'not built' } as const;
const untold = { mend: refusingAll(({ method }) => method === 'server:list_room', failure) };
scenario('an office that cannot tell who is there is believed by its notices', untold, async (s) => {
  await s.office();
  s.agent();
  await s.run(20);
  const peer = s.peer('c1', {
    'client:get_tools': (body, ack) => listing('read')((body as { req_id: string }).req_id, ack),
  });
  peer.join('computer', 'c1');
  await s.run(20);
  expect(heard(s).at(-1)).toEqual(['read']);
});
