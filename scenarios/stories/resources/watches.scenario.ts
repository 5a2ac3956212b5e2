import { expect } from 'vitest';
import { broken } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { Act, Script } from '../../stage/scripted/script.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import { everything, stageOf } from '../../stage/watching.ts';

const server = (script: Script = {}): HarnessOptions => ({
  servers: { fs: { tools: { read: { answers: {} } }, info: { capabilities: everything }, ...script } },
});
const uriOf = (record: { readonly ev: object }): string =>
  (record.ev as { params?: { uri?: string } }).params?.uri ?? '';
/** `+a` subscribes, `-a` unsubscribes. */
const askedOf = (s: Harness): string[] =>
  s.seen.flatMap(({ record: r }) => {
    const method = r.k === 'out' && r.ev.type === 'ask' ? (r.ev as { method?: string }).method : undefined;
    if (method === 'resources/subscribe') return [`+${uriOf(r as never)}`];
    return method === 'resources/unsubscribe' ? [`-${uriOf(r as never)}`] : [];
  });
const watch = async (s: Harness, uris: readonly string[], ms = 1_000): Promise<void> => {
  s.order('computer', { type: 'resources.watch', server: 'fs', uris, by: 'host' });
  await s.run(ms);
};

scenario('what is watched is subscribed, and only the difference is asked for', server(), async (s) => {
  await s.up(1_000);
  await watch(s, ['u:a', 'u:b', 'u:a']);
  await watch(s, ['u:b', 'u:c']);
  await watch(s, ['u:b', 'u:c']);
  expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:c', '-u:a']);
  s.servers.update('fs', 'u:c');
  expect(s.heard('computer', 'resource.updated')).toMatchObject([{ server: 'fs', uri: 'u:c' }]);
});

scenario('what is watched early is subscribed in the first session and in each next', server(), async (s) => {
  s.computer();
  await watch(s, ['u:a']);
  expect(askedOf(s)).toEqual(['+u:a']);
  s.servers.kill('fs', { signal: 'SIGKILL' });
  await s.run(10_000);
  expect(askedOf(s)).toEqual(['+u:a', '+u:a']);
  expect(stageOf(s)).toBe('ready');
});

let refusals = 0;
const refusing: Act = () => {
  refusals += 1;
  return refusals === 1 ? { errors: 'no such resource' } : { answers: {} };
};
const refused = server({ methods: { 'resources/subscribe': refusing } });
scenario('a refused subscription costs no other, and is tried again when wanted', refused, async (s) => {
  refusals = 0;
  await s.up(1_000);
  await watch(s, ['u:a', 'u:b']);
  expect(askedOf(s)).toEqual(['+u:a', '+u:b']);
  await watch(s, ['u:a', 'u:b']);
  expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:a']);
});

scenario('a refused subscription is asked for again in the next session', refused, async (s) => {
  refusals = 0;
  await s.up(1_000);
  await watch(s, ['u:a']);
  expect(askedOf(s)).toEqual(['+u:a']);
  s.servers.kill('fs', { signal: 'SIGKILL' });
  await s.run(10_000);
  expect(askedOf(s)).toEqual(['+u:a', '+u:a']);
  s.servers.update('fs', 'u:a');
  expect(s.heard('computer', 'resource.updated')).toMatchObject([{ server: 'fs', uri: 'u:a' }]);
});

const mute = server({ methods: { 'resources/subscribe': { never: true } } });
scenario('a subscription never answered is given up in time, and the next is asked for', mute, async (s) => {
  await s.up(1_000);
  await watch(s, ['u:a', 'u:b'], s.timing.listMs + 1_000);
  expect(askedOf(s)).toEqual(['+u:a', '+u:b']);
  // The resource is dropped while its subscription is under way, so the answer to that request still comes.
  await watch(s, ['u:c'], 2 * s.timing.listMs + 1_000);
  expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:c']);
  expect(s.servers.heard.filter((line) => line.startsWith('cancelled'))).toHaveLength(3);
});

const wantsA = ({ wantedBy }: { readonly wantedBy: Readonly<Record<string, readonly string[]>> }): boolean =>
  wantedBy.host?.includes('u:a') === true;
const breaking = { ...server(), kinds: broken('watch', 'noteDone', wantsA), failing: '/watch' };
scenario('a watch whose machine broke is opened again with the next order', breaking, async (s) => {
  await s.up(1_000);
  await watch(s, ['u:a']);
  expect(stageOf(s)).toBe('ready');
  await watch(s, ['u:b']);
  expect(askedOf(s).slice(0, 2)).toEqual(['+u:a', '+u:b']);
});
