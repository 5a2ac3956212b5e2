import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { planImport } from './config-files.ts';

const folder = testFolder('plan-import');

it('a plan to import shows what each server runs, and nothing that may be secret', async () => {
  const from = join(folder, 'theirs.json');
  const mcpServers = {
    fetched: { command: 'npx', args: ['-y', '@scope/files@1.2.3', '--token', 's3cret'] },
    own: { command: './server', args: ['--token', 's3cret'] },
    far: { type: 'http', url: 'https://me:s3cret@example.com/mcp?key=s3cret' },
  };
  writeFileSync(from, JSON.stringify({ mcpServers }));
  const { sources } = await planImport({ from, file: join(folder, 'ours.json') });
  const all = sources[0]?.servers.map(({ name, runs }) => [name, runs]);
  expect(all).toEqual([
    ['fetched', 'npx -y @scope/files@1.2.3 --token ***'],
    ['own', './server --token ***'],
    ['far', 'https://***@example.com/mcp?key=***'],
  ]);
});
