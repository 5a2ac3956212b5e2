import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { utils, write } from '@e965/xlsx';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import type { Shared } from './sharing.ts';
import { openDocuments, createDocumentsServer } from './serve.ts';

/** Rows of links, pipes and modes, which tests on Windows do not have: links need a right there, and Wine 8 makes none. */
const isWindows = process.platform === 'win32';
const notOnWindows = <T>(...rows: readonly T[]): readonly T[] => (isWindows ? [] : rows);
const folder = testFolder('documents');
const root = join(folder, 'root');
let shared: Shared;
const client = new Client({ name: 'test', version: '1' });

const put = async (path: string, content: string | Buffer = ''): Promise<void> => {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, content);
};

/** Lines `财务报表：本年度收入与支出` in GBK. */
const chinese = (lines: number): Buffer =>
  Buffer.from('b2c6cef1b1a8b1eda3bab1bec4eab6c8cad5c8ebd3ebd6a7b3f60a'.repeat(lines), 'hex');

interface Told {
  readonly isError: boolean;
  readonly texts: readonly string[];
}
const ask = async (name: string, args: Record<string, unknown> = {}): Promise<Told> => {
  const answer = await client.callTool({ name, arguments: args });
  const content = answer.content as { text: string }[];
  return {
    isError: answer.isError === true,
    texts: content.map(({ text }) => text),
  };
};
const refusal = async (name: string, args: Record<string, unknown>): Promise<string> => {
  const { isError, texts } = await ask(name, args);
  return isError ? texts.join() : `no refusal: ${texts.join()}`;
};

