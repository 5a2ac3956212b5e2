import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Who adds lines beyond raises a number in the same commit and says why; who takes lines out lowers it. */
const most = { product: 89_450, shippedOfScenarios: 21_550 };
/** Lines that a number may be above what it limits. */
const slack = 400;

const root = fileURLToPath(new URL('../..', import.meta.url));
const isProduct = /^(machines|adapters|actors)\/(?!e2e\/)(?!.*\/fixtures\/).*(?<!\.test)\.tsx?$/;
const linesOf = (path: string): string[] => readFileSync(join(root, path), 'utf8').trimEnd().split('\n');
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `${folder}/${name.replaceAll('\\', '/')}`,
  );
const product = ['machines', 'adapters', 'actors'].flatMap(filesIn).filter((path) => isProduct.test(path));
const count = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + linesOf(path).length, 0);

function shipped(): string[] {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
    bin: Record<string, string>;
  };
  const entries = [...Object.values(exports), ...Object.values(bin)]
    .map((target) => (typeof target === 'string' ? target : target.default))
    .flatMap((path) => {
      const source = path.replace(/^(\.\/)?dist\//, '').replace(/\.(m?)js$/, '.$1ts');
      return [source, source.replace(/\.mts$/, '.ts')];
    });
  const seen = new Set<string>();
  const follow = (path: string): void => {
    if (seen.has(path) || !/\.(m?ts|tsx|mjs)$/.test(path)) return;
    let lines: string[];
    try {
      lines = linesOf(path);
    } catch {
      return;
    }
    seen.add(path);
    for (const [, name = ''] of lines
      .join('\n')
      .matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)'(\.{1,2}\/[^']+)'/gm))
      follow(normalize(join(dirname(path), name)).replaceAll('\\', '/'));
  };
  for (const entry of entries) follow(entry);
  return [...seen];
}

describe('lines', () => {
  it('the product has at most the number of lines that is allowed, and not far fewer', () => {
    expect(product.length).toBeGreaterThan(400);
    expect(count(product)).toBeLessThanOrEqual(most.product);
    expect(count(product), 'lower the number in this file').toBeGreaterThan(most.product - slack);
  });

  it('what ships from scenarios has at most the number of lines that is allowed, and not far fewer', () => {
    const lines = count(shipped().filter((path) => path.startsWith('scenarios/')));
    expect(lines).toBeLessThanOrEqual(most.shippedOfScenarios);
    expect(lines, 'lower the number in this file').toBeGreaterThan(most.shippedOfScenarios - slack);
  });

  it('at most one line of the product in ten is a comment', () => {
    const comments = product.flatMap(linesOf).filter((line) => /^\s*(\/\/|\/\*|\*[ /]|\*$)/.test(line));
    expect(comments.length).toBeGreaterThan(1_000);
    expect(comments.length).toBeLessThan(count(product) / 10);
  });
});
