/** Each is named with its URI, the broken rule or field, and the offending value. */
import { expect } from 'vitest';
import { document as following, follow, meet, questions, type Answer } from '../../stage/following.ts';
import { scenario } from '../../stage/plan/index.ts';
import { toolsOnly, type Script } from '../../stage/scripted/script.ts';
import { planOf } from '../../stage/server-plan.ts';
import { answers, ask, document, given, read, reads, showing, shown, windows } from '../../stage/showing.ts';
import { after, everybody } from '../../stage/watching.ts';

const good = 'dpe://h/good';
const metadata = document(good, '2026-01-01T00:00:00Z');
const catalogue = {
  documents: [metadata, { ...metadata, uri: 'dpe://h/bad', title: 7, page_count: 'many' }, null],
  total_count: 3,
};
const texts: Readonly<Record<string, object>> = {
  [good]: metadata,
  'dpe://h/half': { ...metadata, title: undefined, file_type: 1 },
  'dpe://host': catalogue,
};
const reading = (...uris: string[]): Script =>
  showing(uris, (uri) => given(uri, { text: JSON.stringify(texts[uri]) }));

const faulty = {
  servers: {
    w: windows('window://a/1', 'window://a/2?priority=101', 'window:///3', 'note://a/4'),
    d: reading(good, 'dpe://h/half', 'dpe://h/x/pages/none'),
    c: reading('dpe://host'),
  },
};
scenario('an entry that breaks a rule spoils itself only, and is named with the rule', faulty, async (s) => {
  await everybody(s, 2_100);
  ask(s, 'desktop', {}, 't1');
  await s.run(100);
  expect(shown(s).body.desktops).toEqual(['window://a/1\n\nshown at window://a/1']);
  expect(shown(s).missing).toEqual([
    { server: 'w', uri: 'window://a/2?priority=101', reason: expect.stringContaining('priority') },
    { server: 'w', uri: 'window:///3', reason: expect.stringContaining('host') },
  ]);
  ask(s, 'finder', {}, 't2');
  await s.run(100);
  expect(shown(s).body.documents.map(({ uri }) => uri)).toEqual([good, good]);
  const named = (server: string, uri: string | undefined, ...says: readonly string[]): object => ({
    server,
    ...(uri !== undefined && { uri }),
    reason: expect.stringMatching(says.join('.*')),
  });
  const missing = [
    named(
      'd',
      'dpe://h/half',
      'file_type: .*expected string, received number',
      'title: .*received undefined',
    ),
    named('c', 'dpe://h/bad', 'documents.1 ', 'title: .*received number', 'page_count: .*received string'),
    named('c', undefined, 'documents.2 '),
    named('d', 'dpe://h/x/pages/none', 'pages'),
  ];
  expect(shown(s).missing).toHaveLength(missing.length);
  expect(shown(s).missing).toEqual(expect.arrayContaining(missing));
  const query = await after(s, 100, s.query('client:get_finder', { computer: 'c1' }));
  const { result } = query.settled[0] as unknown as { result: { missing: object[]; documents: object[] } };
  expect(result.documents).toHaveLength(2);
  expect(result.missing).toEqual(expect.arrayContaining(missing));
  // An invalid content is read again only when it could not be read completely.
  const before = reads(s);
  ask(s, 'finder', {}, 't3');
  await s.run(100);
  expect(reads(s) - before).toBeLessThanOrEqual(2);
});

const torn: Answer = ({ req_id, offset = 0, limit = 20 }, ack) => {
  const all = Array.from({ length: 150 }, (_, n) =>
    n % 50 === 7 ? { uri: `dpe://h/${n}`, server: 's' } : following(n),
  );
  ack({
    documents: all.slice(offset, offset + limit),
    total_count: 150,
    missing: [1, { server: 'q' }],
    req_id,
  });
};
scenario('bad entries of a foreign computer leave the rest of its Finder, in all pages', {}, async (s) => {
  const peer = await meet(s, 'finder', [torn, torn, torn], true);
  expect(questions(peer, 'finder').map(({ offset = 0 }) => offset)).toEqual([0, 100]);
  const { value } = s.heard('agent', 'view.collectionChanged').at(-1) as unknown as {
    value: { documents: object[]; total_count: number; left_out: number; missing: object[] };
  };
  expect(value.documents).toHaveLength(147);
  expect(value.total_count).toBe(150);
  expect(value.left_out).toBe(3);
  expect(value.missing).toMatchObject(
    [7, 57, 107].map((n) => ({
      server: 's',
      uri: `dpe://h/${n}`,
      reason: expect.stringContaining('title: '),
    })),
  );
});