beforeAll(async () => {
  await put('readme.md', '\uFEFF# Title\r\nsecond line\nlast needle');
  // Older than the others, which a search shows first.
  await utimes(join(root, 'readme.md'), 1, 1);
  await put('docs/a.md', 'Needle in a\nneedle again\n');
  await put('docs/deep/er/b.txt', 'nothing');
  await put('.env', 'needle=1');
  await put('.git/config', 'needle');
  await put('node_modules/x/index.js', 'needle');
  await put('dist/out.js', 'needle');
  await put('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  await put('data.bin', Buffer.from([0, 1, 2]));
  await put('latin.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  await put('empty.txt');
  await put('big.txt', Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}\n`).join(''));
  await put('wide.txt', `${'w'.repeat(limits.fileBytes + 10)}\nafter\n`);
  await writeFile(join(folder, 'secret.txt'), 'needle outside');
  await mkdir(join(folder, 'root-twin'));
  if (!isWindows) {
    await symlink(join(folder, 'secret.txt'), join(root, 'leak.txt'));
    await symlink(folder, join(root, 'up'));
    await symlink('../root-twin', join(root, 'twin'));
    await symlink('docs', join(root, 'inside'));
    await symlink('.', join(root, 'docs', 'self'));
    await symlink('loop', join(root, 'loop'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
  }

  const [here, there] = InMemoryTransport.createLinkedPair();
  shared = await openDocuments([root], 'documents', {
    isWatching: false,
    parserLimits: { growthBytes: Infinity },
  });
  await Promise.all([createDocumentsServer(shared).connect(there), client.connect(here)]);
});
afterAll(async () => {
  await client.close();
  await shared.close();
});

describe('the documents server', () => {
  it('offers tools that only read, with schemas for their arguments', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['list_files', 'read', 'search']);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(tool.title && tool.description && tool.inputSchema.type).toBe('object');
      expect(tool.inputSchema).toMatchObject({ additionalProperties: false });
    }
  });

  it('says which argument is wrong', async () => {
    expect(await refusal('read', { path: 'readme.md', offset: 3 })).toContain('offset');
    expect(await refusal('read', {})).toContain('name a file');
    expect(await refusal('search', { path: '.' })).toContain('query');
    await expect(ask('write_file', {})).rejects.toThrow('There is no tool write_file');
  });

  it('lists documents as their Markdown, and tells how to ask for other forms', async () => {
    const { resources } = await client.listResources();
    const listed = resources.find(({ name }) => name === 'docs/a.md');
    expect(listed).toMatchObject({ mimeType: 'text/markdown' });
    const { contents } = await client.readResource({ uri: listed?.uri ?? '' });
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: 'Needle in a\nneedle again' }]);
    const [told] = (await client.readResource({ uri: 'dpe://documents/docs%2Fa.md?depth=metadata' }))
      .contents;
    expect(JSON.parse((told as { text: string }).text)).toMatchObject({
      doc_ref: 'docs/a.md',
      page_count: 1,
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates[0]?.uriTemplate).toBe('dpe://documents/{doc_ref}{?format,depth,offset,limit}');
    expect(client.getInstructions()).toContain('format=markdown');
  });
});

describe('list_files', () => {
  const names = async (args: Record<string, unknown> = {}): Promise<readonly string[]> =>
    ((await ask('list_files', args)).texts[0] ?? '').split('\n').map((line) => line.split('  ')[0] ?? '');

  it('shows one level of what somebody wrote, links unfollowed', async () => {
    expect(await names()).toEqual([
      ...['big.txt', 'data.bin', 'docs/', 'empty.txt'],
      ...notOnWindows('inside -> (link)'),
      'latin.txt',
      ...notOnWindows('leak.txt -> (link)', 'loop -> (link)'),
      ...['picture.png', 'readme.md'],
      ...notOnWindows('twin -> (link)', 'up -> (link)'),
      'wide.txt',
    ]);
  });

  it('goes down with a pattern or a depth, and through a link that somebody names', async () => {
    expect(await names({ pattern: '*.{md,txt}', path: 'docs' })).toEqual(['docs/a.md', 'docs/deep/er/b.txt']);
    expect(await names({ pattern: 'deep/**', path: 'docs' })).toEqual([
      ...['docs/deep/', 'docs/deep/er/', 'docs/deep/er/b.txt'],
    ]);
    expect(await names({ path: 'docs', depth: 2 })).toEqual([
      'docs/a.md',
      'docs/deep/',
      ...notOnWindows('docs/self -> (link)'),
      'docs/deep/er/',
    ]);
    if (!isWindows) expect(await names({ path: 'inside/deep' })).toEqual(['inside/deep/er/']);
    expect(await names({ path: '.git' })).toEqual(['.git/config']);
    expect(await names({ path: 'docs', pattern: 'nope' })).toEqual(['nothing found']);
  });

  it('says when there is more', async () => {
    const { texts } = await ask('list_files', { limit: 2 });
    expect(texts).toEqual([
      expect.stringMatching(/^big\.txt {2}.*\ndata\.bin {2}.*$/),
      'Incomplete: there are more than 2. Name a smaller folder or a pattern.',
    ]);
  });

  it('tells of a file its size and when it changed', async () => {
    expect((await ask('list_files', { path: 'readme.md' })).texts).toEqual([
      'readme.md  35 bytes  1970-01-01T00:00:01Z',
    ]);
  });

  it.skipIf(isWindows)('says that a file or folder whose name is not UTF-8 cannot be read', async () => {
    const bytesOf = (name: string): Buffer => Buffer.from(join(root, name), 'latin1');
    await mkdir(bytesOf('odd\xff'));
    await writeFile(bytesOf('odd\xff.md'), 'x');
    await writeFile(join(root, 'odd\ufffd.txt'), 'read');
    const { texts } = await ask('list_files', { pattern: 'odd*', depth: 1 });
    expect((texts[0] ?? '').split('\n')).toEqual([
      'odd\ufffd  (its name is not UTF-8, so it cannot be read)',
      'odd\ufffd.md  (its name is not UTF-8, so it cannot be read)',
      expect.stringMatching(/^odd\ufffd\.txt {2}4 bytes/),
    ]);
    expect(await refusal('read', { path: 'odd\ufffd.md' })).toContain('is not UTF-8');
    expect((await ask('read', { path: 'odd\ufffd.txt' })).texts).toEqual(['read']);
    for (const name of ['odd\xff.md', 'odd\xff']) await rm(bytesOf(name), { recursive: true });
    await rm(join(root, 'odd\ufffd.txt'));
  });
});

describe('read', () => {
  const read = async (args: Record<string, unknown>): Promise<readonly string[]> =>
    (await ask('read', args)).texts;

  it('gives a whole file as it is, without its BOM', async () => {
    expect(await read({ path: './docs/../readme.md' })).toEqual(['# Title\r\nsecond line\nlast needle']);
  });

  it('gives lines, and says where to go on', async () => {
    expect(await read({ path: 'readme.md', from_line: 2, lines: 1 })).toEqual([
      'second line\n',
      '[Lines 2 to 2 of 3. It goes on: read from_line 3.]',
    ]);
    expect(await read({ path: 'readme.md', from_line: 3, lines: 9 })).toEqual([
      'last needle',
      '[Lines 3 to 3 of 3. It ends here.]',
    ]);
  });

  it('gives several files, and of those that it cannot read the reason', async () => {
    expect(await read({ paths: ['latin.txt', 'none.md', 'readme.md'], lines: 1 })).toEqual([
      ...['latin.txt:', 'café\n', '[Encoding: windows-1252.]', 'none.md:'],
      '"none.md" does not exist; list_files and search show what does',
      ...['readme.md:', '# Title\r\n', '[Lines 1 to 1 of 3. It goes on: read from_line 2.]'],
    ]);
  });

  it('gives images as images', async () => {
    const { content } = await client.callTool({ name: 'read', arguments: { path: 'picture.png' } });
    expect(content).toEqual([{ type: 'image', mimeType: 'image/png', data: 'iVBORwAAAQ==' }]);
  });

  it('gives Markdown of a document by pages, by a path or a URI, and says which page is next', async () => {
    const sheets = ['Costs', 'Plans', 'Empty'].map((name) => ({ name, rows: [['a', name]] }));
    const book = utils.book_new();
    for (const { name, rows } of sheets) utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
    await put('book.xlsx', Buffer.from(write(book, { type: 'array' }) as ArrayBuffer));
    const [page0, page1] = sheets.map(({ name }) => `## ${name}\n\n| a | ${name} |\n| --- | --- |`);
    expect(await read({ path: 'book.xlsx', pages: 2 })).toEqual([
      `${page0}\n\n---\n\n${page1}`,
      '[These are the pages 0 to 1 of 3, counted from 0. It goes on: read page 2.]',
    ]);
    expect(await read({ path: 'dpe://documents/book.xlsx/pages/1' })).toEqual([
      page1,
      '[This is page 1 of 3, counted from 0. It goes on: read page 2.]',
    ]);
    expect(await read({ path: 'book.xlsx', page: 1, from_line: 3, lines: 1 })).toEqual([
      `${page1?.split('\n')[2]}\n`,
      '[This is of page 1 of 3, counted from 0. Lines 3 to 3 of 4. It goes on: read page 1, from_line 4.]',
    ]);
    expect(await refusal('read', { path: 'book.xlsx', page: 3 })).toContain('there is no page 3');
    expect(await refusal('read', { path: 'dpe://elsewhere/x' })).toContain('dpe://documents');
    await rm(join(root, 'book.xlsx'));
  });

  it('reads HTML as Markdown, and lines of it as they are written', async () => {
    await put('page.html', '<h1>Tea</h1>\n<p>Boil <b>water</b>.');
    expect(await read({ path: 'page.html' })).toEqual(['# Tea\n\nBoil water.']);
    expect((await read({ path: 'page.html', from_line: 2 }))[0]).toBe('<p>Boil <b>water</b>.');
    await rm(join(root, 'page.html'));
  });

  it('reads an empty file and those that are not UTF-8', async () => {
    expect(await read({ path: 'empty.txt' })).toEqual(['', '[It is empty.]']);
    const texts = {
      'latin.txt': ['café\n', 'windows-1252'],
      'wide-chars.log': ['tea 茶\n', 'utf-16le'],
      'chinese.log': ['财务报表：本年度收入与支出\n', 'gb18030'],
    };
    await put('wide-chars.log', Buffer.from('\uFEFFtea 茶\n', 'utf16le'));
    await put('chinese.log', chinese(1));
    for (const [path, [text, encoding]] of Object.entries(texts))
      expect(await read({ path })).toEqual([text, `[Encoding: ${encoding}.]`]);
    expect((await ask('search', { query: '收入与', pattern: '*.log' })).texts).toEqual([
      'chinese.log\n  line 1: 财务报表：本年度收入与支出',
    ]);
    for (const path of ['wide-chars.log', 'chinese.log']) await rm(join(root, path));
  });

  it('knows the encoding of a large file by its beginning', async () => {
    await put('chinese.log', chinese(50_000));
    const [text] = await read({ path: 'chinese.log', from_line: 49_999, lines: 1 });
    expect(text).toBe('财务报表：本年度收入与支出\n');
    await rm(join(root, 'chinese.log'));
  });

  it('reads a large file in parts, which end with a line if they can', async () => {
    const [text = '', advice] = await read({ path: 'big.txt' });
    expect(text.length).toBeLessThanOrEqual(limits.readChars);
    const last = /line (\d+)\n$/.exec(text)?.[1];
    expect(advice).toBe(`[Lines 1 to ${last} of 200000. It goes on: read from_line ${Number(last) + 1}.]`);
    const more = await read({ path: 'big.txt', from_line: 1, lines: 1_000_000 });
    expect(more[0]?.length).toBeGreaterThan(limits.fileBytes - 20);
    expect(await read({ path: 'big.txt', from_line: 150_000, lines: 2 })).toEqual([
      'line 150000\nline 150001\n',
      '[Lines 150000 to 150001 of 200000. It goes on: read from_line 150002.]',
    ]);
    expect(await refusal('read', { path: 'big.txt', from_line: 200_001 })).toContain('has 200000 lines');
    expect((await read({ path: 'wide.txt' }))[1]).toBe(
      '[Lines 1 to 1 of 2. Line 1 is longer than 1 MiB and was cut. It goes on: read from_line 2.]',
    );
    expect((await read({ path: 'wide.txt', from_line: 2 }))[0]).toBe('after\n');
  });

  it.each([
    [
      'data.bin',
      '"data.bin" (3 bytes) is neither a text nor an image nor a document of a format that is read',
    ],
    ['none.md', '"none.md" does not exist; list_files and search show what does'],
    ['readme.md/x', '"readme.md/x" does not exist; list_files and search show what does'],
    ['docs', '"docs" is a folder; list_files shows what is in it'],
    ...notOnWindows(
      ['pipe', '"pipe" is not a regular file'],
      ['loop', '"loop" cannot be read: too many symbolic links'],
    ),
    // Windows does not tell such a name from one that is not there.
    ['x'.repeat(300), isWindows ? 'does not exist' : 'name too long'],
  ])('refuses %s', async (path, text) => {
    expect(await refusal('read', { path })).toContain(text);
  });

  it.skipIf(isWindows || process.getuid?.() === 0)('refuses what may not be read', async () => {
    await put('locked.txt', 'x');
    await chmod(join(root, 'locked.txt'), 0o000);
    expect(await refusal('read', { path: 'locked.txt' })).toContain('permission denied');
    await rm(join(root, 'locked.txt'));
  });

  it.each([
    '../secret.txt',
    '/etc/passwd',
    'docs/../../secret.txt',
    ...notOnWindows('leak.txt', 'up/secret.txt', 'up/none', 'twin', 'up/root/../secret.txt'),
  ])('never leaves the root: %s', async (path) => {
    for (const tool of ['read', 'list_files', 'search']) {
      const text = await refusal(tool, tool === 'search' ? { path, query: 'needle' } : { path });
      // Each `..` is resolved in the text of the path, before any symbolic link is followed.
      expect(text).toMatch(/leads out of the root|must be relative/);
      expect(text).not.toContain(folder);
    }
  });

  it
    .runIf(isWindows)
    .each([
      ...['..\\secret.txt', 'docs\\..\\..\\secret.txt', 'C:\\windows\\win.ini', 'C:readme.md'],
      ...['\\\\?\\C:\\windows\\win.ini', '\\windows\\win.ini', 'readme.md::$DATA', 'NUL', 'docs/CON'],
    ])('is given no file by a path of Windows: %s', async (path) => {
    const text = await refusal('read', { path });
    expect(text).not.toContain('no refusal');
    expect(text).not.toContain(folder);
  });
});

