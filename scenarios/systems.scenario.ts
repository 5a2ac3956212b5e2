/** What the Desktop and the Finder of a computer show of its servers. */
import { expect } from 'vitest';
import { onStage } from './scenario.ts';
import { toolsOnly, type Act, type Script } from './scripted/script.ts';
import type { Stage } from './stage.ts';
import { announcedBy, until } from './watching.ts';

const offers = { ...toolsOnly, resources: { listChanged: true, subscribe: true } };
/** A server with resources, and what a read of one gives. */
type Reply = Exclude<Act, (...args: never) => unknown>;
const showing = (uris: readonly string[], read: (uri: string) => Reply): Script => ({
  info: { offers },
  resources: uris.map((uri) => ({ uri, name: uri })),
  methods: { 'resources/read': ({ arguments: { uri } }) => read(String(uri)) },
});
const windows = (...uris: string[]): Script =>
  showing(uris, (uri) => ({ answers: { contents: [{ uri, text: `shown at ${uri}` }] }, afterMs: 1 }));
const document = (uri: string, last_modified: string): object => ({
  ...{ doc_ref: uri, uri, file_uri: `file:///${uri}`, file_type: 'md', title: uri, page_count: 1 },
  last_modified,
});
const documents = (...uris: string[]): Script =>
  showing(uris, (uri) => ({
    answers: { contents: [{ uri, text: JSON.stringify(document(uri, '2026-01-01T00:00:00Z')) }] },
    afterMs: 1,
  }));

const replyTo = 'host:computer';
const ask = (s: Stage, system: 'desktop' | 'finder', query: object = {}, ticket = 't'): void =>
  s.order('computer', { type: 'aggregate.wanted', system, ticket, reqId: 'r', query, replyTo });
const read = (s: Stage, system: 'desktop' | 'finder', uri: string): void =>
  s.order('computer', { type: 'resource.wanted', system, ticket: 'r', reqId: 'r', uri, replyTo });
interface Shown {
  readonly body: {
    readonly desktops: string[];
    readonly documents: { uri: string }[];
    readonly total_count: number;
  };
  readonly missing: readonly { server: string; reason: string }[];
  readonly failure: { readonly message: string } | null;
}
const answers = (s: Stage): Shown[] => s.heard('computer', 'aggregate.shown') as unknown as Shown[];
const shown = (s: Stage): Shown => answers(s).at(-1) as Shown;
/** Questions that servers were asked. */
const reads = (s: Stage): number =>
  s.seen.filter(
    ({ record: r }) =>
      r.k === 'out' && r.port === 'ask' && (r.ev as { method?: string }).method === 'resources/read',
  ).length;
const changes = (s: Stage, system: string): number =>
  s.heard('computer', 'aggregate.changed').filter((news) => news['system'] === system).length;

onStage(
  'a Desktop has the windows of all servers that take part, and an unchanged one costs no server a question',
  { servers: { a: windows('window://a/1'), b: windows('window://b/1', 'window://b/2?priority=9'), c: {} } },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop');
    s.run(100);
    expect(shown(s)).toMatchObject({ missing: [], failure: null });
    expect(shown(s).body.desktops).toEqual([
      'window://a/1\n\nshown at window://a/1',
      'window://b/2?priority=9\n\nshown at window://b/2?priority=9',
      'window://b/1\n\nshown at window://b/1',
    ]);
    const asked = reads(s);
    ask(s, 'desktop', { desktop_size: 1 });
    s.run(100);
    expect([answers(s).length, shown(s).body.desktops.length, reads(s)]).toEqual([2, 1, asked]);
  },
);

onStage(
  'a Finder has the documents of all servers, and a server that lists its catalogue alone has what stands in it',
  {
    servers: {
      a: documents('dpe://a/1', 'dpe://a/2'),
      b: showing(['dpe://b'], (uri) => ({
        answers: {
          contents: [
            {
              uri,
              text: JSON.stringify({
                documents: [document('dpe://b/9', '2026-02-01T00:00:00Z')],
                total_count: 1,
              }),
            },
          ],
        },
        afterMs: 1,
      })),
    },
  },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'finder', { limit: 2 });
    s.run(100);
    expect([shown(s).body.documents.map(({ uri }) => uri), shown(s).body.total_count]).toEqual([
      ['dpe://a/1', 'dpe://a/2'],
      3,
    ]);
  },
);

onStage(
  'who is asked before any server shows something is told that there is nothing',
  { servers: { a: {} } },
  (s) => {
    s.computer();
    s.run(500);
    ask(s, 'desktop');
    ask(s, 'finder');
    s.run(10);
    expect(answers(s).map(({ body }) => body)).toEqual([{ desktops: [] }, { documents: [], total_count: 0 }]);
  },
);

onStage(
  'a server that does not answer costs its own windows, and the answer says so; it is asked again the next time',
  {
    servers: { a: windows('window://a/1'), hangs: showing(['window://h/1'], () => ({ never: true })) },
    timing: { shelfMs: 1_000 },
  },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop');
    s.run(999);
    expect(answers(s)).toEqual([]);
    s.run(10);
    expect(shown(s).body.desktops).toEqual(['window://a/1\n\nshown at window://a/1']);
    expect(shown(s).missing).toEqual([
      { server: 'hangs', reason: '1 of 1 could not be read within 1000 ms' },
    ]);
    const asked = reads(s);
    ask(s, 'desktop');
    s.run(1_100);
    expect([answers(s).length, reads(s)]).toEqual([2, asked + 1]);
  },
);

