import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { watchFolders } from './watch-folders.ts';

/** Watches a new folder, and waits for what is heard of it and for how often it was told that all is watched. */
async function watched(fill: (root: string) => void = () => {}) {
  const root = testFolder('watched');
  fill(root);
  const heard = new Set<string>();
  let ready = 0;
  let look = (): void => {};
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => isThere() && resolve();
      look();
    });
  const watching = await watchFolders(
    [{ path: root, name: '' }],
    (refs) => {
      for (const ref of refs) heard.add(ref);
      look();
    },
    () => {
      ready += 1;
      look();
    },
    (reason) => expect(reason).toBe(''),
  );
  onTestFinished(() => watching.close());
  const readyFor = (times: number): Promise<void> => until(() => ready >= times);
  await readyFor(1);
  const hears = (ref: string): Promise<Set<string>> => until(() => heard.has(ref)).then(() => heard);
  return { root, readyFor, hears };
}

// Under Wine 8 a folder that is watched is not removed (docs/windows.md).
describe.skipIf(process.platform === 'win32')('a watched folder', () => {
  it.each(['', 'a'])('a folder that is deleted and made again at once is watched: %j', async (below) => {
    const { root, readyFor, hears } = await watched((at) => {
      for (const name of ['a', 'b']) mkdirSync(join(at, name), { recursive: true });
      writeFileSync(join(at, below, 'old.md'), 'old');
    });
    rmSync(join(root, below), { recursive: true });
    mkdirSync(join(root, below));
    // Is told when the last watch has ended, and when the next one has begun.
    await readyFor(3);
    const file = join(below, 'new.md');
    writeFileSync(join(root, file), 'new');
    expect(await hears(file)).toContain(file);
  });

  it('a folder that is deleted, and made again after it was missed, is watched', async () => {
    const { root, readyFor, hears } = await watched();
    rmSync(root, { recursive: true });
    // Is told once when the folder is missed, and once when it is watched again.
    await readyFor(2);
    mkdirSync(root);
    await readyFor(3);
    writeFileSync(join(root, 'new.md'), 'new');
    expect(await hears('new.md')).toContain('new.md');
  });
});
