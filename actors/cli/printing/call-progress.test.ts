import { expect, it } from 'vitest';
import { readFact } from '../../../scenarios/fixtures/read-fact.ts';
import { commandLine } from '../../../scenarios/fixtures/command-line.ts';
import { progressLine } from './call-progress.ts';
import { configFiles, fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';

it.each([
  [{ progress: 3, total: 10, message: 'third file' }, 'copy 3/10 third file'],
  [{ progress: 3, message: 'third\n\u001B[2Jfile' }, 'copy 3 third \\u001b[2Jfile'],
])('a line of progress tells how far a tool is, and nothing that a terminal obeys: %j', (told, line) => {
  expect(progressLine({ tool: 'copy', ...told })).toBe(line);
});

it('a2c call tells programs of progress on stderr, and keeps stdout for the result', async () => {
  const fixture = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')] };
  const config = configFiles(testFolder('progress'))({ fixture });
  const { out, err } = await commandLine(['call', 'work', '--req-id', 'w1', '-c', config]);
  expect(out).toBe('done\n');
  const known = { type: 'call_progress', req_id: 'w1', server: 'fixture', tool: 'work', total: 2 };
  expect(err.split('\n').flatMap((line) => readFact(line) ?? [])).toEqual([
    { ...known, progress: 1, message: 'step 1' },
    { ...known, progress: 2, message: 'step 2' },
  ]);
});
