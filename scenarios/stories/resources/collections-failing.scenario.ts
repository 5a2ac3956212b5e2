import { expect } from 'vitest';
import { broken, eldest } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import { type Script } from '../../stage/scripted/script.ts';
import {
  answers,
  ask,
  collected,
  documents,
  given,
  read,
  showing,
  shown,
  windows,
  reads,
} from '../../stage/showing.ts';
import { landing } from '../../stage/samples/uploads.ts';

const refusing = {
  servers: {
    a: showing(['dpe://a/1', 'dpe://a/2'], (uri) =>
      uri.includes('a/1') ? { errors: 'no such page', code: 4202, afterMs: 1 } : { never: true },
    ),
  },
  timing: { readMs: 700 },
};
scenario('a read that is refused says why; one never answered ends in its time', refusing, async (s) => {
  await s.up(2_000);
  read(s, 'finder', 'dpe://a/1/pages/7');
  await s.run(50);
  read(s, 'finder', 'dpe://a/2/pages/1');
  await s.run(s.timing.readMs);
  expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([
    { code: 4202 },
    { code: 408 },
  ]);
});

let listed: readonly string[] = [];
const windowsOf = showing([], (uri) => given(uri, { text: uri }, 3_000));
const changing: Script = {
  ...windowsOf,
  methods: {
    ...windowsOf.methods,
    'resources/list': () => ({ answers: { resources: listed.map((uri) => ({ uri, name: uri })) } }),
  },
};
scenario('a list that changes while read is shown as it is then', { servers: { a: changing } }, async (s) => {
  listed = ['window://a/1', 'window://a/9'];
  await s.up(2_000);
  await collected(s, 'desktop', {}, 50);
  listed = ['window://a/2', 'window://a/9'];
  s.servers.announce('a', 'resources');
  s.servers.update('a', 'window://a/9');
  await s.run(7_000);
  expect(answers(s)).toHaveLength(1);
  await collected(s, 'desktop', {}, 3_500);
  expect(shown(s).body.desktops).toEqual(['window://a/2\n\nwindow://a/2', 'window://a/9\n\nwindow://a/9']);
});

interface Noted {
  readonly next?: Readonly<Record<string, unknown>>;
}
const first = eldest(1);
const breaking = {
  servers: { a: windows('window://a/1') },
  kinds: broken('desktop', 'take', (c, { next }: Noted) => next?.['numbered'] !== undefined && first(c)),
  failing: '/desktop',
};
scenario('a Desktop whose machine breaks opens again, and answers the next question', breaking, async (s) => {
  await s.up(2_000);
  ask(s, 'desktop', {}, 't1');
  await s.run(100);
  ask(s, 'desktop', {}, 't2');
  await s.run(100);
  expect(shown(s).body.desktops).toEqual(['window://a/1\n\nshown at window://a/1']);
});

const broke = { servers: { a: documents('dpe://a/1') }, kinds: broken('finder', 'take'), failing: '/finder' };
scenario('a Finder whose machine always breaks is given up; all questions say so', broke, async (s) => {
  await s.up(2_000);
  ask(s, 'finder');
  read(s, 'finder', 'dpe://a/1');
  await s.run(10);
  expect(shown(s).failure?.message).toContain('failed too often');
  expect(s.heard('computer', 'resource.read')).toMatchObject([{ failure: { code: 500 } }]);
  expect(s.heard('computer', 'machine.failed').length).toBeGreaterThan(0);
});

const isRead = (next: Noted['next'] = {}): boolean =>
  'reading' in next && !('queue' in next) && 'askers' in next;
let isFirst = true;
const losing = {
  servers: {
    a: showing(['window://a/1'], (uri) =>
      isFirst ? { errors: 'not yet', afterMs: 1 } : given(uri, { text: 'x' }),
    ),
    b: windows('window://b/1'),
  },
  kinds: broken('cache', 'take', ({ self }, { next }: Noted) => isRead(next) && self.includes(':a#1')),
  failing: '/cache:a',
};
scenario('a server cache that breaks costs its windows until the next question', losing, async (s) => {
  isFirst = true;
  await s.up(2_000);
  await collected(s, 'desktop');
  expect(shown(s).body.desktops).toEqual(['window://b/1\n\nshown at window://b/1']);
  expect(shown(s).missing).toMatchObject([{ server: 'a', reason: expect.stringContaining('bug in cache') }]);
  isFirst = false;
  await collected(s, 'desktop');
  expect(shown(s)).toMatchObject({ missing: [] });
  expect(shown(s).body.desktops).toHaveLength(2);
});

const hanging = showing(['window://a/1'], () => ({ never: true }));

const lingering = { servers: { a: { ...hanging, ignores: ['stdin'] } } } as const;
scenario('a Desktop that is closing refuses all, reads nothing, ends in its grace', lingering, async (s) => {
  await s.up(2_000);
  ask(s, 'desktop');
  read(s, 'desktop', 'window://a/1');
  await s.run(10);
  const asked = reads(s);
  s.close('computer');
  ask(s, 'desktop');
  read(s, 'desktop', 'window://a/1');
  s.servers.announce('a', 'resources');
  s.servers.update('a', 'window://a/1');
  await s.run(100);
  const refused = { message: expect.stringContaining('is closing') as string };
  expect(answers(s).map(({ failure }) => failure)).toMatchObject([refused, refused]);
  expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([
    refused,
    refused,
  ]);
  await s.run(5_000);
  expect(s.directory.size).toBe(0);
  expect(reads(s)).toEqual(asked);
});

for (const [what, server, askFirst] of [
  ['has read nothing', windows('window://a/1'), false],
  ['is reading', hanging, true],
] as const)
  scenario(
    `a Desktop that ${what} when the machine of its computer fails ends with it`,
    {
      servers: { a: server },
      kinds: broken('computer', 'take', (c: { landing: unknown }) => c.landing !== null),
      failing: 'computer',
    },
    async (s) => {
      await s.up(2_000);
      if (askFirst) ask(s, 'desktop');
      if (askFirst) read(s, 'desktop', 'window://a/1');
      await s.run(10);
      for (const _ of ['works', 'throws']) s.order('computer', { type: 'landing.set', landing });
      await s.run(1);
      expect(s.directory.size).toBe(0);
      expect(s.servers.alive).toBe(0);
    },
  );
