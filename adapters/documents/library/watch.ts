import { sep } from 'node:path';
import { isSkipped, joinPath } from '../../../machines/documents/index.ts';
import type { Folder } from '../files/place.ts';

export interface Watching {
  close(): Promise<void>;
}
/** What is between two changes that are told together. */
const quietMs = 200;

/**
 * Tells which files below the folders were written, came or went, as their names for strangers. A large file that is still
 * written is told when it rests. `ready` is called once a folder is watched, `trouble` hears why changes are not seen, once.
 */
export async function watchFolders(
  folders: readonly Folder[],
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
  const watchers = folders.map(({ name, path: root }) => {
    const below = (path: string): string =>
      path
        .slice(root.length + (root.endsWith(sep) ? 0 : 1))
        .split(sep)
        .join('/');
    const watcher = chokidar.watch(root, {
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
    const hear = (path: string): void => {
      refs.add(name === '' ? below(path) : joinPath(name, below(path)));
      clearTimeout(timer);
      timer = setTimeout(flush, quietMs);
    };
    watcher.on('add', hear).on('change', hear).on('unlink', hear);
    watcher.on('error', (error) => {
      if (isTroubled) return;
      isTroubled = true;
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      trouble(`some changes of files are not seen (${code}); on Linux raise fs.inotify.max_user_watches`);
    });
    watcher.once('ready', ready);
    return watcher;
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await Promise.all(watchers.map((watcher) => watcher.close()));
    },
  };
}
