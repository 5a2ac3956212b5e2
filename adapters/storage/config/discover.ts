import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where a config comes from: the first that exists counts, nothing is merged (docs/config.md). */
export interface FoundConfig {
  readonly file: string;
  /** `folder`: whoever wrote the current folder wrote it too, so its servers start only once it is trusted. */
  readonly from: 'option' | 'folder' | 'user';
}
export const folderNames = ['a2c.json', '.mcp.json', 'mcp.json'] as const;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
/** `XDG_CONFIG_HOME` or `~/.config`, and there `a2c/a2c.json`: the only config that is ever written. */
export const userConfigFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'a2c', 'a2c.json');

/** Undefined: there is none, so the embedded default serves. A file that was asked for by name is not checked here. */
export async function findConfig(
  asked: string | undefined,
  folder: string,
  userFile = userConfigFile(),
): Promise<FoundConfig | undefined> {
  if (asked !== undefined) return { file: resolve(folder, asked), from: 'option' };
  for (const name of folderNames) {
    const file = join(folder, name);
    if (await exists(file)) return { file, from: 'folder' };
  }
  return (await exists(userFile)) ? { file: userFile, from: 'user' } : undefined;
}
