import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { planImport } from './config-files.ts';

const folder = testFolder('plan-import');

it('a plan to import shows the target of each server: command and package, or URL, and nothing that may be secret', async () => {
  const from = join(folder, 'theirs.json');
  const mcpServers = {
    fetched: { command: 'npx', args: ['-y', '@scope/files@1.2.3', '--token', 's3cret'] },
    own: { command: './server', args: ['--token', 's3cret'] },
    far: { type: 'http', url: 'https://me:s3cret@example.com/mcp?key=s3cret' },
  };
  writeFileSync(from, JSON.stringify({ mcpServers }));
  const { sources } = await planImport({ from, file: join(folder, 'ours.json') });
  const targets = sources[0]?.servers.map(({ name, target }) => [name, target]);
  expect(targets).toEqual([
    ['fetched', 'npx @scope/files@1.2.3'],
    ['own', './server'],
    ['far', 'https://example.com/mcp'],
  ]);
});
