import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Lists the published files as npm does, without building and without network. */
const packed = (): string[] => {
  const argv = ['pack', '--dry-run', '--ignore-scripts', '--offline', '--json'];
  const said = execFileSync('npm', argv, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [{ files }] = JSON.parse(said) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
};

describe('the package', () => {
  const files = packed();
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('dist/'));
  const folders = new Set(files.flatMap((file) => [posix.dirname(file), posix.dirname(posix.dirname(file))]));

  it('has its pages, examples and a license, and no tests, their helpers or benches', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/replay.md', 'docs/machines/README.md']));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'examples/embed.ts']));
    const isForTests =
      /\.(test|given|scenario|bench|conformance)\.|\/(e2e|bench|house|mutants|interop|recordings)\//;
    expect(files.filter((file) => isForTests.test(file))).toEqual(['examples/replay.test.mjs']);
  });

  it('is light to install, and says where it is from', () => {
    const read = (file: string) =>
      JSON.parse(readFileSync(`${root}/${file}`, 'utf8')) as Record<string, unknown>;
    const { packages } = read('package-lock.json') as { packages: Record<string, { readonly dev?: true }> };
    const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    expect(installed.length).toBeLessThanOrEqual(150);
    const { repository, homepage, bugs, keywords } = read('package.json');
    for (const place of [(repository as { url: string }).url, homepage, bugs])
      expect(place).toMatch(/^(git\+)?https:\/\/github\.com\/[\w-]+\/a2c-actors/);
    expect(keywords).toContain('a2c-smcp');
  });

  it.each(pages)('has what %s links to', (page) => {
    const links = [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)];
    const targets = links
      .map(([, link = '']) => link.replace(/#.*$/, ''))
      .filter((link) => link !== '' && !/^\w+:/.test(link))
      .map((link) => posix.join(posix.dirname(page), link).replace(/\/$/, ''));
    expect(targets.filter((target) => !files.includes(target) && !folders.has(target))).toEqual([]);
  });
});
