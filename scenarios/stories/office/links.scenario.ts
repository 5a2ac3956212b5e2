import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { type Harness, type HarnessOptions } from '../../stage/harness.ts';
import { after, everybody, hello, asksOf, stageOf, stepOf } from '../../stage/watching.ts';

const servers = { fs: { tools: { read: { answers: hello } } } };
const slow = { fs: { tools: { read: { answers: hello, afterMs: 500 } } } };
const toolsSeen = (s: Harness): (string[] | null)[] =>
  s.heard('agent', 'view.toolsChanged').map((e) => e.tools?.map((t: { name: string }) => t.name) ?? null);

const lateOne = { servers: { ...servers, late: { tools: { look: { answers: hello } }, startMs: 5_000 } } };
scenario('an agent is told which servers lack in the tools, until they have theirs', lateOne, async (s) => {
  await everybody(s, 3_100);
  const told = () => s.heard('agent', 'view.toolsChanged').at(-1);
  expect(toolsSeen(s).at(-1)).toEqual(['read']);
  expect(told()?.['missing']).toEqual([{ server: 'late', reason: 'it is connecting' }]);
  await s.run(5_000);
  expect(toolsSeen(s).at(-1)).toEqual(['read', 'look']);
  expect(told()?.['missing']).toBeUndefined();
});

const quick = { servers, timing: { backoffMs: 20 } };
scenario('a server that is back within the quiet time is not announced at all', quick, async (s) => {
  await everybody(s);
  s.servers.kill('fs', { code: 1 });
  await s.run(3000);
  expect(toolsSeen(s)).toEqual([['read']]);
});

const hanging = { servers: { fs: { tools: { read: { never: true } } } } } as const;
scenario('an agent without its link: its call is unknown, others refused', { servers: slow }, async (s) => {
  await everybody(s);
  const call = await after(s, 50, s.agentCall('read'));
  s.network.faults.dropLink('a1');
  await s.run(5);
  expect(call.settled[0]).toMatchObject({ outcome: 'unknown', failure: { code: 'LinkLost' } });
  const meanwhile = s.agentCall('read');
  expect(meanwhile.settled[0]).toMatchObject({ outcome: 'failed', failure: { code: 'LinkLost' } });
  await s.run(5000);
  expect(toolsSeen(s).at(-1)).toEqual(['read']);
  const next = await after(s, 1000, s.agentCall('read'));
  expect(next.settled[0]?.outcome).toBe('succeeded');
});

scenario('the office is not there yet: both keep trying and meet when it comes', { servers }, async (s) => {
  s.computer({ linked: true });
  s.agent();
  await s.run(3000);
  expect(s.heard('agent', 'link.changed').at(-1)?.stage).toBe('waiting');
  await s.office();
  await s.run(3000);
  expect(toolsSeen(s).at(-1)).toEqual(['read']);
});

const silent: HarnessOptions = { mend: (ports) => ({ ...ports, link: () => ({ tell() {}, close() {} }) }) };
scenario('an office that never answers is given up after the time-out', silent, async (s) => {
  s.computer({ linked: true });
  await s.run(10_000);
  expect(s.heard('computer', 'link.changed').at(-1)).toMatchObject({
    stage: 'waiting',
    reason: 'no connection in time',
  });
});

scenario('an office whose port is taken says so and ends', {}, async (s) => {
  await s.office();
  await s.office({ as: 'other' });
  await s.run(10);
  expect(s.heard('other', 'office.failed')).toHaveLength(1);
  expect(s.directory.find('other')).toBeUndefined();
});

// Invariant: an announced change is fetched.
const slowList = { servers: { fs: { tools: { read: { answers: {} } }, listMs: 100 } } };
scenario('a change told before the first list is there is fetched once it is', slowList, async (s) => {
  await s.up(50);
  expect(stepOf(s)).toBe('listing');
  s.servers.announce('fs');
  s.servers.announce('fs');
  await s.run(40);
  expect(asksOf(s, 'tools/list')).toHaveLength(1);
  await s.run(220);
  expect(stageOf(s)).toBe('ready');
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
  await s.run(600);
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
});

// Invariant: no message is lost.
scenario('an office that is left in mid-call: the call is cancelled, told to nobody', hanging, async (s) => {
  await everybody(s, 1000);
  s.agentCall('read');
  await s.run(10);
  s.order('computer', { type: 'office.leave' });
  await s.run(1000);
  expect(s.servers.heard).toContain('cancelled tools/call at fs');
});

// Invariant: no secret is told in a failure or a config.
const telling = {
  servers: {
    fs: { tools: { read: { dies: { code: 1, stderr: 'bad key' } } }, secrets: ['hunter2-hunter2'] },
  },
};
scenario('a server that writes its launch secrets on stderr gives them to nobody', telling, async (s) => {
  await everybody(s, 1000);
  const [ours, theirs] = await after(s, 3000, [s.call('read'), s.agentCall('read')]);
  expect(ours.settled[0]?.failure?.message).toContain('***');
  expect(theirs.settled).toHaveLength(1);
  expect(JSON.stringify([s.seen, s.news])).not.toContain('hunter2');
});
