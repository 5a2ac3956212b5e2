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
/** Whether an `.npmrc` in one of these folders names the registry of npm: then that one counts, for npm itself reads it. */
export const isRegistryInNpmrc = (folders: readonly string[]): boolean =>
  folders.some((folder) => /^\s*registry\s*=\s*\S/m.test(textOf(join(folder, '.npmrc'))));
