import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import type { Shared } from './sharing.ts';
import { openDocuments, createDocumentsServer } from './serve.ts';

/** Rows of links, pipes and modes, which tests on Windows do not have: links need a right there, and Wine 8 makes none. */
const isWindows = process.platform === 'win32';
const notOnWindows = <T>(...rows: readonly T[]): readonly T[] => (isWindows ? [] : rows);
let folder = '';
let root = '';
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
  readonly facts: Record<string, unknown>;
}
const ask = async (name: string, args: Record<string, unknown> = {}): Promise<Told> => {
  // The client of the SDK checks structuredContent against the output schema once it has listed the tools.
  const answer = await client.callTool({ name, arguments: args });
  const content = answer.content as { text: string }[];
  return {
    isError: answer.isError === true,
    texts: content.map(({ text }) => text),
    facts: (answer.structuredContent ?? {}) as Record<string, unknown>,
  };
};
const refusal = async (name: string, args: Record<string, unknown>): Promise<string> => {
  const { isError, texts } = await ask(name, args);
  return isError ? texts.join() : `no refusal: ${texts.join()}`;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2c-documents-'));
  root = join(folder, 'root');
  await put('readme.md', '\uFEFF# Title\r\nsecond line\nlast needle');
  await put('docs/a.md', 'Needle in a\nneedle again\n');
  await put('docs/deep/er/b.txt', 'nothing');
  await put('.env', 'needle=1');
  await put('.git/config', 'needle');
  await put('node_modules/x/index.js', 'needle');
  await put('dist/out.js', 'needle');
  await put('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
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
  await rm(folder, { recursive: true, force: true });
});

describe('the documents server', () => {
  it('offers tools that only read, with schemas for both directions', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_files', 'read_file', 'search_files', 'search', 'open'],
    ]);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(tool.title && tool.description && tool.outputSchema?.type).toBe('object');
      expect(tool.inputSchema).toMatchObject({ additionalProperties: false });
    }
  });

  it('says which argument is wrong', async () => {
    expect(await refusal('read_file', { path: 'readme.md', offset: 3 })).toContain('offset');
    expect(await refusal('read_file', {})).toContain('path');
    expect(await refusal('search_files', { query: 'a\nb' })).toContain('line by line');
  });
});

describe('list_files', () => {
  it('shows one level of what somebody wrote, links unfollowed', async () => {
    const { facts, texts } = await ask('list_files');
    const entries = facts['entries'] as { path: string; type: string; size_bytes?: number }[];
    expect(entries.map(({ path, type }) => `${path} ${type}`)).toEqual([
      ...['big.txt file', 'docs folder', 'empty.txt file'],
      ...notOnWindows('inside link'),
      'latin.txt file',
      ...notOnWindows('leak.txt link', 'loop link'),
      ...['picture.png file', 'readme.md file'],
      ...notOnWindows('twin link', 'up link'),
      'wide.txt file',
    ]);
    expect(entries.find(({ path }) => path === 'latin.txt')?.size_bytes).toBe(5);
    expect(facts['truncated']).toBe(false);
    expect(texts[0]).toContain('docs/\nempty.txt  0 bytes\n');
  });

  it('goes down with a pattern or a depth, and through a link that somebody names', async () => {
    const paths = async (args: Record<string, unknown>) =>
      ((await ask('list_files', args)).facts['entries'] as { path: string }[]).map(({ path }) => path);
    expect(await paths({ pattern: '*.{md,txt}', path: 'docs' })).toEqual(['docs/a.md', 'docs/deep/er/b.txt']);
    expect(await paths({ pattern: 'deep/**', path: 'docs' })).toEqual([
      ...['docs/deep', 'docs/deep/er', 'docs/deep/er/b.txt'],
    ]);
    expect(await paths({ path: 'docs', depth: 2 })).toEqual([
      'docs/a.md',
      'docs/deep',
      ...notOnWindows('docs/self'),
      'docs/deep/er',
    ]);
    if (!isWindows) expect(await paths({ path: 'inside/deep' })).toEqual(['inside/deep/er']);
    expect(await paths({ path: '.git' })).toEqual(['.git/config']);
    expect(await paths({ path: 'docs', pattern: 'nope' })).toEqual([]);
  });

  it('says when there is more', async () => {
    const { facts, texts } = await ask('list_files', { limit: 2 });
    expect(facts).toMatchObject({ truncated: true, entries: [{ path: 'big.txt' }, { path: 'docs' }] });
    expect(texts[1]).toBe('Incomplete: there are more than 2. Name a smaller folder or a pattern.');
  });

  it('refuses a file', async () => {
    expect(await refusal('list_files', { path: 'readme.md' })).toContain('read_file');
  });
});

