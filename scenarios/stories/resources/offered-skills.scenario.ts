/** Skills that servers offer as `skill://` resources. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { AskedCall, Harness } from '../../stage/harness.ts';
import { toolsOnly, type Act, type Script } from '../../stage/scripted/script.ts';
import { after } from '../../stage/watching.ts';

const entry = (name: string, body = 'How to.'): string =>
  `---\nname: ${name}\ndescription: about ${name}\n---\n${body}`;
const root = (uri: string, source: string, version?: string): object => ({
  uri,
  name: uri,
  _meta: { source, version },
});
const file = (uri: string): object => ({ uri, name: uri });

/** Skills of a server, which a scenario changes while it runs. */
class World {
  list: object[] = [];
  texts: Record<string, string | { readonly blob: string }> = {};
  /** Reaction to a read instead of the text. */
  fault: Act | null = null;
  listFault: Act | null = null;
  reads: string[] = [];

  /** Begins with these skills. */
  begin(...names: readonly string[]): void {
    [this.list, this.texts, this.reads] = [[], {}, []];
    [this.fault, this.listFault] = [null, null];
    for (const name of names) this.offer(name);
  }
  offer(name: string, text = entry(name), ...more: readonly string[]): void {
    this.list.push(root(`skill://h/${name}`, 'resources', '1'));
    this.file(`skill://h/${name}/SKILL.md`, text);
    for (const path of more) this.file(`skill://h/${name}/${path}`, `text of ${path}`);
  }
  file(uri: string, text: string | { readonly blob: string }): void {
    this.list.push(file(uri));
    this.texts[uri] = text;
  }
  read(uri: string): Act {
    this.reads.push(uri);
    if (this.fault) return this.fault;
    const text = this.texts[uri];
    if (text === undefined) return { errors: 'no such resource' };
    return { answers: { contents: [{ uri, ...(typeof text === 'string' ? { text } : text) }] } };
  }
}
const world = new World();
const offering = (more: Partial<Script> = {}): Script => ({
  info: { capabilities: { ...toolsOnly, resources: { listChanged: true, subscribe: true } } },
  methods: {
    'resources/list': () => world.listFault ?? { answers: { resources: world.list } },
    'resources/read': ({ arguments: { uri } }) => world.read(String(uri)),
  },
  ...more,
});

const offered = { servers: { s: offering() } };
const meet = async (s: Harness, ...names: readonly string[]): Promise<void> => {
  world.begin(...names);
  await s.office();
  s.computer({ linked: true, name: 'c1' });
  s.agent();
  s.order('agent', { type: 'agent.follow', collection: 'skills' });
};
const answer = ({ settled: [call] }: AskedCall): unknown => call?.result;
const list = (s: Harness): AskedCall => s.query('client:get_skills', { computer: 'c1' });
const read = (s: Harness, name: string, path?: string): AskedCall =>
  s.query('client:get_skill', { computer: 'c1', name, ...(path && { rel_path: path }) });
const namesIn = (asked: AskedCall): unknown =>
  (answer(asked) as { skills?: { name: string }[] } | undefined)?.skills?.map(({ name }) => name);
const names = async (s: Harness): Promise<unknown> => {
  const asked = await after(s, 50, list(s));
  return namesIn(asked);
};
const announced = (s: Harness): unknown[] =>
  s
    .heard('agent', 'view.collectionChanged')
    .filter(({ collection, failure }) => collection === 'skills' && !failure)
    .map(({ value }) => value?.skills?.map((skill: { name: string }) => skill.name));
const notices = (s: Harness): string[] => s.heard('computer', 'skills.noticed').map(({ text }) => text);
const change = (s: Harness): void => s.servers.announce('s', 'resources');

scenario('an agent lists the skills of servers and reads their files', offered, async (s) => {
  await meet(s, 'pdf');
  s.callPorts.skills.truth = { own: { 'SKILL.md': 'x' } };
  world.offer('word', entry('word', 'Body.'), 'scripts/a b.py', '.env');
  world.file('skill://h/word/scripts/c%20d.py', 'encoded');
  await s.run(1_000);
  const all = list(s);
  const asked = ['SKILL.md', 'scripts/a b.py', 'scripts/c d.py', 'gone.md', '.env', '../x'].map((path) =>
    read(s, 'mcp:s:word', path),
  );
  await s.run(100);
  expect(answer(all)).toMatchObject({
    skills: [
      { name: 'own', source: 'config' },
      { name: 'mcp:s:pdf', source: 'mcp:s', uri: 'skill://h/pdf', path: '', version: '1' },
      { name: 'mcp:s:word', description: 'about word' },
    ],
  });
  expect(asked.map(answer)).toMatchObject([
    {
      ...{ name: 'mcp:s:word', rel_path: 'SKILL.md', body: 'Body.' },
      a2c_files: ['scripts/a b.py', 'scripts/c d.py'],
    },
    { body: 'text of scripts/a b.py' },
    { body: 'encoded' },
    { code: 4017, details: { reason: 'not_found' } },
    { code: 4017, details: { reason: 'forbidden' } },
    { code: 4017, details: { reason: 'traversal' } },
  ]);
});

