import { expect } from 'vitest';
import { broken, eldest } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import type { StageOptions } from '../../stage/plan/plan.ts';
import { after, kept, order, stageOf } from '../../stage/watching.ts';

const tools = { read: { answers: { content: [] }, afterMs: 50 } };

const enters = { servers: { fs: { tools } }, kinds: broken('call', 'enter'), failing: '/call:' };
scenario('a call whose machine throws is answered by its will; its server lives on', enters, async (s) => {
  await s.up(100);
  const call = await after(s, 100, s.call('read'));
  expect(call.settled).toMatchObject([{ outcome: 'unknown', failure: { code: 'Crashed' } }]);
  expect(stageOf(s)).toBe('ready');
});

const undecided: readonly (readonly [phase: string, options: HarnessOptions])[] = [
  ['judging', { permission: () => new Promise(() => {}) }],
  ['confirming', { permission: () => 'ask', person: () => 'never' }],
];
for (const [phase, asking] of undecided) {
  scenario(
    `a client that throws while a call is ${phase}: the call has failed, and was never sent`,
    {
      servers: { fs: { tools } },
      kinds: broken('client', 'resetAttempts', eldest(1)),
      failing: 'client:fs',
      options: { fs: { isLazy: true, kept: kept('read') } },
      ...asking,
    },
    async (s) => {
      await s.up(100);
      const call = s.call('read');
      order(s, 'server.start');
      expect(call.settled).toMatchObject([{ outcome: 'failed', phase, failure: { code: 'Crashed' } }]);
    },
  );
}

const lasting = {
  servers: { fs: { tools, ignores: ['stdin', 'SIGTERM'] }, other: { tools: { write: tools.read } } },
  // `fs` is opened first, and only it is called.
  kinds: broken('client', 'countCall', eldest(1)),
  failing: 'client:fs',
} as const;
scenario('a client that throws: its calls are answered, it is opened again', lasting, async (s) => {
  await s.up(100);
  expect(s.servers.alive).toBe(2);
  expect(s.call('read').settled[0]).toMatchObject({
    outcome: 'failed',
    failure: { code: 'ServerNotActive' },
  });
  expect(s.servers.startsOf('fs')).toBe(2);
  await s.run(100);
  expect(stageOf(s)).toBe('ready');
  expect(stageOf(s, 'other')).toBe('ready');
  const call = await after(s, 100, s.call('read'));
  expect(call.settled[0]?.outcome).toBe('succeeded');
  expect(s.heard('computer', 'machine.failed')).toHaveLength(1);
});

const killed = {
  servers: { fs: { tools, ignores: ['stdin', 'SIGTERM'] } },
  kinds: broken('process', 'rememberPid', eldest(1)),
  failing: '/process',
} as const;
scenario('a process machine that throws: its child is killed, the client tries again', killed, async (s) => {
  await s.up(5000);
  expect(s.servers.startsOf('fs')).toBe(2);
  expect(s.servers.alive).toBe(1);
  expect(stageOf(s)).toBe('ready');
});

const plain = { servers: { fs: { tools } } };
scenario('a computer ended by force leaves no machine; who watched one hears so', plain, async (s) => {
  await s.up(100);
  s.call('read');
  const refs = [...s.directory.roots].map(({ ref }) => ref);
  const heard = new Set<unknown>();
  for (const ref of refs)
    ref.subscribe({ complete: () => void heard.add(ref), error: () => void heard.add(ref) });
  expect(refs.every((ref) => ref.getSnapshot().status === 'active')).toBe(true);
  s.directory.abandon('computer');
  await s.run(1);
  expect(refs.filter((ref) => ref.getSnapshot().status === 'active').map(({ id }) => id)).toEqual([]);
  expect(refs.filter((ref) => !heard.has(ref)).map(({ id }) => id)).toEqual([]);
});

const thrown: StageOptions = {
  servers: { bad: { tools }, fs: { tools } },
  failing: 'client:bad',
  mend: (ports) => ({
    ...ports,
    process: (at, input, emit) => {
      if (input.server === 'bad') throw new Error('no more handles');
      return ports.process(at, input, emit);
    },
  }),
};
scenario('an adapter that throws while it opens fails its own client only', thrown, async (s) => {
  await s.up(10_000);
  expect(stageOf(s)).toBe('ready');
  expect(stageOf(s, 'bad')).toBe('open');
});

const linkless = { kinds: broken('link', 'rememberFirst'), failing: '/link' };
scenario('an agent whose link fails opens it a few times, then ends and says why', linkless, async (s) => {
  await s.office();
  s.agent();
  await s.run(1000);
  expect(s.directory.find('agent')).toBeUndefined();
  expect(s.heard('agent', 'link.changed').at(-1)).toMatchObject({ stage: 'closed' });
});
