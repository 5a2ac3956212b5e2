import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findConfig, userConfigFile } from './discover.ts';
import { isTrusted, trust, trustFile } from './trust.ts';

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
  test('a link is trusted by where it leads, so a link into a trusted folder gains nothing else', async () => {
    const [real, link] = [join(folder, 'real'), join(folder, 'link')];
    await mkdir(real);
    await symlink(real, link);
    await trust(link, file);
    expect(await isTrusted(real, file)).toBe(true);
  });
  test('a list that cannot be read trusts nothing, and the next trust mends it', async () => {
    await mkdir(join(folder, 'state', 'a2c'), { recursive: true });
    await writeFile(file, '{ not json');
    expect(await isTrusted(folder, file)).toBe(false);
    await trust(folder, file);
    expect(await isTrusted(folder, file)).toBe(true);
  });
  test('the list stands under XDG_STATE_HOME, the config of the user under XDG_CONFIG_HOME', () => {
    expect(trustFile({ XDG_STATE_HOME: '/s' })).toBe(join('/s', 'a2c', 'trusted.json'));
    expect(userConfigFile({ XDG_CONFIG_HOME: '/c' })).toBe(join('/c', 'a2c', 'a2c.json'));
  });
});

describe('the first config that exists counts', () => {
  const user = (): string => join(folder, 'user.json');
  test('a file asked for by name, whether it exists or not', async () => {
    await writeFile(join(folder, 'a2c.json'), '[]');
    expect(await findConfig('mine.json', folder, user())).toEqual({
      file: join(folder, 'mine.json'),
      from: 'option',
    });
  });
  test('then a2c.json, .mcp.json, mcp.json of the folder, then that of the user, then none', async () => {
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
