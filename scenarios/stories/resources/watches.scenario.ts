import { expect } from 'vitest';
import { broken } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import type { Act, Script } from '../../stage/scripted/script.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import { asksOf, everything, stageOf } from '../../stage/watching.ts';

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
const watch = (s: Harness, ...uris: readonly string[]): void =>
  s.order('computer', { type: 'resources.watch', server: 'fs', uris, by: 'host' });

scenario(
  'resources that are watched are subscribed, and only the difference is asked for',
  server(),
  async (s) => {
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a', 'u:b', 'u:a');
    await s.run(1_000);
    watch(s, 'u:b', 'u:c');
    await s.run(1_000);
    watch(s, 'u:b', 'u:c');
    await s.run(1_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:c', '-u:a']);
    s.servers.update('fs', 'u:c');
    expect(s.heard('computer', 'resource.updated')).toMatchObject([{ server: 'fs', uri: 'u:c' }]);
  },
);

scenario(
  'what is watched before there is a session is subscribed with the first, and again in each that follows',
  server(),
  async (s) => {
    s.computer();
    watch(s, 'u:a');
    await s.run(1_000);
    expect(askedOf(s)).toEqual(['+u:a']);
    s.servers.kill('fs', { signal: 'SIGKILL' });
    await s.run(10_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:a']);
    expect(stageOf(s)).toBe('ready');
  },
);

let refusals = 0;
const refusing: Act = () => {
  refusals += 1;
  return refusals === 1 ? { errors: 'no such resource' } : { answers: {} };
};
scenario(
  'a subscription that is refused costs no other, and is tried again when it is wanted again',
  server({ methods: { 'resources/subscribe': refusing } }),
  async (s) => {
    refusals = 0;
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a', 'u:b');
    await s.run(1_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:b']);
    watch(s, 'u:a', 'u:b');
    await s.run(1_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:a']);
  },
);

scenario(
  'a subscription that was refused is asked for again in the next session of its server',
  server({ methods: { 'resources/subscribe': refusing } }),
  async (s) => {
    refusals = 0;
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a');
    await s.run(1_000);
    expect(askedOf(s)).toEqual(['+u:a']);
    s.servers.kill('fs', { signal: 'SIGKILL' });
    await s.run(10_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:a']);
    s.servers.update('fs', 'u:a');
    expect(s.heard('computer', 'resource.updated')).toMatchObject([{ server: 'fs', uri: 'u:a' }]);
  },
);

scenario(
  'a subscription that is never answered is given up after its limit, and the next one is asked for',
  server({ methods: { 'resources/subscribe': { never: true } } }),
  async (s) => {
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a', 'u:b');
    await s.run(s.timing.listMs + 1_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:b']);
    // The resource is dropped while its subscription is under way, so the answer to that request still comes.
    watch(s, 'u:c');
    await s.run(2 * s.timing.listMs + 1_000);
    expect(askedOf(s)).toEqual(['+u:a', '+u:b', '+u:c']);
    expect(s.servers.heard.filter((line) => line.startsWith('cancelled'))).toHaveLength(3);
  },
);

scenario(
  'a server without subscriptions is not asked, no matter who watches',
  server({ info: { capabilities: { ...everything, resources: { listChanged: true, subscribe: false } } } }),
  async (s) => {
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a');
    await s.run(1_000);
    expect(askedOf(s)).toEqual([]);
    expect(asksOf(s, 'resources/list')).toHaveLength(1);
  },
);

const wantsA = ({ wantedBy }: { readonly wantedBy: Readonly<Record<string, readonly string[]>> }): boolean =>
  wantedBy.host?.includes('u:a') === true;
scenario(
  'a watch whose machine broke is opened again with the next order, and its server serves on',
  {
    ...server(),
    kinds: broken('watch', 'noteDone', wantsA),
    failing: '/watch',
  },
  async (s) => {
    s.computer();
    await s.run(1_000);
    watch(s, 'u:a');
    await s.run(1_000);
    expect(stageOf(s)).toBe('ready');
    watch(s, 'u:b');
    await s.run(1_000);
    expect(askedOf(s).slice(0, 2)).toEqual(['+u:a', '+u:b']);
  },
);
