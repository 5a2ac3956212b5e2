import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testFolder } from '../scenarios/fixtures/test-folder.ts';
import { ownFile } from './own-files.ts';

const written = (file: string): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
};

it('files that a packager unpacked beside an archive are taken from there, the others from the archive', () => {
  const dist = join(testFolder('own'), 'resources/app.asar/node_modules/a2c-actors/dist');
  const packed = written(join(dist, 'adapters/page/index.html'));
  written(join(dist, 'adapters/vrl/worker.js'));
  const unpacked = written(join(dist.replace('.asar', '.asar.unpacked'), 'adapters/vrl/worker.js'));
  vi.stubEnv('A2C_ASSETS', dist);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect([ownFile('adapters/page/index.html'), ownFile('adapters/vrl/worker.js')]).toEqual([
    packed,
    unpacked,
  ]);
});
