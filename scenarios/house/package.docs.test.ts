import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../fixtures/checkout.ts';

/** As npm does, without building and without network. */
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
    expect(files.filter((file) => isForTests.test(file))).toEqual([
      'examples/replay.test.mjs',
      'examples/shop/guard.test.mjs',
      'examples/shop/shop.test.mjs',
    ]);
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

describe('docs/dependencies.md', () => {
  const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
  const page = read('docs/dependencies.md');
  const rowsUnder = (heading: string): [name: string, licence: string][] =>
    [
      ...((page.split(`## ${heading}\n`)[1] ?? '')
        .split('\n## ')[0]
        ?.matchAll(/^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|/gm) ?? []),
    ].map(([, name = '', licence = '']) => [name, licence]);
  const manifestOf = (folder: string) =>
    JSON.parse(read(`${folder}/package.json`)) as {
      readonly license?: string;
      readonly licenses?: readonly [{ readonly type: string }];
      readonly [field: string]: unknown;
    };
  const licenceOf = (folder: string): string => {
    const { license, licenses } = manifestOf(folder);
    return license ?? licenses?.[0].type ?? 'none';
  };

  it.each([
    ['Installed with it', 'dependencies'],
    ['Used when they are there', 'peerDependencies'],
  ])('has under %s the %s of package.json, with their licences', (heading, field) => {
    const names = Object.keys(manifestOf('.')[field] as object).toSorted();
    expect(rowsUnder(heading).toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual(
      names.map((name) => [name, licenceOf(`node_modules/${name}`)]),
    );
  });

  it('has the packages that are in files of the package, and NOTICE names them', () => {
    const bundled = rowsUnder('In the files of the package');
    for (const [name, licence] of bundled) expect(licence).toBe(licenceOf(`node_modules/${name}`));
    const found = bundled.map(([name]) => name);
    const { devDependencies } = manifestOf('.') as unknown as { devDependencies: Record<string, string> };
    const inPage = execFileSync(
      'git',
      ['grep', '-hoE', "from '[^.'][^']*'", '--', 'adapters/page', ':!*.test.*'],
      { cwd: root, encoding: 'utf8' },
    );
    const imported = [...inPage.matchAll(/from '((?:@[^/']+\/)?[^/']+)/g)].map(([, name = '']) => name);
    const used = Object.keys(devDependencies).filter((name) => imported.includes(name));
    expect(used.length).toBeGreaterThan(0);
    expect(found).toEqual(expect.arrayContaining(['elkjs', 'jsonc-parser']));
    expect(used.filter((name) => !found.includes(name))).toEqual([]);
    const notice = read('NOTICE').toLowerCase();
    expect(found.filter((name) => !notice.includes(name))).toEqual([]);
  });

  it('names the licences of all that the command has in its files', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { readonly dependencies?: Record<string, string> }>;
    };
    const [, list = ''] = /const inCommand = \[(.*?)\]/s.exec(read('build.mjs')) ?? [];
    const names = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
    const folders = new Set<string>();
    const visit = (name: string): void => {
      const folder = `node_modules/${name}`;
      if (folders.has(folder)) return;
      folders.add(folder);
      for (const next of Object.keys(packages[folder]?.dependencies ?? {})) visit(next);
    };
    for (const name of names) visit(name);
    const licences = [...new Set([...folders].map(licenceOf))].toSorted();
    expect(page).toContain(`Licences among them: ${licences.join(', ')}.`);
  });
});
