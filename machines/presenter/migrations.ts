import type { Edit } from '../config/index.ts';
import { documentsNames } from './built-ins.ts';
import { mapKeyOf, ownServers } from './host-config.ts';
import { isObject, type Fields } from '../protocol/json.ts';

/** What a file of this version of ours may say; `a2c.version` in it. */
export const fileVersion = 1;
/** Absent: written by hand or by another client, or before there were versions. */
export function versionOf(file: Fields): number {
  const { a2c } = file;
  const version = isObject(a2c) ? a2c['version'] : undefined;
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 ? version : 0;
}
/** A file of a later version is read as far as it can be, and never written. */
export const isOfFuture = (file: Fields): boolean => versionOf(file) > fileVersion;

/**
 * What of an older file has to be said otherwise. A file in which nothing has is left alone, so none is written for its
 * version only; what was migrated once is not migrated again.
 */
export function migrationsOf(file: Fields): readonly Edit[] {
  if (versionOf(file) >= fileVersion) return [];
  const edits = [...oneDefault(file), ...filesystem(file)];
  return edits.length === 0 ? [] : [...edits, { path: ['a2c', 'version'], value: fileVersion }];
}
/** DeepChat up to 0.0.12: one default server. */
function oneDefault(file: Fields): readonly Edit[] {
  if (!Object.hasOwn(file, 'defaultServer')) return [];
  const { defaultServer: one } = file;
  const isNeeded = typeof one === 'string' && one !== '' && !Array.isArray(file['defaultServers']);
  return [
    { path: ['defaultServer'], remove: true },
    ...(isNeeded ? [{ path: ['defaultServers'], value: [one] }] : []),
  ];
}
/** DeepChat up to 0.0.12: `filesystem` over stdio. One documents server has one folder, so there is one for each. */
function filesystem(file: Fields): readonly Edit[] {
  const own = ownServers(file);
  const old = Object.hasOwn(own, 'filesystem') ? own['filesystem'] : undefined;
  if (!isObject(old) || !Array.isArray(old['args']) || !isFilesystem(old['args'])) return [];
  const at = mapKeyOf(file);
  const folders = old['args'].slice(2).filter((arg) => typeof arg === 'string' && arg !== '');
  const names = documentsNames(folders.length).filter((name) => !Object.hasOwn(own, name));
  const { command: _, args: __, env: ___, type: ____, ...kept } = old;
  const listed = file['defaultServers'];
  const defaults = Array.isArray(listed)
    ? listed
    : typeof file['defaultServer'] === 'string'
      ? [file['defaultServer']]
      : null;
  const renamed = defaults?.flatMap((name: unknown) => (name === 'filesystem' ? names : [name]));
  return [
    { path: [at, 'filesystem'], remove: true },
    ...names.map((name, index) => ({
      path: [at, name],
      value: { ...kept, type: 'inmemory', args: [folders[index]] },
    })),
    ...(defaults?.includes('filesystem') ? [{ path: ['defaultServers'], value: [...new Set(renamed)] }] : []),
  ];
}
const isFilesystem = (args: readonly unknown[]): boolean =>
  args.some((arg) => typeof arg === 'string' && /(?:^|\/)server-filesystem(?:@|$)/.test(arg));
