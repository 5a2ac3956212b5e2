import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import { foldersOf } from './library.ts';

/** Tests of the document server as a process, with the client of the official SDK over stdio. */
const main = fileURLToPath(new URL('../../dist/adapters/documents/main.js', import.meta.url));
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
async function withClient<T>(
  folders: readonly string[],
  use: (client: Client, told: (uri: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const heard: string[] = [];
  const looks = new Set<() => void>();
  const hear = (what: string): void => {
    heard.push(what);
    for (const look of [...looks]) look();
  };
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => hear('list'));
  const told = (what: string): Promise<void> =>
    new Promise((done) => {
      const look = (): void => {
        const at = heard.indexOf(what);
        if (at < 0) return;
        heard.splice(at, 1);
        looks.delete(look);
        done();
      };
      looks.add(look);
      look();
    });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, ...folders] }));
  try {
    return await use(client, told);
  } finally {
    await client.close();
  }
}
const jsonOf = async (client: Client, uri: string): Promise<Record<string, unknown>> => {
  const { contents } = await client.readResource({ uri });
  return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
};
const documentsOf = async (client: Client): Promise<string[]> =>
  (await client.listResources()).resources
    .map(({ uri }) => uri)
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
      await client.subscribeResource({ uri: 'dpe://documents' });
      expect(await jsonOf(client, uri)).toMatchObject({
        page_count: 1,
        title: expect.stringMatching(/^Note/),
      });
      // The server announces the list again, because the document now has a title and pages.
      await told('dpe://documents');
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

describe('fifty thousand documents', () => {
  const count = 50_000;
  it('are listed in part, searched before all are read, and looked through again', async () => {
    const huge = await folder('huge');
    const script = `for (let n = 0; n < ${count}; n += 1) fs.writeFileSync('n' + n + '.md', '# Note ' + n)`;
    execFileSync(process.execPath, ['-e', script], { cwd: huge });
    await withClient([huge], async (client, heard) => {
      const ask = async () => {
        const asked = performance.now();
        const { structuredContent } = await client.callTool({ name: 'search', arguments: { query: 'note' } });
        expect(performance.now() - asked).toBeLessThan(20_000);
        return structuredContent as { documents_searched: number; documents: unknown[]; note: string };
      };
      let answer = await ask();
      // On a slow machine the first answer comes before the first document is read.
      while (answer.documents.length === 0) answer = await ask();
      expect(answer.documents_searched).toBeLessThan(count);
      expect(answer.documents.length).toBe(10);
      expect(answer.note).toMatch(
        new RegExp(
          `^\\d+ of ${count} documents are searched so far; \\d+ are not read yet, which takes about \\d+ (s|min)`,
        ),
      );
      const { documents, ...told } = await jsonOf(client, 'dpe://documents');
      expect((documents as unknown[]).length).toBe(limits.catalogued);
      expect(told).toEqual({
        total_count: count,
        note: 'This list has the first 20000 documents; the tool search finds the others.',
      });
      await client.subscribeResource({ uri: 'dpe://documents' });
      await rm(join(huge, 'n0.md'));
      // The search reads documents, which is announced in the same way.
      for (let total: unknown = count; total !== count - 1;) {
        await heard('dpe://documents');
        total = (await jsonOf(client, 'dpe://documents'))['total_count'];
      }
    });
  });
});

describe('a folder', () => {
  it('that is deleted and made again is seen', async () => {
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
