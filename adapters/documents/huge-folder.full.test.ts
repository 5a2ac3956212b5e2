import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import { jsonOf, withClient } from '../../scenarios/fixtures/documents-client.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

describe('a folder of fifty thousand documents', () => {
  const count = 50_000;
  it('is listed in part, searched before all is read, and looked through again', async () => {
    const huge = testFolder('huge');
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
      // On a slow machine the first answers come before ten documents are read.
      while (answer.documents.length < 10) answer = await ask();
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
