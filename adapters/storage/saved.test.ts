import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { saveBytes } from './user-files.ts';

const given = (base64: string, mimeType?: string) => ({ base64, mimeType });

it('a result is written into a file of its own, beside what is there', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'a2c-saved-')), 'new');
  const first = await saveBytes(folder, 'shot', [given('AAEC', 'image/png'), given('AwQ=', 'image/jpeg')]);
  expect(first.map((path) => basename(path))).toEqual(['shot-1.png', 'shot-2.jpg']);
  expect([...(await readFile(first[1] as string))]).toEqual([3, 4]);
  expect(
    (await saveBytes(folder, 'shot', [given('AAEC', 'image/png')])).map((path) => basename(path)),
  ).toEqual(['shot-2.png']);
});

it('nothing that a server says leads out of the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'a2c-saved-'));
  const paths = await saveBytes(folder, '../../etc/passwd', [given('AA==', 'image/../../x'), given('AA==')]);
  expect(paths).toEqual([join(folder, 'etc-passwd-1.bin'), join(folder, 'etc-passwd-2.bin')]);
});

it('saving fails when the folder is a file', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'a2c-saved-')), 'file');
  await writeFile(file, '');
  await expect(saveBytes(file, 'shot', [given('AA==', 'image/png')])).rejects.toThrow('EEXIST');
});
