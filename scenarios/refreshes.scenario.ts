/** Refreshes that fail: twice is nothing, three times in a row takes the entries back, one success brings them. */
import { expect } from 'vitest';
import { onStage } from './scenario.ts';
import type { Script } from './scripted/servers.ts';
import {
  asksOf,
  catalogOf,
  client,
  counting,
  everybody,
  everything,
  hello,
  lastOf,
  offeredBy,
  toldOf,
} from './watching.ts';

const tools = { read: { answers: hello } };
const list = `${client}/catalog:tools`;

/** Answers as told for each question, `ok` at the first; each answer has another tool. */
const failing = (...fails: readonly number[]): Script => ({
  tools,
  listing: (n) =>
    fails.includes(n)
      ? { errors: 'no list today' }
      : { answers: { tools: [{ name: 'read', description: String(n), inputSchema: { type: 'object' } }] } },
});
onStage(
  'two refreshes that fail keep the tools, the third takes them back, a success brings them again (88, 89)',
  { servers: { fs: failing(2, 3, 4, 5, 7, 8), other: { tools: { write: tools.read } } } },
  (s) => {
    everybody(s);
    s.run(1000);
    s.servers.announce('fs');
    s.run(14_000);
    expect([asksOf(s, 'tools/list').length, s.state(list), offeredBy(s)]).toEqual([
      3,
      'failing',
      ['read', 'write'],
    ]);
    s.run(2_000);
    expect([s.state(list), offeredBy(s), toldOf(s).at(-1)]).toEqual(['withdrawn', ['write'], '-read']);
    expect(lastOf(s, 'read')?.why).toBe('3 refreshes in a row failed: no list today');
    const [gone, there] = [s.call('read'), s.call('write')];
    s.run(100);
    expect(gone.settled).toMatchObject([{ outcome: 'failed', failure: { code: 4001 } }]);
    expect(there.settled).toMatchObject([{ outcome: 'succeeded' }]);
    // The fourth failure is no news; the success after it is.
    const before = s.news.length;
    s.run(20_000);
    expect([asksOf(s, 'tools/list').length, s.state(list), s.news.length]).toEqual([5, 'withdrawn', before]);
    s.run(60_000);
    expect([asksOf(s, 'tools/list').length, s.state(list), offeredBy(s)]).toEqual([
      6,
      '{ready:steady}',
      ['read', 'write'],
    ]);
    expect(lastOf(s, 'read')?.why).toBe('its server answers again');
    s.servers.announce('fs');
    s.run(6_000);
    expect([asksOf(s, 'tools/list').length, offeredBy(s)]).toEqual([8, ['read', 'write']]);
  },
);

onStage(
  'one success between failures sets the count back: the tools stay (90)',
  { servers: { fs: failing(2, 3, 5, 6) } },
  (s) => {
    s.computer();
    s.run(1000);
    for (const n of [2, 3, 4, 5, 6, 7]) {
      s.servers.announce('fs');
      s.run(1000);
      expect([asksOf(s, 'tools/list').length, offeredBy(s)]).toEqual([n, ['read']]);
    }
  },
);

onStage(
  'a notice of a server whose tools were taken back is a reason to ask again (91)',
  { servers: { fs: failing(2, 3, 4) } },
  (s) => {
    s.computer();
    s.run(1000);
    for (let n = 0; n < 3; n += 1) {
      s.servers.announce('fs');
      s.run(1000);
    }
    expect([s.state(list), offeredBy(s), s.state(client)]).toEqual([
      'withdrawn',
      [],
      '{connected:{ready:steady}}',
    ]);
    s.servers.announce('fs');
    s.run(1000);
    expect(offeredBy(s)).toEqual(['read']);
  },
);

const unknown = { errors: 'Method not found', code: -32_601 } as const;
const prompts = `${client}/catalog:prompts`;
for (const [what, known] of [
  ['never knew', 0],
  ['knows no more', 1],
] as const)
  onStage(
    `a list whose method a server ${what} is none, is no failure, and is asked for no more (92)`,
    {
      servers: {
        fs: {
          at: () => {
            const answer = counting((n) => (n > known ? unknown : { answers: { prompts: [{ name: 'p' }] } }));
            return { tools, info: { offers: everything }, methods: { 'prompts/list': answer } };
          },
        },
      },
      timing: { pollMs: 60_000, pollDeclaredMs: 60_000 },
    },
    (s) => {
      s.computer();
      s.run(1000);
      for (let n = 0; n < 3; n += 1) {
        s.servers.announce('fs', 'prompts');
        s.run(100_000);
      }
      expect([asksOf(s, 'prompts/list').length, s.state(prompts)]).toEqual([known + 1, 'resting']);
      expect(catalogOf(s, 'fs', 'prompts')).toMatchObject({ entries: [], failures: 0 });
      expect(s.state(client)).toBe('{connected:{ready:steady}}');
    },
  );

onStage(
  'a server whose tools were taken back, taken out and put back begins without failures (93)',
  { servers: { fs: failing(2, 3, 4) } },
  (s) => {
    s.computer();
    s.run(1000);
    for (let n = 0; n < 3; n += 1) {
      s.servers.announce('fs');
      s.run(1000);
    }
    s.config({});
    s.run(1000);
    s.config({ fs: {} });
    s.run(1000);
    expect([catalogOf(s)?.failures, offeredBy(s)]).toEqual([0, ['read']]);
  },
);
