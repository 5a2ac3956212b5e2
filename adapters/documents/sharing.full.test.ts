import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withClient } from '../../scenarios/fixtures/documents-client.ts';

const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));

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
    await withClient([corpus], async (client) => {
      const refused = (uri: string) =>
        client.readResource({ uri }).then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(await refused('dpe://documents/none.md')).toMatchObject({
        code: 4201,
        data: { doc_ref: 'none.md' },
      });
      expect(await refused('dpe://documents/review.pptx/pages/3')).toMatchObject({
        ...{ code: 4202, data: { page_index: 3, page_count: 3 } },
      });
      expect(await refused('dpe://documents/chapters.pdf/elements/p99-x')).toMatchObject({
        code: 4203,
        data: { element_id: 'p99-x' },
      });
      expect(await refused('dpe://documents/review.pptx?limit=0')).toMatchObject({
        code: 4204,
        data: { rule: 'limit' },
      });
      expect(await refused('window://documents/none')).toMatchObject({ code: -32_602 });
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
