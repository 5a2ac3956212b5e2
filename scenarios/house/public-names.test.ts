import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { membersIn, valuesOf } from './api-text.ts';
import { createAgent, createComputer, createOffice } from '../../actors/index.ts';
import { createPresenter } from '../../actors/presenter/index.ts';
import { root } from '../fixtures/checkout.ts';

/** Tests that what users write into their programs is there, as declared. docs/api.txt has all declarations. */

/** Names that a program sees on an object and its classes. */
function namesOf(handle: object): string[] {
  const names = new Set(Object.getOwnPropertyNames(handle));
  for (
    let at: object = Object.getPrototypeOf(handle);
    at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  )
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  names.delete('constructor');
  return [...names].toSorted();
}

it('a handle has the members of its type, and no others', async () => {
  const quiet = { record: false, stateDir: false } as const;
  await using office = await createOffice({ port: 0, metrics: { port: 0 }, record: false });
  await using computer = await createComputer({ ...quiet, name: 'c1', office: { url: office.url } });
  await using agent = await createAgent({ url: office.url, record: false });
  await using presenter = await createPresenter({ ...quiet, settings: { mcpServers: {} } });
  for (const [path, type, handle] of [
    ['.', 'Office', office],
    ['.', 'Computer', computer],
    ['.', 'Agent', agent],
    ['./presenter', 'Presenter', presenter],
  ] as const) {
    const { '': members, ...groups } = membersIn(path, type);
    expect(members?.length, type).toBeGreaterThan(10);
    const names = namesOf(handle);
    // A presenter is an instance of a class, which has more than it shows.
    if (type === 'Presenter') expect(members?.filter((name) => !names.includes(name))).toEqual([]);
    else expect([type, ...names]).toEqual([type, ...(members ?? [])]);
    if (type === 'Presenter') continue;
    expect(Object.keys(groups)).toContain('debug');
    for (const [group, names] of Object.entries(groups))
      expect([group, ...Object.keys((handle as never)[group] as object).toSorted()]).toEqual([
        group,
        ...names,
      ]);
  }
});

// Needs links, for which Windows asks a right.
describe.skipIf(process.platform === 'win32')('the package, built from these sources', () => {
  const checkout = testFolder('package');
  const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');
  const node = (...argv: string[]): string =>
    execFileSync(process.execPath, argv, { cwd: checkout, encoding: 'utf8' });
  beforeAll(() => {
    copyFileSync(join(root, 'package.json'), join(checkout, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
    symlinkSync(join(root, 'dist'), join(checkout, 'dist'), 'dir');
  });

  it('has the files of each path that it exports, and two commands', () => {
    const { exports, bin, version } = JSON.parse(read('package.json')) as {
      exports: Record<string, { types: string; default: string } | string>;
      bin: Record<string, string>;
      version: string;
    };
    expect(exports['./package.json']).toBe('./package.json');
    const files = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? target : [target.types, target.default],
    );
    expect(files.filter((file) => !existsSync(join(checkout, file)))).toEqual([]);
    expect(Object.keys(bin)).toEqual(['a2c', 'a2c-fault-server']);
    expect(read(bin['a2c-fault-server'] ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(read(bin['a2c'] ?? '')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(node(bin['a2c'] ?? '', '--version')).toBe(`${version}\n`);
  });

  it('has commands that may be run, and no script that npm runs or warns of where the package is installed', () => {
    const { bin, scripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    // A checkout is built by `dependencies` after `npm ci`, and a package by `prepack`. `npx a2c` runs neither.
    const ofInstall = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(scripts ?? {}).filter((name) => ofInstall.includes(name))).toEqual([]);
    expect(scripts).toMatchObject({ dependencies: 'npm run build', prepack: 'npm run build' });
    const modes = Object.values(bin ?? {}).map((file) => statSync(join(checkout, file)).mode & 0o111);
    expect(modes).toEqual([0o111, 0o111]);
  });

  it('gives by its name the values that are declared', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
    const paths = Object.keys(exports).filter((path) => path !== './package.json');
    const load = paths.map((path) => `Object.keys(await import('a2c-actors${path.slice(1)}'))`);
    const program = `process.stdout.write(JSON.stringify([${load.join(',')}]))`;
    const loaded = JSON.parse(node('--input-type=module', '-e', program)) as string[][];
    expect(loaded.map((names, n) => [paths[n], ...names.sort()])).toEqual(
      paths.map((path) => [path, ...valuesOf(path)]),
    );
    expect(valuesOf('.')).toContain('createComputer');
  });
});
