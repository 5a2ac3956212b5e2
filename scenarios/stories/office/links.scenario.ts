import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Harness } from '../../stage/harness.ts';
import { announcedBy, asksOf, everybody, hello, offeredBy } from '../../stage/watching.ts';

const servers = { fs: { tools: { read: { answers: hello } } } };
const slow = { fs: { tools: { read: { answers: hello, afterMs: 500 } } } };
const toolsSeen = (s: Harness): (string[] | null)[] =>
  s.heard('agent', 'view.toolsChanged').map((e) => e.tools?.map((t: { name: string }) => t.name) ?? null);

scenario(
  'an agent calls a tool through the office and gets what the server said, unchanged',
  { servers },
  async (s) => {
    await everybody(s);
    expect(toolsSeen(s).at(-1)).toEqual(['read']);
    const call = s.agentCall('read');
    await s.run(50);
    expect(call.settled[0]).toMatchObject({ outcome: 'succeeded', result: hello });
  },
);

scenario(
  'an agent that comes first hears of the computer and fetches its tools by itself',
  { servers },
  async (s) => {
    await s.office();
    s.agent();
    await s.run(50);
    s.computer({ linked: true });
    await s.run(1000);
    expect(s.heard('agent', 'computer.entered')).toHaveLength(1);
    expect(toolsSeen(s).at(-1)).toEqual(['read']);
  },
);

scenario(
  'an agent is told which servers lack in the answer with the tools, until they have theirs',
  { servers: { ...servers, late: { tools: { look: { answers: hello } }, startMs: 5_000 } } },
  async (s) => {
    await everybody(s);
    await s.run(3_000);
    const told = () => s.heard('agent', 'view.toolsChanged').at(-1);
    expect(toolsSeen(s).at(-1)).toEqual(['read']);
    expect(told()?.['missing']).toEqual([{ server: 'late', reason: 'it is connecting' }]);
    await s.run(5_000);
    expect(toolsSeen(s).at(-1)).toEqual(['read', 'look']);
    expect(told()?.['missing']).toBeUndefined();
  },
);

scenario(
  'a server dies in mid-call: the agent is answered at once, and hears that the tools are gone and back',
  {
    servers: { fs: { tools: { read: { dies: { signal: 'SIGKILL', stderr: 'oops' }, afterMs: 20 } } } },
  },
  async (s) => {
    await everybody(s);
    const call = s.agentCall('read');
    await s.run(30);
    expect(call.settled[0]?.result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { details: { server_name: 'fs', signal: 'SIGKILL', stderr: 'oops' } },
      },
      meta: { a2c_outcome: 'unknown', a2c_phase: 'running' },
    });
    await s.run(5000);
    expect(toolsSeen(s)).toEqual([['read'], [], ['read']]);
  },
);

scenario(
  'a server that is back within the quiet time is not announced at all',
  {
    servers,
    timing: { backoffMs: 20 },
  },
  async (s) => {
    await everybody(s);
    s.servers.kill('fs', { code: 1 });
    await s.run(3000);
    expect(toolsSeen(s)).toEqual([['read']]);
  },
);

scenario(
  'a server whose tools never come to rest is asked for them every two seconds at most',
  {
    servers: { fs: { ...servers.fs, lists: (n) => ['read', `t${n}`] } },
  },
  async (s) => {
    await everybody(s);
    for (let i = 0; i < 60; i++) {
      s.servers.announce('fs');
      await s.run(100);
    }
    expect(asksOf(s, 'tools/list')).toHaveLength(3);
    await s.run(3000);
    expect(toolsSeen(s).at(-1)).toEqual(['read', 't4']);
  },
);

const restless = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `s${at}`,
    { tools: { [`read${at}`]: { answers: hello } }, lists: (n: number) => [`read${at}`, `t${at}.${n}`] },
  ]),
);
scenario(
  'tools of a dozen servers that never come to rest are announced every two seconds at most',
  { servers: restless },
  async (s) => {
    await everybody(s);
    for (let i = 0; i < 60; i++) {
      s.servers.announce(`s${i % 12}`);
      await s.run(100);
    }
    await s.run(3000);
    const announced = announcedBy(s);
    expect(announced.length).toBeGreaterThanOrEqual(3);
    // They changed for 6 s, and were watched for 9 s.
    expect(announced.length).toBeLessThanOrEqual(5);
    expect(toolsSeen(s).at(-1)).toEqual(offeredBy(s));
  },
);

scenario('an agent cancels its call: the server is told, both sides end', { servers: slow }, async (s) => {
  await everybody(s);
  const call = s.agentCall('read');
  await s.run(100);
  call.cancel();
  await s.run(50);
  expect(call.settled[0]).toMatchObject({ result: { meta: { a2c_outcome: 'unknown' } } });
  expect(s.servers.heard).toContain('cancelled tools/call at fs');
});

