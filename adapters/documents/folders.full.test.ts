import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import { jsonOf, withClient } from '../../scenarios/fixtures/documents-client.ts';
import { foldersOf } from './library.ts';

/** Tests of the document server as a process, with the client of the official SDK over stdio. */
let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'a2c-documents-folders-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const folder = async (path: string, files: Readonly<Record<string, string>> = {}): Promise<string> => {
  const full = join(root, path);
  await mkdir(full, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(full, name), text);
  return full;
};
const documentsOf = async (client: Client): Promise<string[]> =>
  (await client.listResources()).resources
    .map(({ uri }) => uri.replace('?format=markdown', ''))
    .filter((uri) => uri.startsWith('dpe:'))
    .toSorted();

describe('several folders', () => {
  it('have names of their own, whatever they are called', async () => {
    const paths = await Promise.all(['a/docs', 'b/docs', 'c/docs-2', 'd/docs'].map((path) => folder(path)));
    const names = (await foldersOf(paths)).map(({ name }) => name);
    expect(names).toEqual(['docs', 'docs-3', 'docs-2', 'docs-4']);
    expect((await foldersOf([...paths, paths[0] ?? ''])).length).toBe(4);
    expect(await foldersOf([paths[0] ?? ''])).toMatchObject([{ name: '' }]);
  });

  it('are served together, followed each, and nothing between them is', async () => {
    const [one, two] = [
      await folder('x/notes', { 'tea.md': '# Tea\n' }),
      await folder('y/notes', { 'tea.md': '# Green tea\n' }),
    ];
    await writeFile(join(root, 'x', 'secret.md'), '# Secret\n');
    await withClient([one, two], async (client, told) => {
      const [first, second] = ['dpe://documents/notes%2Ftea.md', 'dpe://documents/notes-2%2Ftea.md'];
      expect(await documentsOf(client)).toEqual([second, first].toSorted());
      expect(await jsonOf(client, first)).toMatchObject({ title: 'Tea' });
      expect(await jsonOf(client, second)).toMatchObject({ title: 'Green tea' });
      for (const ref of ['notes%2F..%2Fsecret.md', '..%2Fsecret.md', 'x%2Fsecret.md', 'secret.md'])
        await expect(jsonOf(client, `dpe://documents/${ref}`), ref).rejects.toMatchObject({ code: 4201 });
      await client.subscribeResource({ uri: second });
      await writeFile(join(two, 'tea.md'), '# Black tea\n');
      await told(second);
      expect(await jsonOf(client, second)).toMatchObject({ title: 'Black tea' });
      await writeFile(join(one, 'oak.md'), '# Oak\n');
      await told('list');
      expect(await documentsOf(client)).toContain('dpe://documents/notes%2Foak.md');
    });
  });
});

describe('a document', () => {
  it('has one name: other spellings of its path are no documents', async () => {
    const spelled = await folder('spelled/below', { 'a.md': '# A\n' });
    await withClient([join(spelled, '..')], async (client) => {
      for (const ref of ['below//a.md', './below/a.md', 'below/./a.md', '/below/a.md', 'below/a.md/'])
        await expect(jsonOf(client, `dpe://documents/${encodeURIComponent(ref)}`), ref).rejects.toMatchObject(
          { code: 4201 },
        );
      expect(await documentsOf(client)).toEqual(['dpe://documents/below%2Fa.md']);
    });
  });
});

describe('a large folder', () => {
  it('is listed as a catalogue, of which all is told, and is one again when it shrinks', async () => {
    const count = limits.listedDocuments + 1;
    const many = await folder(
      'many',
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}.md`, `# Note ${n}\n`])),
    );
    await withClient([many], async (client, told) => {
      expect(await documentsOf(client)).toEqual(['dpe://documents']);
      const catalogue = await jsonOf(client, 'dpe://documents');
      expect(catalogue['total_count']).toBe(count);
      const listed = catalogue['documents'] as { uri: string; title: string; page_count: number }[];
      expect(new Set(listed.map(({ uri }) => uri)).size).toBe(count);
      const uri = listed[0]?.uri ?? '';
      expect(await jsonOf(client, uri)).toMatchObject({
        page_count: 1,
        title: expect.stringMatching(/^Note/),
      });
      const again = (await jsonOf(client, 'dpe://documents'))['documents'] as typeof listed;
      expect(again.find((each) => each.uri === uri)).toMatchObject({
        page_count: 1,
        title: expect.stringMatching(/^Note/),
      });
      await rm(join(many, 'n0.md'));
      await told('list');
      expect((await documentsOf(client)).length).toBe(count - 1);
    });
  });
});

describe('a folder', () => {
  it('is seen when it is deleted and made again', async () => {
    const again = await folder('again', { 'a.md': '# A\n' });
    await withClient([again], async (client, told) => {
      await rm(again, { recursive: true });
      await told('list');
      expect(await documentsOf(client)).toEqual([]);
      await folder('again', { 'b.md': '# B\n' });
      await told('list');
      expect(await documentsOf(client)).toEqual(['dpe://documents/b.md']);
    });
  });
});

describe('ids of elements', () => {
  it('are the same after a restart, and after a change elsewhere in the document', async () => {
    const text = '# One\n\nfirst\n\n# Two\n\nsecond\n\n- a\n- b\n';
    const notes = await folder('ids', { 'a.md': text, 'b.csv': 'x,y\n1,2\n' });
    const idsOf = (): Promise<string[]> =>
      withClient([notes], async (client) => {
        const pages = ['a.md/pages/0', 'a.md/pages/1', 'b.csv/pages/0'];
        const read = await Promise.all(pages.map((page) => jsonOf(client, `dpe://documents/${page}`)));
        return read.flatMap(({ elements }) =>
          (elements as { element_id: string }[]).map(({ element_id }) => element_id),
        );
      });
    const before = await idsOf();
    expect(before.length).toBe(6);
    expect(await idsOf()).toEqual(before);
    await writeFile(join(notes, 'a.md'), text.replace('first', 'another'));
    const after = await idsOf();
    expect(after.map((id, at) => id === before[at])).toEqual([true, false, true, true, true, true]);
  });
});