scenario('a file that is no text goes to its agent in parts, while there is room', offered, async (s) => {
  await meet(s, 'pdf');
  const base64 = Buffer.from([0xff, 0, 1, 2]).toString('base64');
  world.file('skill://h/pdf/a.bin', { blob: base64 });
  await s.run(1_000);
  const file = await after(s, 100, read(s, 'mcp:s:pdf', 'a.bin'));
  const { blob_handle: handle } = answer(file) as { blob_handle: string };
  expect(answer(file)).toMatchObject({ total_size: 4 });
  const part = s.query('client:get_blob', { computer: 'c1', blob_handle: handle, chunk_offset: 0 });
  await s.run(100);
  expect(answer(part)).toMatchObject({ blob: base64, eof: true });
  s.callPorts.blobs.fault = 'full';
  const full = await after(s, 100, read(s, 'mcp:s:pdf', 'a.bin'));
  expect(answer(full)).toMatchObject({ code: 4017, details: { reason: 'too_large' } });
});

const starting = { servers: { s: offering({ initialize: 500 }) } };
scenario('a question for skills waits for servers that start, and for their skills', starting, async (s) => {
  await meet(s, 'pdf');
  await s.run(20);
  const asked = await after(s, 1_000, [list(s), read(s, 'mcp:s:pdf')]);
  expect(namesIn(asked[0] as AskedCall)).toMatchObject(['mcp:s:pdf']);
  expect(answer(asked[1] as AskedCall)).toMatchObject({ body: 'How to.' });
});

scenario('a burst of changes is announced once; a server that goes takes its skills', offered, async (s) => {
  await meet(s, 'pdf');
  await s.run(3_000);
  expect(announced(s).at(-1)).toEqual(['mcp:s:pdf']);
  const before = announced(s).length;
  for (const name of ['word', 'mail', 'web']) {
    world.offer(name);
    change(s);
    await s.run(20);
  }
  await s.run(3_000);
  expect(announced(s).slice(before)).toEqual([['mcp:s:pdf', 'mcp:s:word', 'mcp:s:mail', 'mcp:s:web']]);
  s.order('computer', { type: 'server.stop', server: 's' });
  await s.run(3_000);
  const gone = read(s, 'mcp:s:pdf');
  expect(await names(s)).toEqual([]);
  expect(announced(s).at(-1)).toEqual([]);
  expect(answer(gone)).toMatchObject({ code: 4014 });
  s.order('computer', { type: 'server.start', server: 's' });
  await s.run(3_000);
  expect(announced(s).at(-1)).toEqual(['mcp:s:pdf', 'mcp:s:word', 'mcp:s:mail', 'mcp:s:web']);
});

scenario('an entry called changed is read again; one still in a new list is not', offered, async (s) => {
  await meet(s, 'pdf', 'word');
  await s.run(1_000);
  world.texts['skill://h/pdf/SKILL.md'] = entry('pdf').replace('about pdf', 'another');
  world.reads = [];
  s.servers.update('s', 'skill://h/pdf/SKILL.md');
  s.servers.update('s', 'skill://h/pdf/other.md');
  await s.run(1_000);
  world.offer('mail');
  change(s);
  await s.run(1_000);
  expect(world.reads).toEqual(['skill://h/pdf/SKILL.md', 'skill://h/mail/SKILL.md']);
  const all = await after(s, 50, list(s));
  expect(answer(all)).toMatchObject({ skills: [{ description: 'another' }, {}, {}] });
  s.servers.kill('s', { signal: 'SIGKILL' });
  await s.run(10_000);
  expect(world.reads).toHaveLength(5);
  expect(await names(s)).toEqual(['mcp:s:pdf', 'mcp:s:word', 'mcp:s:mail']);
});

scenario('what is no skill is left out, with a reason that is told once', offered, async (s) => {
  await meet(s, 'pdf');
  world.offer('plain', 'no frontmatter');
  world.offer('twin', entry('pdf'));
  world.list.push(root('skill://h/folder', 'mounted'), root('skill://h/zip', 'archive'));
  world.list.push(root('skill://h/empty', 'resources'), root('skill://h/pdf/inner', 'resources'));
  world.list.push({ uri: 'skill://h/unmarked/SKILL.md', name: 'x' });
  await s.run(1_000);
  change(s);
  await s.run(1_000);
  expect(await names(s)).toEqual(['mcp:s:pdf']);
  expect(notices(s)).toEqual([
    expect.stringMatching(/h\/folder is left out: it names a folder of this computer/),
    expect.stringMatching(/h\/zip is left out: its files would be loaded from another place/),
    expect.stringMatching(/h\/empty is left out: the server lists no SKILL.md of it/),
    expect.stringMatching(/h\/plain is left out: it has no name and description/),
    expect.stringMatching(/h\/twin is left out: 'mcp:s:pdf' is known already/),
  ]);
});

