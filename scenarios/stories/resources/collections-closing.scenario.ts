import { expect } from 'vitest';
import { broken } from '../../fixtures/altered.ts';
import { landing } from '../../stage/samples/uploads.ts';
import { scenario } from '../../stage/plan/index.ts';
import { answers, ask, read, reads, showing, windows } from '../../stage/showing.ts';

const hanging = showing(['window://a/1'], () => ({ never: true }));

scenario(
  'a Desktop that is closing refuses every question, reads nothing more, and ends after its grace',
  { servers: { a: { ...hanging, ignores: ['stdin'] } } },
  async (s) => {
    s.computer();
    await s.run(2_000);
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
  },
);

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
      s.computer();
      await s.run(2_000);
      if (askFirst) ask(s, 'desktop');
      if (askFirst) read(s, 'desktop', 'window://a/1');
      await s.run(10);
      for (const _ of ['works', 'throws']) s.order('computer', { type: 'landing.set', landing });
      await s.run(1);
      expect(s.directory.size).toBe(0);
      expect(s.servers.alive).toBe(0);
    },
  );
