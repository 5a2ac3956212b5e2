import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const most = 1024 * 1024;
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').slice(0, most);
  } catch {
    return '';
  }
};
/** Such a registry wins over any other, because npm reads the file itself. */
export const isRegistryInNpmrc = (folders: readonly string[]): boolean =>
  folders.some((folder) => /^[ \t]*registry[ \t]*=[ \t]*\S/m.test(textOf(join(folder, '.npmrc'))));
