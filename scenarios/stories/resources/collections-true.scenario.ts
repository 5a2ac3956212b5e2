/** Every update of a window or a document causes a refresh. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Script } from '../../stage/scripted/script.ts';
import {
  collected,
  changes,
  document,
  given,
  listing,
  now,
  reads,
  replyTo,
  saying,
  says,
  showing,
  shown,
  windows,
} from '../../stage/showing.ts';
import { asksOf, hello } from '../../stage/watching.ts';

const queried = { servers: { a: showing(['window://h/log?priority=90', 'window://h/other'], saying) } };
for (const [what, uri] of [
  ['without its query', 'window://h/log'],
  ['with another query', 'window://h/log?fullscreen=1'],
  ['with its host in capitals', 'WINDOW://H/log'],
  ['with letters of its path as escapes', 'window://h/l%6Fg'],
  ['by one of its parts', 'window://h/log/line/7'],
] as const)
  scenario(`a window with a query, told of ${what}, is told of and read again`, queried, async (s) => {
    says();
    await s.up(2_000);
    await collected(s, 'desktop', {}, 300);
    const [told, asked] = [changes(s, 'desktop'), reads(s)];
    now.text = 'after';
    s.servers.update('a', uri);
    await s.run(300);
    await collected(s, 'desktop', {}, 300);
    expect(changes(s, 'desktop')).toBe(told + 1);
    expect(reads(s)).toBe(asked + 1);
    expect(shown(s).body.desktops[0]).toBe('window://h/log?priority=90\n\nafter');
  });

const unlisted = {
  servers: {
    a: listing((uri) => given(uri, { text: JSON.stringify(document(uri, '2026-01-01')) })),
  },
};
for (const [collection, first, second] of [
  ['desktop', 'window://h/1', 'window://h/2'],
  ['finder', 'dpe://h/1', 'dpe://h/2'],
] as const)
  scenario(`a server that tells of what it has not listed: its ${collection} has it`, unlisted, async (s) => {
    says(first);
    await s.up(2_000);
    await collected(s, collection, {}, 300);
    const told = changes(s, collection);
    now.listed = [first, second];
    s.servers.update('a', `${second}/pages/0`);
    await s.run(1_000);
    expect(changes(s, collection)).toBe(told + 1);
    await collected(s, collection, {}, 300);
    expect(JSON.stringify(shown(s).body)).toContain(second);
  });

const alone = { servers: { a: windows('window://h/1') }, timing: { pollMs: 60_000 } };
scenario('a server that tells of what it never lists is asked ever more seldom', alone, async (s) => {
  await s.up(2_000);
  const before = asksOf(s, 'resources/list', 'a').length;
  for (let n = 0; n < 600; n += 1) {
    s.servers.update('a', `window://h/none${n % 5}`);
    await s.run(1_000);
  }
  // In ten minutes: frequent at first, then one a minute.
  const asked = asksOf(s, 'resources/list', 'a').length - before;
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(25);
});

const two = { servers: { a: windows('window://a/1'), b: windows('window://b/1') } };
scenario('a server that is back in a moment is told of, although it lists the same', two, async (s) => {
  await s.up(2_000);
  const told = changes(s, 'desktop');
  // The first change is announced at once, and the following ones together after a while.
  s.servers.update('b', 'window://b/1');
  await s.run(20);
  s.order('computer', { type: 'server.stop', server: 'a' });
  await s.run(20);
  s.order('computer', { type: 'server.start', server: 'a' });
  await s.run(2_000);
  expect(changes(s, 'desktop')).toBe(told + 2);
});

const withTool = (name: string): Script => ({
  ...windows(`window://${name}/1`),
  tools: { [`call_${name}`]: { answers: hello } },
});
const tooled = { servers: { a: withTool('a'), b: withTool('b') } };
scenario('calls refused without a server do not change the order of the windows', tooled, async (s) => {
  await s.up(2_000);
  const order = async (): Promise<string[]> => {
    await collected(s, 'desktop');
    return shown(s).body.desktops.map((window) => window.split('\n')[0] ?? '');
  };
  expect(await order()).toEqual(['window://a/1', 'window://b/1']);
  s.call('call_b');
  await s.run(100);
  expect(await order()).toEqual(['window://b/1', 'window://a/1']);
  const refused = { code: 409, message: 'A call is already in flight' };
  const request = { type: 'call.request', ticket: 'x', reqId: 'x', agent: 'a', tool: 'call_a', params: {} };
  const more = { timeoutMs: 1_000, isConfirmed: false, refused, replyTo };
  const calls = [s.call('nobody_has_this'), s.asked('computer', 'x', { ...request, ...more })];
  await s.run(100);
  expect(calls.map(({ settled }) => settled[0]?.failure?.code)).toEqual([4001, 409]);
  expect(await order()).toEqual(['window://b/1', 'window://a/1']);
});