scenario('a bad entry of a foreign Desktop leaves the rest', {}, async (s) => {
  const odd: Answer = ({ req_id }, ack) => ack({ desktops: ['window://h/1', 3, 'window://h/2'], req_id });
  await meet(s, 'desktop', [odd], true);
  expect(s.heard('agent', 'view.collectionChanged').at(-1)).toMatchObject({
    value: {
      desktops: ['window://h/1', 'window://h/2'],
      missing: [{ reason: expect.stringContaining('desktops.1 ') }],
    },
  });
  follow(s, 'desktop');
});

const silent: Script = {
  info: { capabilities: { ...toolsOnly, resources: { listChanged: true, subscribe: false } } },
};
const silently = { servers: { a: { ...windows('window://a/1', 'window://a/2', 'note://a/3'), ...silent } } };
scenario('a server whose windows are not shown is named, with the setting for it', silently, async (s) => {
  await s.up(2_000);
  ask(s, 'finder', {}, 't1');
  ask(s, 'desktop', {}, 't2');
  await s.run(100);
  expect(answers(s).map(({ missing }) => missing)).toEqual([
    [],
    [
      {
        server: 'a',
        reason: expect.stringMatching(/windows \(2\).*resources\.subscribe.*"participation": "resources"/),
      },
    ],
  ]);
  s.servers.announce('a', 'resources');
  await s.run(1_000);
  expect(s.heard('computer', 'aggregate.noticed')).toHaveLength(1);
  s.order('computer', {
    type: 'servers.set',
    servers: [{ ...planOf('a', {}, s.timing, true), participation: 'resources' }],
    shown: {},
  });
  await s.run(1_000);
  ask(s, 'desktop', {}, 't3');
  await s.run(100);
  expect(shown(s).body.desktops).toHaveLength(2);
  expect(shown(s).missing).toEqual([]);
});

const whole = "open '/srv/ann/q1.md' failed at 10.0.0.7:5432";
const hidden = "open '[path]' failed at [address]";
const uri = 'dpe://h/q1';
const saying = { servers: { d: showing([uri], () => ({ errors: whole, code: 4202, afterMs: 1 })) } };
scenario('addresses and paths go to the host, and to agents where a config says so', saying, async (s) => {
  await everybody(s, 2_100);
  const asAgent = async (): Promise<[string, string, string]> => {
    const finder = s.query('client:get_finder', { computer: 'c1' });
    const one = await after(s, 100, s.query('client:read_resource', { computer: 'c1', uri }));
    const { missing } = (finder.settled[0]?.result ?? {}) as { missing: { reason: string }[] };
    const { error } = (one.settled[0]?.result ?? {}) as {
      error: { message: string; remedy: string };
    };
    return [missing[0]?.reason ?? '', error.message, error.remedy];
  };
  const remedy = expect.stringContaining('how many');
  expect(await asAgent()).toEqual([hidden, hidden, remedy]);
  ask(s, 'finder', {}, 't1');
  read(s, 'finder', uri);
  await s.run(100);
  expect(shown(s).missing).toEqual([{ server: 'd', uri, reason: whole }]);
  expect(s.heard('computer', 'resource.read')).toMatchObject([{ failure: { message: whole } }]);
  s.order('computer', {
    type: 'servers.set',
    servers: [{ ...planOf('d', {}, s.timing, true), exposesAddresses: true }],
    shown: {},
  });
  await s.run(1_000);
  expect(await asAgent()).toEqual([whole, whole, remedy]);
});

const twin = (text: string): Script => showing(['window://h/a'], (at) => given(at, { text }));
const twins = { servers: { one: twin('of one'), two: twin('of two') } };
scenario('a read that names its server asks that one of two; another name has it not', twins, async (s) => {
  await everybody(s, 2_100);
  const texts: (string | number | undefined)[] = [];
  for (const server of ['one', 'two', 'three']) {
    const asked = s.query('client:read_resource', { computer: 'c1', uri: 'window://h/a', server });
    await s.run(100);
    const { contents, error } = (asked.settled[0]?.result ?? {}) as {
      contents?: { text: string }[];
      error?: { code: number };
    };
    texts.push(contents?.[0]?.text ?? error?.code);
  }
  expect(texts).toEqual(['of one', 'of two', 404]);
  const about = { collection: 'desktop', uri: 'window://h/a', server: 'two', reqId: 'r', ticket: 't' };
  s.order('computer', { type: 'resource.wanted', ...about, replyTo: 'host:computer' });
  await s.run(100);
  expect(s.heard('computer', 'resource.read')).toMatchObject([{ contents: [{ text: 'of two' }] }]);
});
