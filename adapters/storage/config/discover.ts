import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';

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
/**
 * The only config that is ever written. `$XDG_CONFIG_HOME/a2c/a2c.json` or `~/.config/a2c/a2c.json` where there is one, or where
 * the platform has no other place; else where the platform keeps such files.
 */
export const userConfigFile = (env: NodeJS.ProcessEnv = process.env): string => {
  const known = join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'a2c', 'a2c.json');
  if (env.XDG_CONFIG_HOME || process.platform === 'linux' || existsSync(known)) return known;
  return join(envPaths('a2c', { suffix: '' }).config, 'a2c.json');
};

/** The file that a change is written into, by its whole path: the one that was asked for, else the one of this user. */
export async function configToWrite(
  asked: string | undefined,
  folder: string,
): Promise<{ readonly file: string; readonly isThere: boolean }> {
  const file = asked === undefined ? userConfigFile() : resolve(folder, asked);
  return { file, isThere: await exists(file) };
}

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