describe('search', () => {
  const found = async (args: Record<string, unknown>): Promise<string[]> =>
    (await ask('search', args)).texts[0]
      ?.split('\n')
      .filter((line) => !line.startsWith('  '))
      .map((line) => line.split('  ')[0] ?? '') ?? [];

  it('finds words and beginnings of words in documents and other files, below what somebody wrote', async () => {
    await put('src/needle_case.ts', 'const thread = 1;\n// to sew\n');
    await put('src/other.ts', 'one\n// a needlework of NEEDLES, unneedled\n');
    const { texts } = await ask('search', { query: 'Needle' });
    expect(texts).toEqual([
      [
        'src/needle_case.ts',
        ...['docs/a.md', '  page 0 (a.md): Needle in a needle again'],
        ...['readme.md  (Title)', '  page 0 (Title): second line last needle'],
        ...['src/other.ts', '  line 2: // a needlework of NEEDLES, unneedled'],
      ].join('\n'),
    ]);
    expect(await found({ query: 'thread case' })).toEqual(['src/needle_case.ts']);
    expect(await found({ query: 'needle thread sew' })).toEqual(['src/needle_case.ts']);
    expect((await found({ query: 'eedle' }))[0]).toMatch(/^nothing found in \d+ files$/);
    await rm(join(root, 'src'), { recursive: true });
  });

  it('heeds path, pattern and limit', async () => {
    expect(await found({ query: 'needle', pattern: 'docs/*' })).toEqual(['docs/a.md']);
    expect(await found({ query: 'needle', path: 'docs', pattern: 'a.*' })).toEqual(['docs/a.md']);
    expect(await found({ query: 'needle', path: 'readme.md' })).toEqual(['readme.md']);
    expect(await found({ query: 'needle', path: '.env' })).toEqual(['.env']);
    const { texts } = await ask('search', { query: 'needle', limit: 1 });
    expect(texts[1]).toBe('There are 2 files; this shows 1.');
  });

  it('says how much it has searched when it found nothing', async () => {
    expect((await ask('search', { query: 'zebra' })).texts[0]).toMatch(/^nothing found in \d+ files$/);
    if (isWindows) return;
    expect(await refusal('search', { query: 'x', path: 'leak.txt' })).toContain('leads out of the root');
  });

  // Making the folder takes minutes under Wine, and nothing in it depends on the system.
  it.skipIf(isWindows)('ends at the limit of entries in a huge folder', async () => {
    // Links to one file take a tenth of the time of files.
    mkdirSync(join(root, 'huge'));
    for (let n = 0; n < limits.visited + 50; n++) linkSync(join(root, 'empty.txt'), join(root, `huge/${n}`));
    const listed = await ask('list_files', { path: 'huge', pattern: 'none' });
    expect(listed.texts).toEqual(['nothing found', expect.stringContaining('Incomplete: only the first')]);
    // The search ends at the limit of visited entries, because no file matches and none is opened.
    const found = await ask('search', { path: 'huge', query: 'x', pattern: 'none' });
    expect(found.texts.join('\n')).toContain(`more than ${limits.visited} entries`);
    rmSync(join(root, 'huge'), { recursive: true });
  });
});