describe('read_file', () => {
  it('gives a whole file as it is, without its BOM', async () => {
    const { facts, texts } = await ask('read_file', { path: './docs/../readme.md' });
    expect(texts).toEqual(['# Title\r\nsecond line\nlast needle']);
    expect(facts).toEqual({
      ...{ path: 'readme.md', text: texts[0], from_line: 1, to_line: 3, total_lines: 3, size_bytes: 35 },
      ...{ encoding: 'utf-8', truncated: false },
    });
  });

  it('gives lines, and says where to go on', async () => {
    const { facts, texts } = await ask('read_file', { path: 'readme.md', from_line: 2, lines: 1 });
    expect(facts).toMatchObject({
      text: 'second line\n',
      from_line: 2,
      to_line: 2,
      total_lines: 3,
      truncated: true,
    });
    expect(texts[1]).toBe('The file goes on; continue with from_line 3.');
    expect((await ask('read_file', { path: 'readme.md', from_line: 3, lines: 9 })).facts).toMatchObject({
      ...{ text: 'last needle', truncated: false },
    });
  });

  it('reads an empty file and those that are not UTF-8', async () => {
    expect((await ask('read_file', { path: 'empty.txt' })).facts).toMatchObject({
      ...{ text: '', from_line: 1, to_line: 0, total_lines: 0, truncated: false },
    });
    const texts = {
      'latin.txt': ['café\n', 'windows-1252'],
      'wide-chars.log': ['tea 茶\n', 'utf-16le'],
      'chinese.log': ['财务报表：本年度收入与支出\n', 'gb18030'],
    };
    await put('wide-chars.log', Buffer.from('\uFEFFtea 茶\n', 'utf16le'));
    await put('chinese.log', chinese(1));
    for (const [path, [text, encoding]] of Object.entries(texts))
      expect((await ask('read_file', { path })).facts).toMatchObject({ text, encoding });
    expect((await ask('search_files', { query: '收入与', pattern: '*.log' })).facts).toMatchObject({
      matches: [{ path: 'chinese.log', line: 1, column: 9 }],
    });
    for (const path of ['wide-chars.log', 'chinese.log']) await rm(join(root, path));
  });

  it('knows the encoding of a large file by its beginning', async () => {
    await put('chinese.log', chinese(50_000));
    const { facts } = await ask('read_file', { path: 'chinese.log', from_line: 49_999, lines: 1 });
    expect(facts).toMatchObject({ text: '财务报表：本年度收入与支出\n', encoding: 'gb18030' });
    await rm(join(root, 'chinese.log'));
  });

  it('reads a file above 1 MiB only in parts', async () => {
    expect(await refusal('read_file', { path: 'big.txt' })).toMatch(
      /has 2\.\d MiB.*from_line 1 and lines 500/,
    );
    expect((await ask('read_file', { path: 'big.txt', from_line: 150_000, lines: 2 })).facts).toMatchObject({
      ...{ text: 'line 150000\nline 150001\n', to_line: 150_001, total_lines: 200_000, truncated: true },
    });
    expect((await ask('read_file', { path: 'big.txt', from_line: 200_000, lines: 1 })).facts).toMatchObject({
      ...{ text: 'line 200000\n', total_lines: 200_000, truncated: false },
    });
    expect(await refusal('read_file', { path: 'big.txt', from_line: 200_001 })).toContain('has 200000 lines');
  });

  it('cuts a part at 1 MiB, at a line if it can', async () => {
    const { facts } = await ask('read_file', { path: 'big.txt', from_line: 1 });
    const text = String(facts['text']);
    expect(text.length).toBeLessThanOrEqual(limits.fileBytes);
    expect(text.endsWith(`line ${String(facts['to_line'])}\n`)).toBe(true);
    expect(facts).toMatchObject({
      truncated: true,
      note: `The file goes on; continue with from_line ${Number(facts['to_line']) + 1}.`,
    });
    const wide = await ask('read_file', { path: 'wide.txt', from_line: 1 });
    expect(wide.facts).toMatchObject({ to_line: 1, truncated: true });
    expect(wide.texts[1]).toBe(
      'Line 1 is longer than 1 MiB and was cut. The file goes on; continue with from_line 2.',
    );
    expect((await ask('read_file', { path: 'wide.txt', from_line: 2 })).texts).toEqual(['after\n']);
  });

  it.each([
    ['picture.png', '"picture.png" is not a text file (7 bytes), so it cannot be read here'],
    ['none.md', '"none.md" does not exist; list_files shows what does'],
    ['readme.md/x', '"readme.md/x" does not exist; list_files shows what does'],
    ['docs', '"docs" is a folder; list_files shows what is in it'],
    ...notOnWindows(
      ['pipe', '"pipe" is not a regular file'],
      ['loop', '"loop" is a symbolic link that leads back to itself'],
    ),
    // Windows does not tell such a name from one that is not there.
    ['x'.repeat(300), isWindows ? 'does not exist' : 'is too long for a path'],
  ])('refuses %s', async (path, text) => {
    expect(await refusal('read_file', { path })).toContain(text);
  });

  it.skipIf(isWindows || process.getuid?.() === 0)('refuses what may not be read', async () => {
    await put('locked.txt', 'x');
    await chmod(join(root, 'locked.txt'), 0o000);
    expect(await refusal('read_file', { path: 'locked.txt' })).toContain('permission denied');
    await rm(join(root, 'locked.txt'));
  });

  it.each([
    '../secret.txt',
    '/etc/passwd',
    'docs/../../secret.txt',
    ...notOnWindows('leak.txt', 'up/secret.txt', 'up/none', 'twin', 'up/root/../secret.txt'),
  ])('never leaves the root: %s', async (path) => {
    for (const tool of ['read_file', 'list_files']) {
      const text = await refusal(tool, { path });
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
    const text = await refusal('read_file', { path });
    expect(text).not.toContain('no refusal');
    expect(text).not.toContain(folder);
  });
});

describe('search_files', () => {
  it('finds lines literally, below what somebody wrote', async () => {
    const { facts, texts } = await ask('search_files', { query: 'needle' });
    expect(texts).toEqual(['readme.md:3: last needle\ndocs/a.md:1: Needle in a\ndocs/a.md:2: needle again']);
    expect(facts).toMatchObject({
      matches: [{ path: 'readme.md', line: 3, column: 6, text: 'last needle' }, { line: 1 }, { line: 2 }],
      files_searched: 5,
      files_skipped: { binary: 1, large: 2, unreadable: 0 },
      truncated: false,
    });
  });

  it('heeds case, pattern, path and limit', async () => {
    const found = async (args: Record<string, unknown>) =>
      ((await ask('search_files', { query: 'Needle', ...args })).facts['matches'] as { path: string }[])
        .length;
    expect(await found({ case_sensitive: true })).toBe(1);
    expect(await found({ pattern: 'docs/*' })).toBe(2);
    expect(await found({ path: 'docs', pattern: 'a.*' })).toBe(2);
    expect(await found({ path: 'docs/a.md' })).toBe(2);
    expect(await found({ path: '.env' })).toBe(1);
    const cut = await ask('search_files', { query: 'needle', limit: 2 });
    expect(cut.facts).toMatchObject({
      truncated: true,
      note: expect.stringContaining('more than 2 matches') as string,
    });
    expect((await ask('search_files', { query: 'needle', limit: 3 })).facts['truncated']).toBe(false);
  });

  it('says what it left out when it found nothing', async () => {
    expect((await ask('search_files', { query: 'zebra', path: 'big.txt' })).texts).toEqual([
      'no match in 0 files (left out: 1 above 1 MiB)',
    ]);
    if (isWindows) return;
    expect(await refusal('search_files', { query: 'x', path: 'leak.txt' })).toContain(
      'leads out of the root',
    );
  });

  // Making the folder takes minutes under Wine, and nothing in it depends on the system.
  it.skipIf(isWindows)('ends at the limit of entries in a huge folder', async () => {
    // Links to one file take a tenth of the time of files.
    mkdirSync(join(root, 'huge'));
    for (let n = 0; n < limits.visited + 50; n++) linkSync(join(root, 'empty.txt'), join(root, `huge/${n}`));
    const listed = await ask('list_files', { path: 'huge', pattern: 'none' });
    expect(listed.facts).toMatchObject({ truncated: true, entries: [] });
    // The search ends at the limit of visited entries, because no file matches and none is opened.
    const found = await ask('search_files', { path: 'huge', query: 'x', pattern: 'none' });
    expect(found.texts.join('\n')).toContain(`more than ${limits.visited} entries`);
    rmSync(join(root, 'huge'), { recursive: true });
  });
});
