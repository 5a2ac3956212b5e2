import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extras, goneWith, productFiles, registry } from './extras.ts';
import { saidByCompiler } from '../fixtures/linked-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { root } from '../fixtures/checkout.ts';

const scratch = testFolder('extras');

/** Copies the tree without these extras and their lines. */
function without(names: readonly string[]): string {
  const copy = join(scratch, names.join('+'));
  const gone = extras.filter(({ name }) => names.includes(name));
  for (const part of ['machines', 'adapters', 'actors', 'scenarios', 'docs', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  for (const path of gone.flatMap(({ at }) => at)) rmSync(join(copy, path), { recursive: true });
  const lines = readFileSync(join(copy, registry), 'utf8').split('\n');
  const isGone = (line: string): boolean => gone.some((each) => line.trim().startsWith(`${each.line}: ()`));
  writeFileSync(join(copy, registry), lines.filter((line) => !isGone(line)).join('\n'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
function compiled(copy: string): string {
  const config = {
    extends: './tsconfig.json',
    files: productFiles(copy).filter((path) => path.endsWith('.ts') && !path.startsWith('adapters/page/')),
  };
  writeFileSync(join(copy, 'tsconfig.core.json'), JSON.stringify({ ...config, include: [] }));
  return saidByCompiler(copy, '-p', 'tsconfig.core.json', '--noEmit');
}

/** Tests whose imports are all there, directly and over others. */
function testsIn(copy: string): readonly string[] {
  const whole = new Map<string, boolean>();
  const isWhole = (path: string): boolean => {
    const known = whole.get(path);
    if (known !== undefined) return known;
    whole.set(path, true);
    const text = existsSync(join(copy, path)) ? readFileSync(join(copy, path), 'utf8') : undefined;
    const found =
      text !== undefined &&
      [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g)].every(([, to = '']) =>
        path === registry ? true : isWhole(posix.join(posix.dirname(path), to)),
      );
    whole.set(path, found);
    return found;
  };
  return (
    execFileSync('git', ['ls-files', 'machines', 'adapters', 'actors'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      // Ends of hosts use each transport, and tests of processes have a worker of their own.
      .filter((path) => /\/[^./]+(\.docs)?\.test\.ts$/.test(path) && !/\/e2e\/|adapters\/process/.test(path))
      .filter((path) => isWhole(path))
  );
}

describe('a tree', () => {
  it.each(extras)('compiles without $name, and what uses it', ({ name }) => {
    expect(compiled(without(goneWith(name)))).toBe('');
  });

  it('compiles without any extra, and the tests of the core pass there', () => {
    const copy = without(extras.map(({ name }) => name));
    expect(compiled(copy)).toBe('');
    const tests = testsIn(copy);
    expect(tests.length).toBeGreaterThan(100);
    const config = `export default { test: { include: ${JSON.stringify(tests)}, isolate: false, pool: 'forks' } };`;
    writeFileSync(join(copy, 'vitest.config.mjs'), config);
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const ran = spawnSync(process.execPath, [vitest, 'run', '--reporter=json', '--outputFile=ran.json'], {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    const { numPassedTests, testResults } = JSON.parse(readFileSync(join(copy, 'ran.json'), 'utf8')) as {
      numPassedTests: number;
      testResults: { name: string; status: string; message: string }[];
    };
    const failed = testResults.filter(({ status }) => status !== 'passed');
    expect(
      failed.map(({ name, message }) => `${dirname(name)}: ${message}`),
      ran.stderr,
    ).toEqual([]);
    expect(numPassedTests).toBeGreaterThan(1_000);
  });
});
