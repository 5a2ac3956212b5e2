import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textIn, type ReadDocument } from '../../machines/documents.ts';
import { Library, foldersOf } from './library.ts';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { limits } from '../../machines/document-files.ts';
import { jsonOf, withClient } from '../../scenarios/fixtures/documents-client.ts';
import { execFileSync } from 'node:child_process';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));
const expectedFile = fileURLToPath(new URL('../../scenarios/fixtures/corpus-expected.json', import.meta.url));
/** Tells whether to rewrite the expected file, by A2C_UPDATE_CORPUS=1; a person then compares it with the documents. */
const isUpdate = process.env['A2C_UPDATE_CORPUS'] === '1';

const digestOf = ({ title, summary, keywords, pageCount, pages }: ReadDocument): object => ({
  ...{ title, summary, keywords, pageCount },
  pages: Object.values(pages).map((page) => ({
    title: page.title,
    elements: page.elements.map(
      (element) => `${element.category}: ${textIn(element).replace(/\s+/g, ' ').slice(0, 200)}`,
    ),
  })),
});
const read = async (library: Library): Promise<Record<string, ReadDocument>> => {
  const refs = [...library.documents.keys()].toSorted();
  const documents = await Promise.all(refs.map((ref) => library.read(ref, { from: 0, to: Infinity })));
  return Object.fromEntries(refs.map((ref, at) => [ref, documents[at] as ReadDocument]));
};

let library: Library;
beforeAll(async () => {
  library = await Library.open([corpus], { isWatching: false, parserLimits: { growthBytes: Infinity } });
});
afterAll(() => library.close());

/** Number of documents of each type that LibreOffice wrote; files of libraries are more regular than those of people. */
const office = { xlsx: 2, docx: 2, pptx: 2, pdf: 2 };

describe('real documents, written by other programs', () => {
  it('have the pages, elements and texts that a person sees in them', async () => {
    const documents = await read(library);
    const seen = Object.fromEntries(Object.entries(documents).map(([ref, each]) => [ref, digestOf(each)]));
    if (isUpdate) await writeFile(expectedFile, `${JSON.stringify(seen, null, 2)}\n`);
    const expected = JSON.parse(await readFile(expectedFile, 'utf8')) as unknown;
    expect(JSON.parse(JSON.stringify(seen))).toEqual(expected);
    const types = Object.keys(seen).map((ref) => ref.replace(/^.*\./, ''));
    for (const type of ['md', 'txt', 'html', 'csv', 'json', 'xlsx', 'docx', 'pptx', 'pdf'])
      expect(types.filter((each) => each === type).length, type).toBeGreaterThanOrEqual(2);
    const ours = Object.keys(seen).filter((ref) => ref.startsWith('libreoffice/'));
    for (const [type, count] of Object.entries(office))
      expect(ours.filter((ref) => ref.endsWith(type)).length, type).toBe(count);
  });
});

const root = testFolder('documents-folders');
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

  it('of fifty thousand documents is listed in part, and searched before all is read', async () => {
    const count = 50_000;
    const huge = await folder('huge');
    const script = `for (let n = 0; n < ${count}; n += 1) fs.writeFileSync('n' + n + '.md', '# Note ' + n)`;
    execFileSync(process.execPath, ['-e', script], { cwd: huge });
    await withClient([huge], async (client) => {
      const ask = async (): Promise<string[]> => {
        const { content } = await client.callTool({ name: 'search', arguments: { query: 'note' } });
        return (content as { text: string }[]).map(({ text }) => text);
      };
      let [found = '', advice] = await ask();
      // On a slow machine the first answers come before ten documents are read.
      while (found.split('\n').length < 20) [found = '', advice] = await ask();
      // On a fast machine all are read by now.
      const part = `\\d+ of ${count} documents are searched so far; \\d+ are not read yet`;
      expect(advice).toMatch(new RegExp(`^(?:${part}|There are ${count} files)`));
      const { documents, ...told } = await jsonOf(client, 'dpe://documents');
      expect((documents as unknown[]).length).toBe(limits.catalogued);
      expect(told).toEqual({
        total_count: count,
        note: 'This list has the first 20000 documents; the tool search finds the others.',
      });
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

describe('the documents server', () => {
  it('completes names', async () => {
    await withClient([corpus], async (client) => {
      const uri = 'dpe://documents/{doc_ref}/elements/{element_id}{?format}';
      const values = async (name: string, value: string) =>
        (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
          .values;
      expect(await values('doc_ref', 'ch')).toEqual(['chapters.pdf']);
      expect(await values('page_index', '')).toEqual([]);
    });
  });

  it('tells 4201 to 4204 as codes of JSON-RPC, with details', async () => {
    const refused = [
      ['dpe://documents/none.md', 4201, { doc_ref: 'none.md' }],
      ['dpe://documents/review.pptx/pages/3', 4202, { page_index: 3, page_count: 3 }],
      ['dpe://documents/chapters.pdf/elements/p99-x', 4203, { element_id: 'p99-x' }],
      ['dpe://documents/review.pptx?limit=0', 4204, { rule: 'limit' }],
      ['window://documents/none', -32_602, {}],
    ] as const;
    await withClient([corpus], async (client) => {
      for (const [uri, code, data] of refused)
        await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code, data });
    });
  });

  it('finds words with their places', async () => {
    await withClient([corpus], async (client) => {
      const search = () => client.callTool({ name: 'search', arguments: { query: 'Treasure OAK' } });
      let found = (await search()).content as { text: string }[];
      // A first search answers from what is read until then, which depends on the machine.
      while (found.length > 1) found = (await search()).content as { text: string }[];
      expect(found[0]?.text).toMatch(/^chapters\.pdf {2}\(Nine chapters\)\n {2}page 6 \(Chapter 7\): /);
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
