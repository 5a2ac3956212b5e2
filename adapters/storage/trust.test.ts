import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtModule } from '../../scenarios/fixtures/built-module.ts';
import { findConfig, userConfigFile } from '../applications/config-files.ts';
import { isTrusted, trust, trustFile } from './user-files.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2c-trust-'));
  file = join(folder, 'state', 'a2c', 'trusted.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('trust', () => {
  test('a folder is trusted after it was trusted once, and no other', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    expect(await isTrusted(folder, file)).toBe(false);
    await trust(folder, file);
    await trust(folder, file);
    expect(await isTrusted(folder, file)).toBe(true);
    expect(await isTrusted(other, file)).toBe(false);
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveLength(1);
  });
  // Links need rights on Windows.
  test.skipIf(process.platform === 'win32')(
    'a link is trusted by where it leads, so a link into a trusted folder gains nothing else',
    async () => {
      const [real, link] = [join(folder, 'real'), join(folder, 'link')];
      await mkdir(real);
      await symlink(real, link);
      await trust(link, file);
      expect(await isTrusted(real, file)).toBe(true);
    },
  );
  test('a list that cannot be read trusts nothing, and the next trust mends it', async () => {
    await mkdir(join(folder, 'state', 'a2c'), { recursive: true });
    await writeFile(file, '{ not json');
    expect(await isTrusted(folder, file)).toBe(false);
    await trust(folder, file);
    expect(await isTrusted(folder, file)).toBe(true);
  });
  const folders = async (names: readonly string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => realpath((await mkdir(join(folder, name)), join(folder, name)))));
  const kept = async (): Promise<string[]> =>
    (JSON.parse(await readFile(file, 'utf8')) as string[]).toSorted();
  const built = builtModule('adapters/storage/user-files.ts');
  const trusting = (some: readonly string[]): ReturnType<typeof spawn> => {
    const script = `import(${JSON.stringify(built)})
      .then(({ trust }) => Promise.all(${JSON.stringify(some)}.map((f) =>
        trust(f, ${JSON.stringify(file)}).then(() => process.stdout.write('one ')))))`;
    return spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  const twenty = Array.from({ length: 20 }, (_, n) => `f${n + 10}`);
  test('twenty folders that are trusted at once, from four processes, are all kept', async () => {
    const all = await folders(twenty);
    const children = [0, 5, 10, 15].map((from) => trusting(all.slice(from, from + 5)));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await kept()).toEqual(all);
  }, 60_000);
  test('what a killed process left locked blocks nobody, also when many come at once', async () => {
    const all = await folders(twenty);
    await mkdir(`${file}.lock`, { recursive: true });
    const long = new Date(Date.now() - 60_000);
    await utimes(`${file}.lock`, long, long);
    await Promise.all(all.map((one) => trust(one, file)));
    expect(await kept()).toEqual(all);
  }, 60_000);
  test('a process that is killed in the middle leaves a list that can be read, with all that was in it', async () => {
    const [first = '', ...others] = await folders(twenty);
    await trust(first, file);
    const child = trusting(others);
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await kept()).toEqual(expect.arrayContaining([first, others[0]]));
    expect(await isTrusted(first, file)).toBe(true);
    await trust(others.at(-1) ?? '', file);
    expect(await isTrusted(others.at(-1) ?? '', file)).toBe(true);
  }, 60_000);
  test('the list stands under XDG_STATE_HOME, the config of the user under XDG_CONFIG_HOME', () => {
    expect(trustFile({ XDG_STATE_HOME: '/s' })).toBe(join('/s', 'a2c', 'trusted.json'));
    expect(userConfigFile({ XDG_CONFIG_HOME: '/c' })).toBe(join('/c', 'a2c', 'a2c.json'));
  });
});

describe('the first config that exists', () => {
  const user = (): string => join(folder, 'user.json');
  test('is a file asked for by name, whether it exists or not', async () => {
    await writeFile(join(folder, 'a2c.json'), '[]');
    expect(await findConfig('mine.json', folder, user())).toEqual({
      file: join(folder, 'mine.json'),
      from: 'option',
    });
  });
  test('is then a2c.json, .mcp.json, mcp.json of the folder, then that of the user, then none', async () => {
    expect(await findConfig(undefined, folder, user())).toBeUndefined();
    await writeFile(user(), '[]');
    expect(await findConfig(undefined, folder, user())).toMatchObject({ from: 'user' });
    for (const name of ['mcp.json', '.mcp.json', 'a2c.json']) {
      await writeFile(join(folder, name), '[]');
      expect(await findConfig(undefined, folder, user())).toEqual({
        file: join(folder, name),
        from: 'folder',
      });
    }
  });
});
