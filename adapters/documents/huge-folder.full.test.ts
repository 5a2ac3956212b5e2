import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { limits } from '../../machines/document-files.ts';
import { jsonOf, withClient } from '../../scenarios/fixtures/documents-client.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

describe('a folder of fifty thousand documents', () => {
  const count = 50_000;
  it('a huge folder is listed in part, and searched before all is read', async () => {
    const huge = testFolder('huge');
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
