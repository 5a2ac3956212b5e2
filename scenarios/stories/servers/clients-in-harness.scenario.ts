/** Beyond faults of a server: ports that break, own lists, times to the millisecond. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { follow } from '../../stage/following.ts';
import { ask, windows } from '../../stage/showing.ts';
import {
  asksOf,
  computerStage,
  everything,
  offeredBy,
  seenOf,
  stageOf,
  stagesOf,
  stepOf,
} from '../../stage/watching.ts';

const tools = { read: { answers: { content: [] } } };

scenario(
  'a server that never answers initialize is ended and tried again; another server serves meanwhile',
  {
    servers: { mute: { initialize: 'never' }, fs: { tools } },
    timing: { connectMs: 30_000 },
  },
  async (s) => {
    s.computer();
    await s.run(s.timing.bootMs - 1000);
    expect(computerStage(s)).toBeUndefined();
    expect(s.call('read').settled).toHaveLength(0);
    await s.run(1000);
    expect(computerStage(s)).toBe('degraded');
    await s.run(s.timing.connectMs - s.timing.bootMs + 10);
    expect(stagesOf(s, 'mute')).toEqual(['connecting', 'recovering', 'waiting']);
    expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain(
      'initialize within 30000 ms',
    );
  },
);

scenario(
  'tools that change are fetched again; a burst of notices asks at most twice',
  {
    servers: { fs: { tools, listMs: 50, lists: (n) => (n === 1 ? ['read'] : ['read', `new${n}`]) } },
  },
  async (s) => {
    s.computer();
    await s.run(500);
    for (let i = 0; i < 20; i++) s.servers.announce('fs');
    await s.run(210);
    for (let i = 0; i < 20; i++) s.servers.announce('fs');
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
    await s.run(500);
    expect(s.heard('computer', 'tools.changed').at(-1)?.added).toEqual(['new3']);
    expect(asksOf(s, 'tools/list')).toHaveLength(3);
  },
);

scenario(
  'a refresh that is refused or never answered keeps the tools that are known',
  {
    servers: { fs: { tools } },
    timing: { listMs: 1000 },
    mend: (ports) => ({
      ...ports,
      request: (from, question, emit) => {
        if (question.method !== 'tools/list') return ports.request(from, question, emit);
        asked += 1;
        if (asked % 3 === 1) return ports.request(from, question, emit);
        if (asked % 3 === 2)
          emit({ type: 'ask.refused', id: question.id, sent: true, failure: { code: 4003, message: 'no' } });
        return () => {};
      },
    }),
  },
  async (s) => {
    const cancelled = (): number => seenOf(s).requests.get('notifications/cancelled') ?? 0;
    const asksAndTools = (): unknown[] => [asksOf(s, 'tools/list').length, cancelled(), offeredBy(s)];
    s.computer();
    await s.run(500);
    s.servers.announce('fs');
    await s.run(210);
    expect(stageOf(s)).toBe('ready');
    expect(asksAndTools()).toEqual([2, 0, ['read']]);
    s.servers.announce('fs');
    await s.run(s.timing.listMs - 1);
    expect(asksAndTools()).toEqual([3, 0, ['read']]);
    await s.run(10);
    expect(asksAndTools()).toEqual([3, 1, ['read']]);
    const call = s.call('read');
    expect(call.settled).toHaveLength(0);
    await s.run(10);
    expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
  },
);
let asked = 0;

for (const [at, state] of [
  [0, 'launching'],
  [2, 'handshaking'],
  [12, 'listing'],
  [40, 'ready'],
] as const)
  scenario(
    `a server that dies in ${state} is tried again, and it is said how it died`,
    { servers: { fs: { tools, initialize: 10, listMs: 10 } } },
    async (s) => {
      s.computer();
      await s.run(at);
      expect(stepOf(s)).toBe(state);
      s.servers.kill('fs', { code: 3, stderr: 'out of luck' });
      expect(s.heard('computer', 'client.changed').at(-1)?.failure).toMatchObject({
        message: "Server 'fs' ended with exit code 3; stderr: out of luck",
        details: { exit_code: 3, stderr: 'out of luck' },
      });
      await s.run(3000);
      expect(stageOf(s)).toBe('ready');
    },
  );

scenario(
  'a process that does not even show an exit after SIGKILL is given up, and its group is ended by force',
  {
    servers: { fs: { tools } },
    mend: (ports) => ({
      ...ports,
      process: (at, input, emit) => {
        const instance = ports.process(at, input, emit);
        return { tell() {}, close: () => instance.close() };
      },
    }),
  },
  async (s) => {
    s.computer();
    await s.run(100);
    s.close();
    await s.run(4600);
    expect(s.directory.find('computer')).toBeUndefined();
    expect(s.servers.alive).toBe(0);
  },
);

scenario('close while its process starts ends it', { servers: { fs: { tools, startMs: 50 } } }, async (s) => {
  s.computer();
  await s.run(10);
  s.close();
  await s.run(1000);
  expect(s.directory.size).toBe(0);
});

scenario(
  'a call that ends with its server counts no longer: the next stop waits for nothing',
  { servers: { fs: { tools: { read: { dies: { code: 1 }, afterMs: 100 } } } } },
  async (s) => {
    s.computer();
    await s.run(500);
    const call = s.call('read');
    await s.until(() => call.settled.length > 0 && stageOf(s) === 'ready', 60_000);
    s.order('computer', { type: 'server.stop', server: 'fs' });
    expect(await s.until(() => stageOf(s) === 'idle', s.timing.drainMs - 1)).toBe(true);
  },
);

scenario(
  'a server with windows and without tools shows them',
  {
    servers: {
      fs: {
        ...windows('window://h/1'),
        info: { capabilities: { ...everything, tools: null } },
      },
    },
  },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(1_000);
    expect(stageOf(s)).toBe('ready');
    expect(asksOf(s, 'resources/list')).toHaveLength(1);
  },
);

scenario(
  'the call of an agent that waits for a server never reaches it when its computer has left the office',
  { servers: { fs: { tools, startMs: 2_000 } } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(500);
    s.agentCall('read');
    await s.run(500);
    s.order('computer', { type: 'office.leave' });
    await s.run(10_000);
    expect(stageOf(s)).toBe('ready');
    expect(asksOf(s, 'tools/call')).toEqual([]);
  },
);

scenario(
  'what a computer shows that enters after the agent is followed on',
  { servers: { fs: windows('window://h/1') } },
  async (s) => {
    await s.office();
    s.agent();
    follow(s, 'desktop');
    await s.run(500);
    s.computer({ linked: true });
    await s.run(3_000);
    const heard = (): number => s.heard('agent', 'view.collectionChanged').length;
    const before = heard();
    s.servers.update('fs', 'window://h/1');
    await s.run(3_000);
    expect(heard()).toBe(before + 1);
  },
);