scenario(
  'the computer ends a call that times out, and its answer still reaches the agent',
  { servers: slow },
  async (s) => {
    await everybody(s);
    const call = s.agentCall('read', { timeoutMs: 0 });
    const timed = s.agentCall('read', { reqId: 'r2', timeoutMs: 1000 });
    await s.run(3000);
    expect(call.settled[0]?.outcome).toBe('succeeded');
    expect(timed.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario(
  'a call that takes longer than its time-out is answered by the computer as timed out',
  {
    servers: { fs: { tools: { read: { never: true } } } },
  },
  async (s) => {
    await everybody(s);
    const call = s.agentCall('read', { timeoutMs: 1000 });
    await s.run(1100);
    expect(call.settled[0]?.result).toMatchObject({
      isError: true,
      meta: { a2c_timeout: true, a2c_outcome: 'unknown', a2c_phase: 'running' },
      structuredContent: { error: { code: 4004 } },
    });
  },
);

scenario(
  'the same req_id twice in flight: the second is answered 409, the first as usual',
  { servers: slow },
  async (s) => {
    await everybody(s);
    const first = s.agentCall('read', { reqId: 'same' });
    s.directory.listen('host:second', (event) => seen.push(event));
    const seen: unknown[] = [];
    s.order('agent', {
      type: 'agent.call',
      ticket: 'other',
      reqId: 'same',
      computer: 'c1',
      tool: 'read',
      params: {},
      timeoutMs: 1000,
      replyTo: 'host:second',
    });
    await s.run(50);
    expect(seen).toMatchObject([{ end: 'failed', result: { structuredContent: { error: { code: 409 } } } }]);
    await s.run(1000);
    expect(first.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario('the computer leaves in mid-call: the agent is answered at once', { servers: slow }, async (s) => {
  await everybody(s);
  const call = s.agentCall('read');
  await s.run(50);
  s.network.faults.dropLink('c1');
  await s.run(10);
  expect(call.settled).toHaveLength(1);
  expect(s.heard('agent', 'computer.left')).toHaveLength(1);
  await s.run(5000);
  expect(s.heard('agent', 'computer.entered')).toHaveLength(1);
  expect(toolsSeen(s).at(-1)).toEqual(['read']);
});

scenario(
  'a computer whose link drops cancels the calls of the agent; their results go nowhere',
  { servers: slow },
  async (s) => {
    await everybody(s);
    s.agentCall('read');
    await s.run(50);
    s.network.faults.dropLink('c1');
    await s.run(1);
    expect(s.servers.heard).toContain('cancelled tools/call at fs');
  },
);

scenario(
  'the agent loses its link in mid-call: the call ends as unknown, calls meanwhile are refused',
  { servers: slow },
  async (s) => {
    await everybody(s);
    const call = s.agentCall('read');
    await s.run(50);
    s.network.faults.dropLink('a1');
    await s.run(5);
    expect(call.settled[0]).toMatchObject({ outcome: 'unknown', failure: { code: 'LinkLost' } });
    const meanwhile = s.agentCall('read');
    expect(meanwhile.settled[0]).toMatchObject({ outcome: 'failed', failure: { code: 'LinkLost' } });
    await s.run(5000);
    expect(toolsSeen(s).at(-1)).toEqual(['read']);
    const after = s.agentCall('read');
    await s.run(1000);
    expect(after.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario('the office is not there yet: both keep trying and meet when it comes', { servers }, async (s) => {
  s.computer({ linked: true });
  s.agent();
  await s.run(3000);
  expect(s.heard('agent', 'link.changed').at(-1)?.stage).toBe('waiting');
  await s.office();
  await s.run(3000);
  expect(toolsSeen(s).at(-1)).toEqual(['read']);
});

scenario(
  'a seat that is taken is refused by name, and tried again until it is free',
  { servers },
  async (s) => {
    await everybody(s);
    s.agent({ name: 'a2', as: 'agent2' });
    await s.run(100);
    const refused = s.heard('agent2', 'link.changed').at(-1);
    expect(refused).toMatchObject({ stage: 'waiting', refusal: 'seat' });
    expect(refused?.reason).toContain('a1');
    s.close('agent');
    await s.run(3000);
    expect(s.heard('agent2', 'link.changed').at(-1)?.stage).toBe('joined');
  },
);

scenario(
  'a close ends a link that connects, joins, waits or leaves',
  { servers: {}, timing: { linkMs: 500 } },
  async (s) => {
    s.computer({ linked: true });
    await s.run(1);
    s.close('computer');
    await s.run(100);
    expect(s.directory.find('computer')).toBeUndefined();
  },
);

scenario(
  'an office that never answers is given up after the time-out',
  {
    servers: {},
    mend: (ports) => ({ ...ports, link: () => ({ tell() {}, close() {} }) }),
  },
  async (s) => {
    s.computer({ linked: true });
    await s.run(10_000);
    expect(s.heard('computer', 'link.changed').at(-1)).toMatchObject({
      stage: 'waiting',
      reason: 'no connection in time',
    });
  },
);

scenario('an office whose port is taken says so and ends', { servers: {} }, async (s) => {
  await s.office();
  await s.office({ as: 'other' });
  await s.run(10);
  expect(s.heard('other', 'office.failed')).toHaveLength(1);
  expect(s.directory.find('other')).toBeUndefined();
});

scenario('the office closes: both sides hear it, nothing is left there', { servers: slow }, async (s) => {
  await everybody(s);
  const call = s.agentCall('read');
  await s.run(10);
  s.close('office');
  await s.run(100);
  expect(call.settled).toHaveLength(1);
  expect(s.directory.find('office')).toBeUndefined();
});
