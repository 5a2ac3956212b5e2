import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changeFile } from './write.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2c-write-'));
afterAll(() => rmSync(folder, { recursive: true }));
const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe('a file that is changed', () => {
  it('is made where there is none, for its owner alone', async () => {
    const file = join(folder, 'new', 'a2c.json');
    await changeFile(file, (text) => `${text}{}`);
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(modeOf(file)).toBe(0o600);
  });

  it('keeps its mode, and stays a link where it is one', async () => {
    const [file, link] = [join(folder, 'real.json'), join(folder, 'link.json')];
    writeFileSync(file, 'a');
    chmodSync(file, 0o644);
    symlinkSync(file, link);
    await changeFile(link, (text) => `${text}b`);
    expect(readFileSync(file, 'utf8')).toBe('ab');
    expect(modeOf(file)).toBe(0o644);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('is as it was when the change fails, or is none, and nothing is left beside it', async () => {
    const own = join(folder, 'own');
    const file = join(own, 'same.json');
    await changeFile(file, () => 'a');
    await expect(
      changeFile(file, () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await changeFile(file, () => undefined);
    expect(readFileSync(file, 'utf8')).toBe('a');
    expect(readdirSync(own)).toEqual(['same.json']);
  });

  it('has every one of many changes at once', async () => {
    const file = join(folder, 'many.json');
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => changeFile(file, (text) => text + String(n))),
    );
    expect(readFileSync(file, 'utf8').split('').toSorted().join('')).toBe('0123456789');
  });
});
