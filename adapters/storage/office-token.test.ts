import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepOfficeToken, keptOfficeToken } from './office-token.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('office-tokens');
const file = join(folder, 'offices', '3000.token');
const url = 'http://127.0.0.1:3000';

describe('the token of an office', () => {
  // Windows has no modes.
  it.skipIf(process.platform === 'win32')('is kept for its user alone, until the office closes', () => {
    const forget = keepOfficeToken(folder, 3000, 'secret');
    expect([statSync(file).mode & 0o777, statSync(join(folder, 'offices')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect(keptOfficeToken(folder, url)).toBe('secret');
    forget();
    expect([existsSync(file), keptOfficeToken(folder, url)]).toEqual([false, undefined]);
  });

  it('is that of the office which opened last, no matter who closes before', () => {
    const forget = keepOfficeToken(folder, 3000, 'old');
    const forgetNew = keepOfficeToken(folder, 3000, 'new');
    forget();
    expect(keptOfficeToken(folder, url)).toBe('new');
    forgetNew();
  });

  it.each(['http://localhost:3000', 'http://[::1]:3000/', 'http://127.0.0.1:3000/x?y'])(
    'is shown to %s',
    (same) => {
      const forget = keepOfficeToken(folder, 3000, 'secret');
      expect(keptOfficeToken(folder, same)).toBe('secret');
      forget();
    },
  );

  it.each([
    ...['http://192.168.0.1:3000', 'https://127.0.0.1:3000', 'http://127.0.0.1:3001'],
    ...['http://127.0.0.1.example:3000', 'nonsense', ''],
  ])('is not shown to %s', (other) => {
    const forget = keepOfficeToken(folder, 3000, 'secret');
    expect(keptOfficeToken(folder, other)).toBeUndefined();
    forget();
  });

  it.each<[string, number, string | undefined]>([
    ['win32', 0o666, 'told'],
    ['win32', 0o600, 'told'],
    ['linux', 0o666, undefined],
    ['linux', 0o640, undefined],
    ['darwin', 0o604, undefined],
    ...(process.platform === 'win32' ? [] : [['linux', 0o600, 'told'] satisfies [string, number, string]]),
  ])('is taken on %s from a file of mode %o: %s', (platform, mode, token) => {
    writeFileSync(file, 'told\n');
    chmodSync(file, mode);
    expect(keptOfficeToken(folder, url, platform)).toBe(token);
    rmSync(file);
  });

  // Windows has no modes.
  it.skipIf(process.platform === 'win32')('is not kept in a file that others can read', () => {
    writeFileSync(file, 'planted', { mode: 0o644 });
    chmodSync(file, 0o644);
    const forget = keepOfficeToken(folder, 3000, 'secret');
    expect([keptOfficeToken(folder, url), statSync(file).mode & 0o777]).toEqual(['secret', 0o600]);
    forget();
  });
});
