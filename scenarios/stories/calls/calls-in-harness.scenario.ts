/** Only the harness shows the inner steps of these calls. */
import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import type { HarnessOptions } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import { after, refusing, breaks, reaches, stageOf, hello } from '../../stage/watching.ts';

const slow = { tools: { read: { answers: hello, afterMs: 500 } } };
const slowly = { servers: { fs: slow } };

const dying = {
  servers: {
    fs: {
      tools: { read: { dies: { code: 3, stderr: 'Error: survived\nbye\n', recent: 'bye' } } },
      secrets: ['hunter2-hunter2'],
    },
    never: { crashes: { code: 3, stderr: 'Error: no key\nbye\n', recent: 'bye\n', afterMs: 1 } },
  },
};
scenario('a ready server died of what it wrote last; one never ready, of all it wrote', dying, async (s) => {
  await s.up(100);
  const call = await after(s, 50, s.call('read'));
  expect(call.settled[0]?.failure?.details).toMatchObject({ exit_code: 3, stderr: 'bye\n***' });
  const told = s
    .heard('computer', 'client.changed')
    .find((e) => e.server === 'never' && e.stage === 'waiting');
  expect(told?.failure).toMatchObject({ message: expect.stringContaining('no key') as string });
});

scenario('one ticket twice in flight: the second is refused, the first is answered', slowly, async (s) => {
  await s.up(100);
  const first = s.call('read');
  const answers: AnyEventObject[] = [];
  s.directory.listen('host:another', (event) => answers.push(event));
  const { ticket } = first;
  const call = {
    ticket,
    reqId: 'r1',
    agent: null,
    tool: 'read',
    params: {},
    timeoutMs: 0,
    isConfirmed: false,
  };
  s.order('computer', { type: 'call.request', ...call, replyTo: 'host:another' });
  expect(answers).toMatchObject([{ end: 'failed', failure: { code: 409 } }]);
  await s.run(600);
  expect(first.settled[0]?.outcome).toBe('succeeded');
});

const others = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`other${n}`, { tools: {} }]));
const manyServers = { servers: { fs: slow, ...others } };
scenario('a cancel costs the same with many servers; one of no call stays untold', manyServers, async (s) => {
  await s.up(5_000);
  const call = await after(s, 50, s.call('read'));
  let records = 0;
  s.directory.tap.add({ record: () => (records += 1) });
  call.cancel();
  expect(call.settled[0]).toMatchObject({ end: 'cancelled', outcome: 'unknown' });
  expect(records).toBeLessThan(30);
  records = 0;
  s.order('computer', { type: 'call.cancel', ticket: 'nobody', reason: 'asked' });
  expect(records).toBeLessThan(5);
});

scenario('calls in flight are cancelled with stdin open, before the server is closed', slowly, async (s) => {
  await s.up(100);
  const calls = [s.call('read'), s.call('read')];
  s.close();
  expect(calls.map((c) => c.settled[0]?.end)).toEqual(['cancelled', 'cancelled']);
  const sent = s.seen.flatMap(({ record: r }) => (r.k === 'out' ? [r.ev.type] : []));
  const ends = ['ask.withdraw', 'child.closeStdin'];
  expect(sent.filter((type) => ends.includes(type))).toEqual([ends[0], ...ends]);
  expect(s.servers.heard.filter((line) => line === 'cancelled tools/call at fs')).toHaveLength(2);
});

const limits: readonly (readonly [what: string, callTotalMs: number, timeoutMs: number, ends: object])[] = [
  ['that of its server, where that is shorter', 200, 500, { timeout: 200, which: 'total' }],
  ['that of its caller, where that is shorter', 500, 200, { timeout: 200, which: 'caller' }],
  ['that of its server, where its caller has none', 200, 0, { timeout: 200, which: 'total' }],
  ['that of its caller, where its server has none', 0, 200, { timeout: 200, which: 'caller' }],
];
for (const [what, callTotalMs, timeoutMs, details] of limits)
  scenario(
    `the time of a call is ${what}`,
    { servers: { fs: slow }, options: { fs: { callTotalMs } }, timing: { callIdleMs: 200 } },
    async (s) => {
      await s.up(100);
      const call = await after(s, 200, s.call('read', { timeoutMs }));
      expect(call.settled).toMatchObject([{ end: 'timedOut', failure: { details } }]);
    },
  );

const lost = { tools: { read: { answers: hello } }, ignores: ['stdin'] } as const;
const losing = { servers: { fs: lost } };
const confirming: HarnessOptions = {
  servers: { fs: lost },
  person: () => ({ says: 'allow', afterMs: 1_000 }),
};
scenario('a call after a loss outlives the news of it while a person is asked', confirming, async (s) => {
  s.computer();
  await reaches(s, 'ready');
  s.servers.breakStream('fs');
  const call = await after(s, 20_000, s.call('read'));
  expect(call.settled).toMatchObject([{ outcome: 'succeeded', result: hello }]);
});

scenario('a call that waits for a lost server fails where that has ended well', losing, async (s) => {
  s.computer();
  await reaches(s, 'ready');
  await breaks(s, 'disconnected');
  const call = await after(s, 0, s.call('read'));
  expect(call.settled).toEqual([]);
  s.servers.kill('fs', { code: 0 });
  await s.run(1_000);
  expect(call.settled).toMatchObject([{ outcome: 'failed', phase: 'queued' }]);
  expect(stageOf(s)).toBe('idle');
});

const long = { content: [{ type: 'text', text: 'x'.repeat(3_000) }] };
const unfinished: HarnessOptions = {
  servers: { fs: { tools: { good: { answers: long }, bad: { answers: { ...long, isError: true } } } } },
  options: { fs: { isRemote: true, resultBytes: 2_000 } },
  mend: refusing(({ target }) => target === 'finish', { code: 500, message: 'not today' }, false),
};
scenario(
  'a result that cannot be post-processed is given as it came, failed or not',
  unfinished,
  async (s) => {
    await s.up(100);
    const calls = await after(s, 100, [s.call('good'), s.call('bad')]);
    expect(calls.map(({ settled }) => settled.map(({ end }) => end))).toEqual([['succeeded'], ['failed']]);
    for (const { settled } of calls) {
      const text = JSON.stringify(settled[0]?.result);
      expect(settled[0]?.failure).toBeNull();
      expect(text).toContain('The result was not post-processed: that failed');
      expect(text.length).toBeLessThanOrEqual(2_000);
    }
  },
);
