import { realpathSync } from 'node:fs';
import { mkdir, open, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../machines/document-files.ts';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';
import { Library } from '../library.ts';
import { DocumentResources } from '../documents.ts';

/** Tests of hostile and broken files: each fails with one error within its limits, and other files can still be read. */
const corpus = fileURLToPath(new URL('../../../scenarios/corpus/', import.meta.url));
const base = realpathSync(testFolder('hostile'));
const root = join(base, 'root');
let library: Library;
let documents: DocumentResources;
const put = (name: string, content: string | Uint8Array): Promise<void> =>
  writeFile(join(root, name), content);

function pdfBomb(bytes: number): Buffer {
  const stream = deflateSync(Buffer.alloc(bytes, 'q Q '));
  const head =
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n' +
    `4 0 obj<</Filter/FlateDecode/Length ${stream.length}>>stream\n`;
  return Buffer.concat([
    Buffer.from(head),
    stream,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
  ]);
}

beforeAll(async () => {
  await mkdir(root);
  await put('good.md', '# Good\n\nIt is.\n');
  await mkdir(join(root, 'sub'));
  await put('sub/a.md', '# A\n');
  // Each part of this archive is small, but unpacks to a thousand times its size.
  const part = new Uint8Array(60 * 1024 * 1024);
  await put('bomb.docx', zipSync({ 'word/document.xml': part, a: part, b: part, c: part }, { level: 9 }));
  const book = await readFile(join(corpus, 'costs.xlsx'));
  await put('truncated.xlsx', book.subarray(0, 5000));
  await put('other-kind.docx', book);
  await put('wrong.pdf', 'This is no PDF.');
  await put('wrong.pptx', 'nor is this a PPTX');
  await put('truncated.pdf', '%PDF-1.7\n1 0 obj<</Type/Catalog');
  await put('binary.md', Uint8Array.of(0, 1, 2, 3));
  await put('deep.html', '<div>'.repeat(200_000));
  await put('deep.json', '['.repeat(200_000) + ']'.repeat(200_000));
  const doctype =
    '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><p:presentation xmlns:p="x">&c;</p:presentation>';
  await put('entities.pptx', zipSync({ 'ppt/presentation.xml': new TextEncoder().encode(doctype) }));
  await put('endless.pdf', pdfBomb(900 * 1024 * 1024));
  // The file system reports 1 GiB for this file, which has no content.
  await (await open(join(root, 'huge.csv'), 'w')).close();
  await truncate(join(root, 'huge.csv'), 1024 ** 3);
  await writeFile(join(base, 'secret.md'), '# Secret');
  await symlink(join(base, 'secret.md'), join(root, 'leak.md'));
  await symlink(base, join(root, 'up'));
  library = await Library.open([root], {
    isWatching: false,
    parserLimits: { ms: 40_000, growthBytes: Infinity },
  });
  documents = new DocumentResources(library, 'documents');
  // Packing what unpacks to so much takes long on a busy computer.
}, 120_000);
afterAll(() => library.close());
const refusal = async (uri: string): Promise<{ code: number; message: string; data: unknown }> => {
  try {
    await documents.read(uri);
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data: unknown };
    return { code, message, data };
  }
  throw new Error(`${uri} was read`);
};

describe('a hostile or broken document', () => {
  it.each([
    ['bomb.docx', /unpacks to more than 200 MiB/],
    ['huge.csv', /has 1 GiB; at most 50 MiB/],
    ['truncated.xlsx', /not a whole office file/],
    ['other-kind.docx', /another kind/],
    ['wrong.pdf', /not what its name says \(pdf\)/],
    ['wrong.pptx', /not what its name says \(pptx\)/],
    ['truncated.pdf', /not a whole PDF|broken/],
    ['binary.md', /not what its name says \(md\)/],
    ['entities.pptx', /document type/],
  ])('gives one error with its reason: %s', async (ref, reason) => {
    const { code, message, data } = await refusal(`dpe://documents/${ref}`);
    expect(message).toMatch(reason);
    expect([code, data]).toEqual([-32_603, { doc_ref: ref }]);
    expect(message).not.toContain(base);
  });

  it.each(['endless.pdf'])('ends at a limit, and another document is read meanwhile: %s', async (ref) => {
    const bad = refusal(`dpe://documents/${ref}/pages/0`);
    const good = await documents.read('dpe://documents/good.md/pages/0?format=text');
    expect(good.text).toBe('Good\n\nIt is.');
    expect((await bad).message).toMatch(/within 40 s|broken/);
    // A failed file is not parsed again while its bytes stay the same.
    expect(await refusal(`dpe://documents/${ref}/pages/0`)).toEqual(await bad);
  });

  it('is ended where it takes more memory than it may', async () => {
    const tight = await Library.open([root], {
      isWatching: false,
      parserLimits: { growthBytes: 16 * 1024 ** 2 },
    });
    const read = tight.read('endless.pdf', { from: 0, to: 1 });
    await expect(read).rejects.toThrow('reading it takes more memory than 16 MiB');
    await tight.close();
  });

  it.each(['deep.html', 'deep.json'])(
    'is read or gives one error when it is nested without end: %s',
    async (ref) => {
      const read = documents.read(`dpe://documents/${ref}`);
      const told = await read.then(
        () => 'read',
        (error: Error) => error.message,
      );
      expect(told).toMatch(/^read$|cannot be read: it/);
      expect((await documents.read('dpe://documents/good.md')).text).toContain('Good');
    },
  );
});

describe('a file', () => {
  it.each([
    '..%2Fsecret.md',
    '%2e%2e%2fsecret.md',
    '..%2Froot%2F..%2Fsecret.md',
    'leak.md',
    'up%2Fsecret.md',
    'good.md%2F..%2F..%2Fsecret.md',
    '%2Fetc%2Fpasswd',
    '..%5Csecret.md',
    'C%3A%5Csecret.md',
    'good.md%00',
    '%252e%252e%252fsecret.md',
    'file%3A%2F%2F%2Fetc%2Fpasswd',
  ])('outside of the folders is no document under the name %s', async (ref) => {
    const { code, message } = await refusal(`dpe://documents/${ref}`);
    expect(code).toBe(4201);
    expect(message).not.toContain(base);
  });

  it.each(['sub%2F%2Fa.md', 'sub%2F.%2Fa.md', '.%2Fgood.md', '%2Fgood.md', 'good.md%2F'])(
    'has one name, and is no document as %s',
    async (ref) => {
      expect(await refusal(`dpe://documents/${ref}`)).toMatchObject({ code: 4201 });
    },
  );

  it('outside of the folders is not listed through a link', () => {
    expect([...library.documents.keys()].filter((ref) => /leak|up|secret/.test(ref))).toEqual([]);
    expect(library.documents.size).toBeGreaterThan(10);
  });
});

it('the documents server has the limits that its page tells', () => {
  expect([limits.documentBytes, limits.unpackedBytes, limits.parseMs]).toEqual([
    50 * 1024 ** 2,
    200 * 1024 ** 2,
    60_000,
  ]);
});
