import type { BlobFacts } from '../../../machines/blobs/blobs.rules.ts';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SkillFolders } from '../../../adapters/files/skill-folders.ts';
import type { RequestPort } from '../../../machines/kernel/ports.ts';
import { skillsPort } from '../../../machines/ports/files.ts';
import type { SkillFileRead, SkillsListed } from '../../../machines/skills/skills.rules.ts';
import { ScriptedSkills, type SkillsTruth } from '../../stage/scripted/host-ports.ts';
import { factOf, resultOf, timers } from '../asking.ts';
import { closedAfter } from '../../fixtures/closed-after.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const root = testFolder('skills');
let count = 0;
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const folder = join(root, String((count += 1)));
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};
const skill = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: about ${name}\n---\n${body}`;

const factsOf = (mimeType: string, bytes: number): BlobFacts => ({ handle: 'h', mimeType, bytes });
const lend = async (_path: string, mimeType: string): Promise<BlobFacts> => factsOf(mimeType, 1);
const keep = async ({ length }: Uint8Array, mimeType: string): Promise<BlobFacts> =>
  factsOf(mimeType, length);
const foldersOf = async (given: readonly string[], changed = (): void => {}): Promise<SkillFolders> => {
  const folders = closedAfter(new SkillFolders({ changed, trouble: () => {}, lend, keep }));
  await folders.set(given);
  return folders;
};

describe('skill folders', () => {
  it.each([
    ['while they are opened', (folders: SkillFolders) => folders.close()],
    [
      'after they were given others meanwhile',
      async (folders: SkillFolders) => {
        await folders.set([folderWith({})]);
        await folders.close();
      },
    ],
  ])('hear of no change any more when they are closed %s', async (_, close) => {
    const folder = folderWith({ 'pdf/SKILL.md': skill('pdf') });
    let heard = 0;
    const folders = new SkillFolders({ changed: () => (heard += 1), trouble: () => {}, lend, keep });
    const opened = folders.set([folder]);
    await Promise.all([close(folders), opened]);
    const before = heard;
    // Opened later, so what it hears a watcher that was left behind has heard, too.
    let told = 0;
    await foldersOf([folder], () => (told += 1));
    await expect.poll(() => told, { timeout: 30_000 }).toBe(2);
    writeFileSync(join(folder, 'pdf', 'more.md'), 'More.');
    await expect.poll(() => told, { timeout: 30_000 }).toBe(3);
    expect(heard).toBe(before);
  });
  it('answer a question also when the disk fails while they read', async () => {
    const folder = folderWith({ 'pdf/SKILL.md': skill('pdf'), 'pdf/a.bin': '\u0000'.repeat(300_000) });
    const broken = () => Promise.reject(new Error('EIO: i/o error'));
    const folders = closedAfter(
      new SkillFolders({ changed: () => {}, trouble: () => {}, lend: broken, keep }),
    );
    await folders.set([folder]);
    const { skills } = await ask<SkillsListed>(folders.request, 'list');
    const wanted = { path: skills[0]?.path, relPath: 'a.bin', reader: 'r' };
    expect(await factOf(folders.request, skillsPort, 'read', wanted)).toMatchObject({
      type: 'ask.refused',
      failure: { code: 500, message: 'EIO: i/o error' },
    });
  });
});

const ask = <T>(port: RequestPort, method: string, params?: object): Promise<T> =>
  resultOf(port, skillsPort, method, params);
const list = (port: RequestPort): Promise<SkillsListed> => ask(port, 'list');
const read = async (port: RequestPort, name: string, relPath = 'SKILL.md'): Promise<SkillFileRead> => {
  const found = (await list(port)).skills.find((each) => each.name === name);
  return ask(port, 'read', { path: found?.path, relPath });
};

const truth: SkillsTruth = { pdf: { 'SKILL.md': 'Do it.', 'scripts/a.py': 'print(1)' } };
const worlds: readonly (readonly [string, () => Promise<RequestPort>])[] = [
  [
    'folders',
    async () =>
      (await foldersOf([folderWith({ 'pdf/SKILL.md': skill('pdf'), 'pdf/scripts/a.py': 'print(1)' })]))
        .request,
  ],
  [
    'the fake',
    async () => {
      const fake = new ScriptedSkills(timers, ({ base64, mimeType }, _reader, done) =>
        done(factsOf(mimeType, Buffer.from(base64, 'base64').length)),
      );
      fake.truth = truth;
      return fake.request;
    },
  ],
];
describe.each(worlds)('skill folders: %s', (_, world) => {
  it('list their skills', async () => {
    expect(await list(await world())).toMatchObject({
      skills: [{ name: 'pdf', source: 'config', description: 'about pdf' }],
      refused: [],
    });
  });
  it('give the texts of files, with their facts', async () => {
    const port = await world();
    expect(await read(port, 'pdf')).toMatchObject({
      kind: 'text',
      text: 'Do it.',
      bytes: 6,
      files: ['scripts/a.py'],
    });
    expect(await read(port, 'pdf', 'scripts/a.py')).not.toHaveProperty('files');
    expect(await read(port, 'pdf', 'scripts/a.py')).toMatchObject({ kind: 'text', text: 'print(1)' });
  });
  it('look at the entry and the files that a server gives', async () => {
    const port = await world();
    const about = { server: 's', bundle: 'b-1', uri: 'skill://h/pdf', version: '2' };
    const contents = [{ uri: 'skill://h/pdf/SKILL.md', text: skill('pdf') }];
    expect(await ask(port, 'entry', { ...about, contents })).toMatchObject({
      ref: {
        name: 'mcp:b-1:pdf',
        source: 'mcp:b-1',
        path: '',
        description: 'about pdf',
        uri: about.uri,
        version: '2',
      },
    });
    expect(await ask(port, 'entry', { ...about, contents: [{ uri: 'u', text: 'x' }] })).toMatchObject({
      refused: expect.stringContaining('skill://h/pdf is left out: ') as string,
    });
    expect(await ask(port, 'file', { relPath: 'SKILL.md', contents })).toMatchObject({ text: 'Do it.' });
    expect(await ask(port, 'file', { relPath: 'a.md', contents })).toMatchObject({ text: skill('pdf') });
  });
  it('give a file of a server that is no text in parts, and to nobody without a reader', async () => {
    const port = await world();
    const contents = [{ uri: 'skill://h/pdf/a.bin', blob: Buffer.from([0xff, 0, 1]).toString('base64') }];
    const file = { relPath: 'a.bin', contents };
    expect(await ask(port, 'file', { ...file, reader: 'r' })).toEqual({
      kind: 'blob',
      handle: 'h',
      mimeType: 'application/octet-stream',
      bytes: 3,
    });
    expect(await ask(port, 'file', file)).toMatchObject({ kind: 'refused', reason: 'too_large' });
  });
  it('refuse paths that lead out, and files that are not there', async () => {
    const port = await world();
    expect(await read(port, 'pdf', '../other')).toEqual({ kind: 'refused', reason: 'traversal' });
    expect(await read(port, 'pdf', 'none.md')).toEqual({ kind: 'refused', reason: 'not_found' });
  });
});

describe('real skill folders', () => {
  it('pass on what the frontmatter says, as the Python SDK reads it', async () => {
    const front = 'description: d\nlicense: MIT\nallowed-tools: read\ntags: [a, b]\nmetadata: {by: me, n: 1}';
    const { request } = await foldersOf([folderWith({ 'a/SKILL.md': `---\n${front}\n---\n` })]);
    const facts = { license: 'MIT', allowed_tools: ['read'], tags: ['a', 'b'] };
    expect((await list(request)).skills).toMatchObject([{ ...facts, skill_metadata: { by: 'me', n: 1 } }]);
  });

  it('say of each folder that is no skill why, and take the first of one name', async () => {
    const first = folderWith({
      'Bad_Name/SKILL.md': skill('x'),
      'silent/SKILL.md': 'no frontmatter',
      'broken/SKILL.md': '---\ndescription: [\n---\n',
      'both/SKILL.md': skill('both'),
      'plain/readme.md': 'no skill, and no notice',
      'deep/er/SKILL.md': skill('er'),
    });
    const second = folderWith({ 'both/SKILL.md': skill('both', 'other') });
    const { request } = await foldersOf([first, second]);
    const { skills, refused } = await list(request);
    expect(skills.map(({ path }) => path)).toEqual([join(first, 'both')]);
    expect(refused.map((text) => /(\w+) (?:is no skill|is left out)/.exec(text)?.[1])).toEqual([
      'Bad_Name',
      'broken',
      'silent',
      'both',
    ]);
  });

  it('give nothing outside of a skill, whatever the path says', async () => {
    const folder = folderWith({ 'a/SKILL.md': skill('a'), 'a/.skillenv': 'KEY=1', 'secret.txt': 'no' });
    symlinkSync(join(folder, 'secret.txt'), join(folder, 'a', 'link.txt'));
    symlinkSync(join(folder, 'a', '.skillenv'), join(folder, 'a', 'env.txt'));
    const { request } = await foldersOf([folder]);
    const reasons: unknown[] = [];
    for (const path of ['../secret.txt', '/etc/passwd', 'x\\..\\y', 'C:/x', 'link.txt', 'a/../../secret.txt'])
      reasons.push(await read(request, 'a', path));
    expect(reasons).toEqual(reasons.map(() => ({ kind: 'refused', reason: 'traversal' })));
    for (const path of ['.skillenv', 'no/.SKILLENV', 'env.txt'])
      expect(await read(request, 'a', path)).toEqual({ kind: 'refused', reason: 'forbidden' });
    expect(await ask(request, 'read', { path: folder, relPath: 'secret.txt' })).toMatchObject({
      reason: 'not_found',
    });
    expect(await read(request, 'a')).toMatchObject({ kind: 'text', files: [] });
  });
  it('do not name the files of a skill that has too many', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`many/${String(n).padStart(220, '0')}`, '']),
    );
    const { request } = await foldersOf([folderWith({ 'many/SKILL.md': skill('many'), ...many })]);
    const told = await read(request, 'many');
    expect([told.kind, 'files' in told]).toEqual(['text', false]);
  });

  it('refuse what is no text or too large, with its size', async () => {
    const folder = folderWith({ 'a/SKILL.md': skill('a'), 'a/large.txt': 'x'.repeat(300_000) });
    writeFileSync(join(folder, 'a', 'image.png'), Buffer.from([0xff, 0xfe, 0]));
    const { request } = await foldersOf([folder]);
    expect(await read(request, 'a', 'large.txt')).toMatchObject({ reason: 'too_large', bytes: 300_000 });
    expect(await read(request, 'a', 'image.png')).toMatchObject({ reason: 'too_large', bytes: 3 });
    const [found] = (await list(request)).skills;
    expect(await ask(request, 'read', { path: found?.path, relPath: 'image.png', reader: 'r' })).toEqual({
      ...{ kind: 'blob', handle: 'h', mimeType: 'image/png', bytes: 1 },
    });
  });

  it.each([
    ['without a name', [{ uri: 'u', text: '---\ndescription: d\n---\n' }], /no name and description/],
    [
      'with a name that is none',
      [{ uri: 'u', text: skill('No Name') }],
      /'mcp:b:No Name' is no name of a skill/,
    ],
    ['that is too large', [{ uri: 'u', text: skill('a', 'x'.repeat(300_000)) }], /no text of at most/],
    [
      'that is no text',
      [{ uri: 'u', blob: Buffer.from([0xff, 0xfe]).toString('base64') }],
      /no text of at most/,
    ],
  ])('refuse an entry of a server %s', async (_, contents, why) => {
    const { request } = await foldersOf([]);
    const about = { server: 's', bundle: 'b', uri: 'skill://h/a' };
    expect(await ask(request, 'entry', { ...about, contents })).toMatchObject({
      refused: expect.stringMatching(why) as string,
    });
  });
  it('read an entry that a server gives as bytes', async () => {
    const { request } = await foldersOf([]);
    const blob = Buffer.from(skill('a')).toString('base64');
    const about = { server: 's', bundle: 'b', uri: 'skill://h/a', contents: [{ uri: 'u', blob }] };
    expect(await ask(request, 'entry', about)).toMatchObject({ ref: { name: 'mcp:b:a' } });
  });

  it('tell of changes, of a folder that vanishes and of one that comes', async () => {
    const folder = folderWith({ 'a/SKILL.md': skill('a') });
    let heard = (): void => {};
    const change = (): Promise<void> => new Promise((resolve) => (heard = resolve));
    const [folders, begun] = [foldersOf([folder], () => heard()), change()];
    const { request } = await folders;
    // Told when the watch has begun; each later change is then heard by itself.
    await begun;
    const after = async (act: () => void, wanted: readonly string[]): Promise<void> => {
      let next = change();
      act();
      for (;;) {
        await next;
        next = change();
        const { skills } = await list(request);
        if (JSON.stringify(skills.map(({ name }) => name)) === JSON.stringify(wanted)) return;
      }
    };
    expect((await list(request)).skills).toHaveLength(1);
    const add = (): void => {
      mkdirSync(join(folder, 'b'));
      writeFileSync(join(folder, 'b', 'SKILL.md'), skill('b'));
    };
    await after(add, ['a', 'b']);
    await after(() => renameSync(folder, `${folder}.gone`), []);
    await after(() => renameSync(`${folder}.gone`, folder), ['a', 'b']);
  });
});
