import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { ownFile } from './own-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2c-own-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
const written = (file: string): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
};

it('files that a packager unpacked beside an archive are taken from there, the others from the archive', () => {
  const dist = join(folder, 'resources/app.asar/node_modules/a2c-actors/dist');
  const packed = written(join(dist, 'adapters/page/index.html'));
  written(join(dist, 'adapters/vrl/worker.js'));
  const unpacked = written(join(dist.replace('.asar', '.asar.unpacked'), 'adapters/vrl/worker.js'));
  vi.stubEnv('A2C_ASSETS', dist);
  expect([ownFile('adapters/page/index.html'), ownFile('adapters/vrl/worker.js')]).toEqual([
    packed,
    unpacked,
  ]);
});
