import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { watchFile } from './settings.ts';

let folder: string;
let file: string;
let told: number;
let hear: () => void;
let watcher: ReturnType<typeof watchFile>;
const problems: unknown[] = [];
beforeEach(async () => {
  folder = testFolder('watch');
  file = join(folder, 'a2c.json');
  writeFileSync(file, '{}');
  told = 0;
  hear = () => {};
  watcher = watchFile(
    file,
    () => {
      told += 1;
      hear();
    },
    (error) => problems.push(error),
  );
  await watcher.ready;
});
afterEach(async () => {
  await watcher.close();
  expect(problems).toEqual([]);
});
/** Runs `act` and waits until the watcher reports a change of the file. */
const isTold = async (act: () => void): Promise<void> => {
  const heard = new Promise<void>((resolve) => (hear = resolve));
  act();
  await heard;
};

it.each([
  ['is written', () => writeFileSync(file, '{"a":1}')],
  ['is deleted', () => rmSync(file)],
  [
    'is replaced by another in its place',
    () => {
      writeFileSync(join(folder, 'new'), '{"b":1}');
      renameSync(join(folder, 'new'), file);
    },
  ],
])('a file that %s is told', async (_, act) => {
  await isTold(act);
  expect(told).toBeGreaterThan(0);
});
it('a file that is deleted and there again is told each time', async () => {
  await isTold(() => rmSync(file));
  const before = told;
  await isTold(() => writeFileSync(file, '{}'));
  expect(told).toBeGreaterThan(before);
});
it('neighbours are not told, and nothing is told after the end', async () => {
  const neighbour = join(folder, 'neighbour.json');
  const other = watchFile(
    neighbour,
    () => hear(),
    (error) => problems.push(error),
  );
  await other.ready;
  mkdirSync(join(folder, 'a2c.json.lock'));
  await isTold(() => writeFileSync(neighbour, '{}'));
  await watcher.close();
  writeFileSync(file, '{"late":1}');
  await isTold(() => writeFileSync(neighbour, '{"later":1}'));
  await other.close();
  expect(told).toBe(0);
});