onStage(
  'a window that its server refuses is missing alone, and is tried again with the next question',
  {
    servers: {
      a: showing(['window://a/1', 'window://a/2'], (uri) =>
        uri.endsWith('1')
          ? { errors: 'not now', code: -32_000, afterMs: 1 }
          : { answers: { contents: [{ uri, text: 'x' }] }, afterMs: 1 },
      ),
    },
  },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop');
    s.run(50);
    expect(shown(s).body.desktops).toEqual(['window://a/2\n\nx']);
    expect(shown(s).missing).toMatchObject([{ server: 'a', reason: expect.stringContaining('not now') }]);
    const asked = reads(s);
    ask(s, 'desktop');
    s.run(50);
    expect([answers(s).length, reads(s)]).toEqual([2, asked + 1]);
  },
);

onStage(
  'a change is told at once, then at most once in each while, and what has changed is read anew; no other',
  { servers: { a: windows('window://a/1', 'window://a/2') }, timing: { coalesceMs: 200 } },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop');
    s.run(50);
    const [asked, told] = [reads(s), changes(s, 'desktop')];
    for (let n = 0; n < 5; n += 1) s.servers.update('a', 'window://a/1');
    s.run(1);
    expect(changes(s, 'desktop')).toBe(told + 1);
    s.servers.update('a', 'window://a/1');
    s.servers.update('a', 'note://a/1');
    s.run(500);
    expect([changes(s, 'desktop'), changes(s, 'finder')]).toEqual([told + 2, 0]);
    ask(s, 'desktop');
    s.run(50);
    expect([answers(s).length, reads(s)]).toEqual([2, asked + 1]);
  },
);

onStage(
  'the death of a server and its return are each told once, and its windows go and come back',
  { servers: { a: windows('window://a/1'), b: windows('window://b/1') } },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop');
    s.run(300);
    const told = changes(s, 'desktop');
    s.servers.kill('a', { code: 1 });
    until(s, () => changes(s, 'desktop') === told + 1);
    ask(s, 'desktop');
    s.run(10);
    expect(shown(s).body.desktops).toEqual(['window://b/1\n\nshown at window://b/1']);
    until(s, () => changes(s, 'desktop') === told + 2);
    ask(s, 'desktop');
    s.run(100);
    expect(shown(s).body.desktops).toHaveLength(2);
    s.run(5_000);
    expect(changes(s, 'desktop')).toBe(told + 2);
  },
);

onStage(
  'whoever asks while it is collected waits for what has changed by then, and everybody is answered',
  {
    servers: {
      a: showing(['window://a/1'], (uri) => ({ answers: { contents: [{ uri, text: 'x' }] }, afterMs: 100 })),
    },
  },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop', {}, 't1');
    s.run(50);
    s.servers.update('a', 'window://a/1');
    ask(s, 'desktop', {}, 't2');
    s.run(1_000);
    expect(s.heard('computer', 'aggregate.shown').map(({ ticket }) => ticket)).toEqual(['t1', 't2']);
  },
);

onStage(
  'a computer that closes tells whoever waits for its Desktop so, and whoever asks meanwhile',
  { servers: { a: showing(['window://a/1'], () => ({ never: true })) } },
  (s) => {
    s.computer();
    s.run(2_000);
    ask(s, 'desktop', {}, 't1');
    read(s, 'desktop', 'window://a/1');
    s.run(10);
    s.close('computer');
    ask(s, 'desktop', {}, 't2');
    read(s, 'finder', 'dpe://a/1');
    s.run(5_000);
    expect(answers(s).map(({ failure }) => failure?.message)).toEqual([
      'The computer is closing',
      'The computer is closing',
    ]);
    expect(s.heard('computer', 'resource.read')).toHaveLength(2);
  },
);

onStage(
  'a resource is read at the server that lists it; nobody lists it: 4201 or 404, and no server is asked',
  { servers: { a: documents('dpe://a/1'), b: windows('window://b/1') } },
  (s) => {
    s.computer();
    s.run(2_000);
    read(s, 'finder', 'dpe://a/1/pages/0');
    read(s, 'desktop', 'window://b/1');
    s.run(50);
    const asked = reads(s);
    read(s, 'finder', 'dpe://elsewhere/1');
    read(s, 'desktop', 'window://b/2');
    read(s, 'desktop', 'window://b/2?priority=900');
    s.run(50);
    expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([
      null,
      null,
      { code: 4201, details: { host: 'elsewhere' } },
      { code: 404 },
      expect.anything(),
    ]);
    expect(reads(s)).toBe(asked);
  },
);

onStage(
  'a read that a server refuses says why, and one that it never answers ends in its time',
  {
    servers: {
      a: showing(['dpe://a/1', 'dpe://a/2'], (uri) =>
        uri.includes('a/1') ? { errors: 'no such page', code: 4202, afterMs: 1 } : { never: true },
      ),
    },
    timing: { readMs: 700 },
  },
  (s) => {
    s.computer();
    s.run(2_000);
    read(s, 'finder', 'dpe://a/1/pages/7');
    s.run(50);
    read(s, 'finder', 'dpe://a/2/pages/1');
    s.run(700);
    expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([
      { code: 4202 },
      { code: 408 },
    ]);
  },
);

onStage(
  'an office hears of each change of Desktop and Finder while the computer sits in it',
  { servers: { a: windows('window://a/1'), b: documents('dpe://b/1') } },
  (s) => {
    s.office();
    s.computer({ linked: true });
    s.agent();
    s.run(3_000);
    const [desktop, finder] = ['server:update_desktop', 'server:update_finder'];
    const before = [announcedBy(s, desktop).length, announcedBy(s, finder).length];
    s.servers.update('a', 'window://a/1');
    s.servers.update('b', 'dpe://b/1/pages/3');
    s.run(1_000);
    const now = [announcedBy(s, desktop).length, announcedBy(s, finder).length];
    expect(now).toEqual(before.map((count) => count + 1));
  },
);
