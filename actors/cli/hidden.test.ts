import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests that `list`, `get` and the question whether to trust a config hide the same values as `a2c export`. */
const folder = testFolder('hidden');
const file = join(folder, 'mcp.json');

it.each<[object, string]>([
  [{ command: 'x', args: ['--api-key', 'S3CRET', 'kept'] }, 'x --api-key *** kept'],
  [{ command: 'x', args: ['--token=S3CRET', 'kept'] }, 'x --token=*** kept'],
  [{ command: 'x', args: ['--token', '${env:T}'], env: { A: 'S3CRET' } }, 'x --token ${env:T}'],
  [{ command: 'x', args: ['--use-token=true'] }, 'x --use-token=true'],
  [{ url: 'https://user:S3CRET@e.com/mcp' }, 'https://***@e.com/mcp'],
  [{ url: 'https://e.com/mcp?api_key=S3CRET&v=1#x' }, 'https://e.com/mcp?api_key=***&v=1#x'],
  [{ url: 'https://S3CRET@e.com/mcp?v=1&sig=S3CRET' }, 'https://***@e.com/mcp?v=1&sig=***'],
  [{ url: 'https://e.com/mcp', headers: { A: 'S3CRET' } }, 'https://e.com/mcp'],
])('no secret is shown for %j', async (entry, target) => {
  writeFileSync(file, JSON.stringify({ mcpServers: { a: entry } }));
  const shown = await commandLine(['list', '-c', file]);
  expect(shown.out).toContain(`  ${target}`);
  const all = await Promise.all([
    commandLine(['list', '--json', '-c', file]),
    commandLine(['get', 'a', '-c', file]),
    commandLine(['get', 'a', '--json', '-c', file]),
    commandLine(['export', '-c', file]),
    commandLine(['import', file, '--dry-run', '-c', join(folder, 'ours.json')]),
    commandLine(['tools'], { folder }),
  ]);
  expect(JSON.stringify([shown, all])).not.toContain('S3CRET');
});
