import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textIn, type ReadDocument } from '../../machines/documents.ts';
import { Library } from './library.ts';

const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));
const expectedFile = fileURLToPath(new URL('../../scenarios/fixtures/corpus-expected.json', import.meta.url));
/** Tells whether to rewrite the expected file, by A2C_UPDATE_CORPUS=1; a person then compares it with the documents. */
const isUpdate = process.env['A2C_UPDATE_CORPUS'] === '1';

/** Summary of a document for comparison: page count, kinds of elements, and texts. */
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

  it('have the same ids after a restart, each once', async () => {
    const again = await Library.open([corpus], {
      isWatching: false,
      parserLimits: { growthBytes: Infinity },
    });
    const idsOf = (all: Record<string, ReadDocument>): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries(all).map(([ref, { pages }]) => [
          ref,
          Object.values(pages).flatMap(({ elements }) => elements.map(({ element_id }) => element_id)),
        ]),
      );
    const [one, two] = [idsOf(await read(library)), idsOf(await read(again))];
    await again.close();
    expect(two).toEqual(one);
    for (const ids of Object.values(one)) expect(new Set(ids).size).toBe(ids.length);
    expect(Object.values(one).flat().length).toBeGreaterThan(80);
  });
});
