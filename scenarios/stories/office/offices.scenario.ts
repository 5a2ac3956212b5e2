import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { scenario } from '../../stage/plan/index.ts';
import { officeUrl, type Harness } from '../../stage/harness.ts';
import { after, linkStage } from '../../stage/watching.ts';

const slowly = (answers: unknown) => ({ answers, afterMs: 100 });
const said = (text: string) => ({ content: [{ type: 'text', text }] });
const servers = {
  one: { tools: { read: slowly(said('one')) } },
  two: { tools: { read: slowly(said('two')) } },
};
const everybody = async (s: Harness): Promise<void> => {
  await s.office();
  s.computer({ linked: true, name: 'c1', servers: ['one'] });
  s.computer({ linked: true, name: 'c2', servers: ['two'], as: 'other' });
  s.agent();
  await s.run(100);
};

for (const [how, act] of [
  ['closes', (s: Harness) => s.close('other')],
  ['loses its connection', (s: Harness) => s.network.faults.dropLink('c2')],
] as const)
  scenario(`one of two computers ${how}: its call is answered, the other goes on`, { servers }, async (s) => {
    await everybody(s);
    const [stays, leaves] = await after(s, 50, [
      s.agentCall('read', { computer: 'c1' }),
      s.agentCall('read', { computer: 'c2' }),
    ]);
    act(s);
    await s.run(10);
    expect(leaves.settled).toHaveLength(1);
    expect(leaves.settled[0]?.result).toMatchObject({ isError: true });
    expect(stays.settled).toEqual([]);
    await s.run(100);
    expect(stays.settled).toMatchObject([{ outcome: 'succeeded', result: said('one') }]);
    expect(s.heard('agent', 'computer.left').map((e) => e.computer)).toEqual(['c2']);
  });

scenario('the second computer of a name is refused until the first is gone', { servers }, async (s) => {
  await s.office();
  s.computer({ linked: true, name: 'c', servers: ['one'] });
  await s.run(50);
  s.computer({ linked: true, name: 'c', servers: ['two'], as: 'other' });
  s.agent();
  await s.run(100);
  const refused = s.heard('other', 'link.changed').at(-1);
  expect(refused).toMatchObject({ stage: 'waiting', refusal: 'seat' });
  expect(refused?.reason).toContain("'c' already exists");
  const first = await after(s, 200, s.agentCall('read', { computer: 'c' }));
  s.close('computer');
  await s.run(3000);
  const second = await after(s, 200, s.agentCall('read', { computer: 'c' }));
  expect([first, second].map((call) => call.settled[0]?.result)).toMatchObject([said('one'), said('two')]);
});

scenario('an office that dies and comes back finds its computers and agent again', { servers }, async (s) => {
  await everybody(s);
  const call = await after(s, 10, s.agentCall('read'));
  s.network.faults.killOffice();
  s.directory.abandon('office');
  await s.run(10);
  expect(call.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'LinkLost' } }]);
  const before = s.heard('agent', 'view.toolsChanged').length;
  await s.office();
  await s.run(3000);
  const told = s.heard('agent', 'view.toolsChanged').slice(before);
  expect(told.filter((e) => e.tools?.length === 1).map((e) => e.computer as string)).toEqual(['c1', 'c2']);
});

const link = { url: officeUrl, role: 'computer', name: 'c1', office: 'o' } as const;
scenario('a computer joins later, leaves, and joins again, with its tools', { servers }, async (s) => {
  await s.office();
  s.computer({ servers: ['one'] });
  s.agent();
  await s.run(100);
  const asked = (): (string[] | undefined)[] =>
    s.heard('agent', 'view.toolsChanged').map((e) => e.tools?.map((t: { name: string }) => t.name));
  s.order('computer', { type: 'office.join', link });
  s.order('computer', { type: 'office.join', link });
  await s.run(1000);
  expect(linkStage(s)).toBe('joined');
  expect(s.heard('agent', 'computer.entered')).toHaveLength(1);
  expect(asked()).toEqual([['read']]);
  s.order('computer', { type: 'office.leave' });
  await s.run(10);
  expect(linkStage(s)).toBe('closed');
  expect(s.heard('agent', 'computer.left')).toHaveLength(1);
  s.order('computer', { type: 'office.leave' });
  s.order('computer', { type: 'office.join', link });
  await s.run(1000);
  expect(asked()).toEqual([['read'], ['read']]);
});

const other = { ...link, name: 'other' };
scenario('a computer with a seat takes no second one until it has left the first', { servers }, async (s) => {
  await s.office();
  s.computer({ linked: true });
  s.order('computer', { type: 'office.join', link: other });
  await s.run(100);
  s.order('computer', { type: 'office.join', link: other });
  await s.run(100);
  expect(linkStage(s)).toBe('joined');
  expect(s.heard('office', 'seat.changed')).toMatchObject([{ seat: { name: 'c1' } }]);
});

const lingering = { servers: { one: { ...servers.one, ignores: ['stdin'] } } } as const;
scenario('a computer that is closing takes no seat any more', lingering, async (s) => {
  await s.office();
  await s.up(100);
  s.close('computer');
  s.order('computer', { type: 'office.join', link });
  await s.run(502);
  expect(s.heard('computer', 'link.changed')).toEqual([]);
  expect(s.directory.find('computer')).toBeUndefined();
});

const questions = (s: Harness) => {
  const answers: AnyEventObject[] = [];
  s.directory.listen('host:asker', (event) => answers.push(event));
  const ask = (reqId: string, method: string, request: object): void =>
    s.order('agent', { type: 'agent.query', ticket: reqId, reqId, method, request, replyTo: 'host:asker' });
  return { answers, ask };
};

scenario('questions of an agent are answered as they came, or refused offline', { servers }, async (s) => {
  const { answers, ask } = questions(s);
  await s.office();
  s.agent();
  ask('early', 'server:list_room', { office_id: 'o' });
  await s.run(20);
  ask('asked', 'server:list_room', { office_id: 'o' });
  await s.run(20);
  s.close('agent');
  ask('late', 'server:list_room', { office_id: 'o' });
  expect(answers).toMatchObject([
    { reqId: 'early', outcome: 'failed', failure: { code: 'LinkLost' } },
    { reqId: 'asked', outcome: 'succeeded', result: { req_id: 'asked', sessions: [{ name: 'a1' }] } },
    { reqId: 'late', outcome: 'failed', failure: { code: 'LinkLost' } },
  ]);
});

scenario('a computer shows its config to the agent that asks', { servers }, async (s) => {
  await everybody(s);
  const { answers, ask } = questions(s);
  ask('config', 'client:get_config', { computer: 'c1' });
  await s.run(20);
  expect(answers).toMatchObject([{ outcome: 'succeeded', result: { servers: {}, inputs: [] } }]);
});
