import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtModule } from '../../scenarios/fixtures/built-module.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { userConfigFile } from '../applications/config-files.ts';
import { isTrusted, lineHistory, saveBytes, trust, trustFile } from './user-files.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = testFolder('trust');
  file = join(folder, 'state', 'a2c', 'trusted.json');
});

describe('trust', () => {
  it('a folder is trusted after it was trusted once, and no other', async () => {
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
  it.skipIf(process.platform === 'win32')(
    'a link is trusted by where it leads, so a link into a trusted folder gains nothing else',
    async () => {
      const [real, link] = [join(folder, 'real'), join(folder, 'link')];
      await mkdir(real);
      await symlink(real, link);
      await trust(link, file);
      expect(await isTrusted(real, file)).toBe(true);
    },
  );
  it('a list that cannot be read trusts nothing, and the next trust mends it', async () => {
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
  it('twenty folders that are trusted at once, from four processes, are all kept', async () => {
    const all = await folders(twenty);
    const children = [0, 5, 10, 15].map((from) => trusting(all.slice(from, from + 5)));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await kept()).toEqual(all);
  }, 60_000);
  it('what a killed process left locked blocks nobody, also when many come at once', async () => {
    const all = await folders(twenty);
    await mkdir(`${file}.lock`, { recursive: true });
    const long = new Date(Date.now() - 60_000);
    await utimes(`${file}.lock`, long, long);
    await Promise.all(all.map((one) => trust(one, file)));
    expect(await kept()).toEqual(all);
  }, 60_000);
  it('a process that is killed in the middle leaves a list that can be read, with all that was in it', async () => {
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
  it('the list stands under XDG_STATE_HOME, the config of the user under XDG_CONFIG_HOME', () => {
    expect(trustFile({ XDG_STATE_HOME: '/s' })).toBe(join('/s', 'a2c', 'trusted.json'));
    expect(userConfigFile({ XDG_CONFIG_HOME: '/c' })).toBe(join('/c', 'a2c', 'a2c.json'));
  });
});

// Windows has no modes.
it.skipIf(process.platform === 'win32')(
  'lines that were typed are there in the next run, and only their owner may read them',
  () => {
    const state = join(folder, 'history');
    expect(lineHistory(state).lines).toEqual([]);
    lineHistory(state).keep(['status', 'calls']);
    expect(lineHistory(state).lines).toEqual(['status', 'calls']);
    expect(statSync(join(state, 'history')).mode & 0o777).toBe(0o600);
  },
);

it('a history that cannot be written stops nobody', () => {
  expect(() => lineHistory('/dev/null/x').keep(['a'])).not.toThrow();
});

const given = (base64: string, mimeType?: string) => ({ base64, mimeType });

it('a result is written into a file of its own, beside what is there', async () => {
  const into = join(folder, 'new');
  const first = await saveBytes(into, 'shot', [given('AAEC', 'image/png'), given('AwQ=', 'image/jpeg')]);
  expect(first.map((path) => basename(path))).toEqual(['shot-1.png', 'shot-2.jpg']);
  expect([...(await readFile(first[1] as string))]).toEqual([3, 4]);
  expect((await saveBytes(into, 'shot', [given('AAEC', 'image/png')])).map((path) => basename(path))).toEqual(
    ['shot-2.png'],
  );
});

it('nothing that a server says leads out of the folder', async () => {
  const paths = await saveBytes(folder, '../../etc/passwd', [given('AA==', 'image/../../x'), given('AA==')]);
  expect(paths).toEqual([join(folder, 'etc-passwd-1.bin'), join(folder, 'etc-passwd-2.bin')]);
});

it('saving fails when the folder is a file', async () => {
  const taken = join(folder, 'file');
  await writeFile(taken, '');
  await expect(saveBytes(taken, 'shot', [given('AA==', 'image/png')])).rejects.toThrow('EEXIST');
});
