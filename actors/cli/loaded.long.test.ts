import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = testFolder('loaded');

/** Files that one command loads, as V8 counts them. */
function loadedBy(name: string, ...argv: string[]): string[] {
  const coverage = join(folder, name);
  execFileSync(process.execPath, [at('dist/actors/main.js'), ...argv], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: folder, NODE_V8_COVERAGE: coverage },
  });
  const [main = []] = readdirSync(coverage)
    .map((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] })
    .map(({ result }) => result.map(({ url }) => url).filter((url) => url.startsWith('file:')))
    .filter((urls) => urls.some((url) => url.endsWith('/actors/main.js')));
  return main;
}
const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + readFileSync(fileURLToPath(file)).length, 0);

it.each([
  ['--version', 2, 23_000, ['--version']],
  ['help', 2, 23_000, ['help']],
  ['list', 4, 821_000, ['list', '-c', 'one.json']],
  ['tools', 5, 1_600_000, ['tools', '-c', 'one.json']],
  ['call', 5, 1_600_000, ['call', 'get_next', 'n=1', '-c', 'one.json']],
])('a2c %s loads at most %i files of %i bytes, and none of a package', (name, count, bytes, argv) => {
  const server = { command: process.execPath, args: [at('scenarios/fixtures/typed-server.mjs')] };
  writeFileSync(join(folder, 'one.json'), JSON.stringify({ mcpServers: { one: server } }));
  const files = loadedBy(name, ...argv);
  expect(files).not.toEqual([]);
  expect(files.filter((file) => file.includes('/node_modules/'))).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(count);
  expect(bytesOf(files)).toBeLessThanOrEqual(bytes);
});
