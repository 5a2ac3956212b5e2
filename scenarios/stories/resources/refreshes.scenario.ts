/** Two failures change nothing, three in a row withdraw the entries, one success restores them. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { toolOf } from '../../stage/scripted/script.ts';
import type { Script } from '../../stage/scripted/script.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import {
  after,
  asksOf,
  catalogOf,
  counting,
  everybody,
  everything,
  hello,
  offeredBy,
  order,
  stageOf,
  toldOf,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };

/** Answers to successive list requests, `ok` for the first; each has another tool. */
const failing = (...fails: readonly number[]): Script => ({
  tools,
  listing: (n) =>
    fails.includes(n)
      ? { errors: 'no list today' }
      : { answers: { tools: [{ name: 'read', description: String(n), inputSchema: { type: 'object' } }] } },
});
const twice = { servers: { fs: failing(2, 3, 4, 5, 7, 8), other: { tools: { write: tools.read } } } };
scenario('two failed refreshes keep tools, a third takes them, a success brings them', twice, async (s) => {
  await everybody(s, 1_100);
  s.servers.announce('fs');
  await s.run(14_000);
  expect(asksOf(s, 'tools/list')).toHaveLength(3);
  expect(catalogOf(s)?.state).toBe('failing');
  expect(offeredBy(s)).toEqual(['read', 'write']);
  await s.run(2_000);
  expect(catalogOf(s)?.state).toBe('withdrawn');
  expect(offeredBy(s)).toEqual(['write']);
  expect(toldOf(s).at(-1)).toBe('-read');
  const [gone, there] = await after(s, 100, [s.call('read'), s.call('write')]);
  expect(gone.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'ServerNotActive' } }]);
  expect(there.settled).toMatchObject([{ outcome: 'succeeded' }]);
  const before = s.news.length;
  await s.run(20_000);
  expect(asksOf(s, 'tools/list')).toHaveLength(5);
  expect(catalogOf(s)?.state).toBe('withdrawn');
  expect(s.news.length).toEqual(before);
  await s.run(60_000);
  expect(asksOf(s, 'tools/list')).toHaveLength(6);
  expect(catalogOf(s)?.state).toBe('ready');
  expect(offeredBy(s)).toEqual(['read', 'write']);
  s.servers.announce('fs');
  await s.run(6_000);
  expect(asksOf(s, 'tools/list')).toHaveLength(8);
  expect(offeredBy(s)).toEqual(['read', 'write']);
});

/** The reason, or null when they were restored. */
const withdrawals = (s: Harness): unknown[] =>
  s.heard('computer', 'tools.withdrawn').map(({ failure }) => failure?.message ?? null);
const why = (reason: string): string => `Server 'fs': its tools were withdrawn: ${reason}`;
async function relisted(s: Harness, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    s.servers.announce('fs');
    await s.run(1000);
  }
}
async function called(s: Harness, tool: string): Promise<unknown[]> {
  const [own, theirs] = await after(s, 100, [s.call(tool), s.agentCall(tool)]);
  return [own.settled[0], theirs.settled[0]];
}

const noList: HarnessOptions = {
  servers: {
    fs: {
      tools,
      listing: (n) =>
        n >= 2 && n <= 5
          ? { errors: n < 5 ? 'no list today' : 'no list this year' }
          : { answers: { tools: n < 7 ? [toolOf('read')] : [] } },
    },
  },
};
scenario('a call of a tool that was withdrawn is told so, with the last reason', noList, async (s) => {
  await everybody(s, 1_100);
  await relisted(s, 3);
  expect(catalogOf(s)?.state).toBe('withdrawn');
  expect(stageOf(s)).toBe('ready');
  expect(await called(s, 'read')).toMatchObject([
    { failure: { code: 'ServerNotActive', message: why('no list today'), remedy: expect.any(String) } },
    { result: { isError: true, content: [{ text: why('no list today') }] } },
  ]);
  expect(withdrawals(s)).toEqual([why('no list today')]);
  expect((await called(s, 'find'))[0]).toMatchObject({
    failure: { code: 4001, details: { not_active: ['fs'] } },
  });
  await relisted(s, 1);
  expect(withdrawals(s)).toEqual([why('no list today'), why('no list this year')]);
  await relisted(s, 1);
  expect(withdrawals(s).slice(2)).toEqual([null]);
  expect(await called(s, 'read')).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'succeeded' }]);
  await relisted(s, 1);
  expect((await called(s, 'read'))[0]).toMatchObject({ failure: { code: 4001 } });
});

const emptied: HarnessOptions = {
  servers: {
    fs: {
      tools,
      listing: (n) =>
        [2, 3, 4, 6, 7, 8].includes(n)
          ? { errors: 'no list today' }
          : { answers: { tools: n === 5 ? [] : [toolOf('read')] } },
    },
  },
};
scenario('a list that is back, empty or in a new session, is withdrawn no more', emptied, async (s) => {
  await everybody(s, 1_100);
  await relisted(s, 4);
  expect(withdrawals(s)).toEqual([why('no list today'), null]);
  expect((await called(s, 'read'))[0]).toMatchObject({
    failure: { code: 4001, details: { tool_name: 'read' } },
  });
  await relisted(s, 3);
  expect(withdrawals(s).slice(2)).toEqual([why('no list today')]);
  order(s, 'server.stop');
  await s.run(1000);
  order(s, 'server.start');
  await s.run(1000);
  expect((await called(s, 'read'))[0]).toMatchObject({ outcome: 'succeeded' });
});

const unknown = { errors: 'Method not found', code: -32_601 } as const;
for (const [what, known] of [
  ['never knew', 0],
  ['knows no more', 1],
] as const)
  scenario(
    `a list whose method a server ${what} is none, is no failure, and is asked for no more`,
    {
      servers: {
        fs: {
          at: () => {
            const answer = counting((n) => (n > known ? unknown : { answers: { prompts: [{ name: 'p' }] } }));
            return { tools, info: { capabilities: everything }, methods: { 'prompts/list': answer } };
          },
        },
      },
      timing: { pollMs: 60_000, pollDeclaredMs: 60_000 },
    },
    async (s) => {
      await s.up(1000);
      for (let n = 0; n < 3; n += 1) {
        s.servers.announce('fs', 'prompts');
        await s.run(100_000);
      }
      expect(asksOf(s, 'prompts/list')).toHaveLength(known + 1);
      expect(catalogOf(s, 'fs', 'prompts')).toMatchObject({ state: 'standby', entries: 0, failures: 0 });
      expect(stageOf(s)).toBe('ready');
    },
  );