const short = { timing: { quietMs: 200, longestQuietMs: 2_000, aggregateMs: 4_000, readMs: 60_000 } };
const brief = { ...offered, ...short };
scenario('a server that gives no entry keeps questions no longer than their time', brief, async (s) => {
  await meet(s, 'pdf');
  world.fault = { never: true };
  await s.run(100);
  const waits = await after(s, 3_000, [list(s), read(s, 'mcp:s:pdf')]);
  expect(waits.map(({ settled }) => settled.length)).toEqual([0, 0]);
  await s.run(2_000);
  expect(waits.map(answer)).toMatchObject([{ skills: [] }, { code: 4014 }]);
  expect(notices(s)).toMatchObject([/its SKILL.md was not given in time/]);
  world.fault = { errors: 'broken' };
  s.servers.update('s', 'skill://h/pdf/SKILL.md');
  await s.run(100);
  expect(notices(s).at(-1)).toMatch('broken');
  world.fault = { answers: { contents: 'lies' } };
  s.servers.update('s', 'skill://h/pdf/SKILL.md');
  await s.run(100);
  expect(notices(s).at(-1)).toMatch('did not answer with contents');
  world.fault = null;
  s.servers.update('s', 'skill://h/pdf/SKILL.md');
  await s.run(1_000);
  expect(await names(s)).toEqual(['mcp:s:pdf']);
});

scenario('a file refused, hung at or lied about is refused, in words of our own', brief, async (s) => {
  await meet(s, 'pdf');
  await s.run(1_000);
  world.fault = { errors: '/home/me/pdf is broken' };
  const refused = await after(s, 50, read(s, 'mcp:s:pdf'));
  world.fault = { answers: { contents: 'lies' } };
  const lied = await after(s, 50, read(s, 'mcp:s:pdf'));
  expect([answer(refused), answer(lied)]).toMatchObject([{ code: 4017 }, { code: 4017 }]);
  expect(JSON.stringify(answer(refused))).not.toContain('/home/me');
  world.fault = { never: true };
  const hangs = await after(s, s.timing.aggregateMs + 100, read(s, 'mcp:s:pdf'));
  expect(answer(hangs)).toMatchObject({ code: 408 });
  const closed = await after(s, 50, read(s, 'mcp:s:pdf'));
  s.close('computer');
  await s.run(500);
  expect(closed.settled).toHaveLength(1);
});

scenario('a list that never comes keeps questions no longer than their time', brief, async (s) => {
  await meet(s, 'pdf');
  await s.run(1_000);
  world.listFault = { never: true };
  s.servers.kill('s', { signal: 'SIGKILL' });
  await s.run(5_000);
  const asked = await after(s, 3_000, list(s));
  expect(asked.settled).toEqual([]);
  await s.run(1_500);
  expect(namesIn(asked)).toEqual([]);
  world.listFault = null;
  await s.run(60_000);
  expect(await names(s)).toEqual(['mcp:s:pdf']);
});

scenario('a server whose skills cannot be opened has none until its next list', offered, async (s) => {
  await meet(s, 'pdf');
  await s.run(1_000);
  s.order('computer', { type: 'server.stop', server: 's' });
  await s.run(1_000);
  const input = { server: 's' };
  s.order('computer/skills', { type: 'open.refused', kind: 'offer', name: 'computer/skills/offer:s', input });
  await s.run(1_000);
  expect(await names(s)).toEqual([]);
  expect(announced(s).at(-1)).toEqual([]);
  expect(notices(s)).toMatchObject([/those of its last session are still ending/]);
  s.order('computer', { type: 'server.start', server: 's' });
  await s.run(1_000);
  expect(announced(s).at(-1)).toEqual(['mcp:s:pdf']);
});

const lingering = { servers: { s: offering({ ignores: ['stdin'] }) } };
scenario('a skill that is listed while the computer closes opens nothing any more', lingering, async (s) => {
  await meet(s);
  await s.run(1_000);
  s.close('computer');
  const entries = [{ uri: 'skill://h/pdf', name: 'pdf', meta: { source: 'resources' } }];
  const news = { server: 's', list: 'resources', entries, added: [], removed: [], changed: [], why: null };
  s.order('computer', { type: 'catalog.changed', ...news, isWithdrawn: false });
  await s.run(20_000);
  expect(s.heard('computer', 'skills.changed')).toEqual([]);
  expect(s.directory.find('computer')).toBeUndefined();
});
