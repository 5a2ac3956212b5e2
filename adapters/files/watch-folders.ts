import type * as Chokidar from 'chokidar';
import { statSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { isSkipped, joinPath } from '../../machines/document-files.ts';

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

/** A large file is reported when it stops changing. `trouble` is called when changes may be missed. */
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
/** Time in ms between two checks whether a folder is still the same. */
const lookMs = 500;
/** With the time of birth, because a file system may give the number of a deleted folder to the next one. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return [dev, ino, birthtimeMs].join(' ');
  } catch {
    return undefined;
  }
}
/** They name the watched folder itself when it is deleted or moved. */
interface RawDetails {
  readonly watchedPath?: string;
}
/** A folder deleted and made again at once silences its watcher, so it is checked from time to time. */
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
  const begin = (): Chokidar.FSWatcher => {
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
    watcher.once('ready', ready);
    watcher.on('raw', (_, path, details) => {
      const { watchedPath } = details as RawDetails;
      if (watchedPath !== undefined && basename(watchedPath) === path) lost.add(watchedPath);
    });
    return watcher;
  };
  const lost = new Set<string>();
  let seen: string | undefined;
  let current: Chokidar.FSWatcher | undefined;
  let closing: Promise<unknown> = Promise.resolve();
  const look = (): void => {
    timer = setTimeout(look, lookMs);
    const now = identityOf(root);
    const isMadeAgain = [...lost].some((path) => identityOf(path) !== undefined);
    lost.clear();
    if (now === seen && !isMadeAgain) return;
    const last = current;
    current = now === undefined ? undefined : begin();
    seen = now;
    if (!last) return;
    closing = Promise.all([closing, last.close()]);
    ready();
  };
  let timer: NodeJS.Timeout | undefined;
  look();
  return {
    close: async () => {
      clearTimeout(timer);
      await Promise.all([closing, current?.close()]);
    },
  };
}
