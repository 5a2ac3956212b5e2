import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultStateDir, replaceFile, replaceFileSync } from './host-files.ts';

const home = (): string => homedir();

describe('the folder of what a host keeps', () => {
  it.each([
    ['linux', {}, join(homedir(), '.local', 'state', 'a2c')],
    ['darwin', { LOCALAPPDATA: '/elsewhere' }, join(homedir(), '.local', 'state', 'a2c')],
    ['win32', { LOCALAPPDATA: '/local' }, join('/local', 'a2c')],
    ['win32', {}, join(homedir(), 'AppData', 'Local', 'a2c')],
    ['win32', { LOCALAPPDATA: '/local', XDG_STATE_HOME: homedir() }, join(homedir(), 'a2c')],
    ['linux', { XDG_STATE_HOME: 'not/absolute' }, join(homedir(), '.local', 'state', 'a2c')],
  ])('is on %s with %j %s', (platform, env, folder) => {
    expect(defaultStateDir({ platform, env, home })).toBe(folder);
  });
});

describe('a file that takes the place of another one', () => {
  const errorOf = (code: string): Error => Object.assign(new Error(code), { code });
  /** Fake system that refuses so many renames, and counts them. */
  function system(platform: string, code: string, refusals: number) {
    let count = 0;
    const rename = (): void => {
      count += 1;
      if (count <= refusals) throw errorOf(code);
    };
    return { count: () => count, at: [{ platform, env: {}, home }, rename] as const };
  }
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'waits on Windows while another process has it open (%s)',
    async (code) => {
      const [blocking, other] = [system('win32', code, 2), system('win32', code, 2)];
      replaceFileSync('a', 'b', ...blocking.at);
      await replaceFile('a', 'b', ...other.at);
      expect([blocking.count(), other.count()]).toEqual([3, 3]);
    },
  );
  it.each([
    ['win32', 'EPERM', 20],
    ['win32', 'ENOENT', 1],
    ['linux', 'EPERM', 1],
  ])('fails on %s with %s after %i tries', async (platform, code, tries) => {
    const { at, count } = system(platform, code, Infinity);
    await expect(replaceFile('a', 'b', ...at)).rejects.toThrow(code);
    expect(count()).toBe(tries);
  });
});
