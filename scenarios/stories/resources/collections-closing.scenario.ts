/**
 * Scenarios of Desktop and Finder that end: told to close while they read, or because the machine of their computer
 * has failed.
 */
import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { broken } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import { answers, ask, read, reads, replyTo, showing, windows } from '../../stage/showing.ts';

const hanging = showing(['window://a/1'], () => ({ never: true }));
const wanted = (type: string, also: object): AnyEventObject => {
  const question = { type, collection: 'desktop', ticket: 'late', reqId: 'late', history: {}, replyTo };
  return { ...question, ...also };
};

scenario(
  'a Desktop that is closing refuses every question, reads nothing more, and ends after its grace',
  { servers: { a: hanging } },
  async (s) => {
    s.computer();
    await s.run(2_000);
    ask(s, 'desktop');
    await s.run(10);
    const asked = reads(s);
    s.order('computer/desktop', { type: 'close' });
    s.order('computer/desktop', wanted('aggregate.wanted', { query: {} }));
    s.order('computer/desktop', wanted('resource.wanted', { uri: 'window://a/1' }));
    s.servers.announce('a', 'resources');
    s.order('computer/desktop', {
      type: 'resources.listed',
      server: 'a',
      session: 'computer/client:a/session#1',
      resources: [{ uri: 'window://a/2' }],
      changed: [],
      isAwaited: false,
      failure: null,
    });
    s.order('computer/desktop', { type: 'resource.updated', server: 'a', uri: 'window://a/1' });
    s.order('computer/desktop', { type: 'resources.watched', server: 'a', unheard: [] });
    s.order('computer/desktop', { type: 'close' });
    await s.run(100);
    const refused = { message: 'The computer is closing' };
    expect(answers(s).map(({ failure }) => failure)).toMatchObject([refused, refused]);
    expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([refused]);
    expect(s.state('computer/desktop')).toBe('closing');
    await s.run(5_000);
    expect(s.state('computer/desktop')).toBeUndefined();
    expect(reads(s)).toEqual(asked);
  },
);

for (const [what, server, askFirst] of [
  ['has read nothing', windows('window://a/1'), false],
  ['is reading', hanging, true],
] as const)
  scenario(
    `a Desktop that ${what} when the machine of its computer fails ends with it`,
    { servers: { a: server }, kinds: broken('computer', 'noteApproved'), failing: 'computer' },
    async (s) => {
      s.computer();
      await s.run(2_000);
      if (askFirst) ask(s, 'desktop');
      if (askFirst) read(s, 'desktop', 'window://a/1');
      await s.run(10);
      s.order('computer', { type: 'tool.approved', server: 'a', tool: 'x' });
      await s.run(1);
      expect(s.directory.size).toBe(0);
      expect(s.servers.alive).toBe(0);
    },
  );
