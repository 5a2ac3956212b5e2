import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../replay/report/page.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { compiled, linkedProject } from '../fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = testFolder('host-pages');
const at = (...path: string[]): string => join(here, ...path);
const blocksIn = (page: string, language: string): string[] =>
  blocksOf(readFileSync(join(root, 'docs', page), 'utf8'))
    .filter((block) => block.language === language)
    .map(({ text }) => text);

beforeAll(() => {
  linkedProject(here, '@types/node', '@modelcontextprotocol/sdk');
});

it('docs/testing.md has tests that pass', () => {
  const [inside = '', recorded = ''] = blocksIn('testing.md', 'js');
  writeFileSync(at('inside.test.mjs'), inside);
  writeFileSync(at('recorded.test.mjs'), recorded);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout, status } = spawnSync(process.execPath, ['--test'], { cwd: here, env, encoding: 'utf8' });
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/^(?:#|ℹ) pass 2$/m);
});

it('docs/errors.md has an example that the compiler takes', () => {
  writeFileSync(at('errors.ts'), blocksIn('errors.md', 'ts')[0] ?? '');
  expect(compiled(here, ['errors.ts'], '--types', 'node')).toBe('');
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'docs/ending.md has a host that ends by itself at %s',
  async (signal) => {
    const [host = ''] = blocksIn('ending.md', 'js');
    const own = `command: 'node', args: ['${join(root, 'dist/actors/main.js')}',`;
    const called = "await computer.callTool('read', { path: 'package.json' });\nconsole.log('ready');\n";
    writeFileSync(
      at('host.mjs'),
      host.replace("command: 'npx', args: ['-p', 'a2c-actors', 'a2c',", own) + called,
    );
    const child = spawn(process.execPath, ['host.mjs'], { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);
