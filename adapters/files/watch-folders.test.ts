import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { watchFolders } from './watch-folders.ts';

const names = ['a', 'b'];

// Under Wine 8 a folder that is watched is not removed (docs/windows.md).
it.skipIf(process.platform === 'win32').each(['', 'a'])(
  'a folder that is deleted and made again at once is watched: %j',
  async (below) => {
    const root = testFolder('watched');
    for (const name of names) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, below, 'old.md'), 'old');
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
    await until(() => ready === 1);
    rmSync(join(root, below), { recursive: true });
    mkdirSync(join(root, below));
    // Is told when the last watch has ended, and when the next one has begun.
    await until(() => ready >= 3);
    const file = join(below, 'new.md');
    writeFileSync(join(root, file), 'new');
    await until(() => heard.has(file));
    await watching.close();
  },
);

it.skipIf(process.platform === 'win32')(
  'a folder that is deleted, and made again after it was missed, is watched',
  async () => {
    const root = testFolder('watched');
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
    await until(() => ready === 1);
    rmSync(root, { recursive: true });
    // Is told once when the folder is missed, and once when it is watched again.
    await until(() => ready === 2);
    mkdirSync(root);
    await until(() => ready === 3);
    writeFileSync(join(root, 'new.md'), 'new');
    await until(() => heard.has('new.md'));
    await watching.close();
  },
);
