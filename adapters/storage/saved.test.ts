import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { lackedByWindows, saveBytes, saveFile, saveFolder } from './user-files.ts';

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

it.each([
  ['C:\\a\\b.txt', undefined],
  ['C:/a/../b', undefined],
  ['.\\a b.tar.gz', undefined],
  ['\\\\server\\share\\a.txt', undefined],
  ['\\\\?\\C:\\a.txt', undefined],
  ['console.txt', undefined],
  ['com10', undefined],
  ['nul-1.png', undefined],
  ['.env', undefined],
  ['con', 'con'],
  ['a/NUL.txt', 'NUL.txt'],
  ['aux.tar.gz', 'aux.tar.gz'],
  ['nul .md', 'nul .md'],
  ['COM1/x', 'COM1'],
  ['lpt¹', 'lpt¹'],
  ['CONIN$', 'CONIN$'],
  ['a/b.', 'b.'],
  ['a /b', 'a '],
  ['a...', 'a...'],
  ['C:a:b', 'a:b'],
  ['notes?.md', 'notes?.md'],
  ['a\tb', 'a\tb'],
])('Windows cannot have a file %j because of %j', (path, lacked) => {
  expect(lackedByWindows(path, 'win32')).toBe(lacked);
  expect(lackedByWindows(path, 'linux')).toBeUndefined();
});

it.runIf(process.platform === 'win32')('a name of a device is refused, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'a2c-saved-'));
  const content = 'lost';
  await expect(saveFile({ path: join(folder, 'nul.txt'), content })).rejects.toThrow('Windows has no file');
  const files = async function* () {
    yield { path: 'SKILL.md', content };
    yield { path: 'notes/aux.md', content };
  };
  for (const name of ['skill', 'con'])
    await expect(saveFolder(join(folder, name), files())).rejects.toThrow('Windows has no file');
  expect(await readdir(folder)).toEqual([]);
});
