import { posix } from 'node:path';
import { isTest, type Violation, type Source } from './source.ts';

/** As many as can be read at a glance. */
export const mostFiles = 15;

const isCounted = ({ path }: Pick<Source, 'path'>): boolean =>
  !isTest(path) &&
  !path.endsWith('.given.ts') &&
  !/^scenarios\/(fixtures|contracts\/models\/tool-lists)\//.test(path);

/** Folders with more files of their own than a reader can take in. Tests, stories and fixtures are not counted. */
export function folderViolations(sources: readonly Pick<Source, 'path'>[]): Violation[] {
  const count = new Map<string, number>();
  for (const { path } of sources.filter(isCounted)) {
    const folder = posix.dirname(path);
    count.set(folder, (count.get(folder) ?? 0) + 1);
  }
  return [...count]
    .filter(([, files]) => files > mostFiles)
    .map(([folder, files]) => ({
      path: folder,
      line: 1,
      what: `${folder} has ${files} files of its own`,
      instead: `group them by subject: at most ${mostFiles} in a folder`,
    }));
}
