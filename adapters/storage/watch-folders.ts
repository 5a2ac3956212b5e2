import type * as Chokidar from 'chokidar';
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { isSkipped, joinPath } from '../../machines/document-files.ts';

/** Folder that is watched. */
export interface WatchedFolder {
  readonly path: string;
  /** First part of all reported paths in this folder; empty for none. */
  readonly name: string;
}
export interface Watching {
  close(): Promise<void>;
}
/** Time in ms without a further change before changes are reported together. */
const quietMs = 200;

/**
 * Watches folders and reports the files that were written, created or removed, by the paths that clients see. A large file that
 * is being written is reported when it stops changing. `ready` is called for each folder once it is watched, `trouble` with the
 * reason when changes may be missed.
 */
export async function watchFolders(
  folders: readonly WatchedFolder[],
  touched: (refs: ReadonlySet<string>) => void,
  ready: () => void,
  trouble: (reason: string) => void,
): Promise<Watching> {
  const chokidar = await import('chokidar').catch(() => undefined);
  if (!chokidar) {
    trouble('changes of files are not seen: npm install chokidar');
    return { close: () => Promise.resolve() };
  }
  let refs = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isTroubled = false;
  const flush = (): void => {
    const told = refs;
    refs = new Set();
    touched(told);
  };
  const hear = (ref: string): void => {
    refs.add(ref);
    clearTimeout(timer);
    timer = setTimeout(flush, quietMs);
  };
  const fail = (error: unknown): void => {
    if (isTroubled) return;
    isTroubled = true;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    trouble(`some changes of files are not seen (${code}); on Linux raise fs.inotify.max_user_watches`);
  };
  const watchers = folders.map((folder) => watchFolder(chokidar.watch, folder, { hear, ready, fail }));
  return {
    close: async () => {
      clearTimeout(timer);
      await Promise.all(watchers.map((watcher) => watcher.close()));
    },
  };
}

interface Heard {
  readonly hear: (ref: string) => void;
  readonly ready: () => void;
  readonly fail: (error: unknown) => void;
}
/** Time in ms between two looks for a folder that was deleted. */
const goneMs = 500;
/** Watches one folder. When it is deleted it is looked for, and watched again when it is back. */
function watchFolder(
  watch: typeof Chokidar.watch,
  { name, path: root }: WatchedFolder,
  { hear, ready, fail }: Heard,
): Watching {
  const below = (path: string): string =>
    path
      .slice(root.length + (root.endsWith(sep) ? 0 : 1))
      .split(sep)
      .join('/');
  const hearPath = (path: string): void => hear(name === '' ? below(path) : joinPath(name, below(path)));
  let isClosed = false;
  /** Number of the folder in its file system, which another folder of that name has not; undefined when there is none. */
  const inode = (): number | undefined => statSync(root, { throwIfNoEntry: false })?.ino;
  const begin = (): Chokidar.FSWatcher => {
    const begun = inode();
    const watcher = watch(root, {
      ignoreInitial: true,
      followSymlinks: false,
      atomic: true,
      awaitWriteFinish: { stabilityThreshold: 150, pollInterval: 50 },
      ignored: (path, facts) =>
        path !== root &&
        below(path)
          .split('/')
          .some((part, at, all) => isSkipped(part, at < all.length - 1 || facts?.isDirectory() === true)),
    });
    watcher.on('add', hearPath).on('change', hearPath).on('unlink', hearPath).on('error', fail);
    const beginAgain = (): void => {
      if (isClosed) return;
      ready();
      void watcher.close().then(beginWhenThere);
    };
    watcher.once('ready', () => {
      // Begins again when the folder was deleted meanwhile; nothing else reports that.
      if (inode() === begun) ready();
      else beginAgain();
    });
    watcher.on('unlinkDir', (path) => {
      if (path === root) beginAgain();
    });
    return watcher;
  };
  const beginWhenThere = (): void => {
    if (isClosed) return;
    if (inode() === undefined) timer = setTimeout(beginWhenThere, goneMs);
    else current = begin();
  };
  let timer: NodeJS.Timeout | undefined;
  let current: Chokidar.FSWatcher | undefined;
  beginWhenThere();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      return current?.close() ?? Promise.resolve();
    },
  };
}
