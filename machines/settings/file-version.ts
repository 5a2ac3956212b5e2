import { isObject, type Fields } from '../protocol/json.ts';

export const fileVersion = 1;
export function versionOf(file: Fields): number {
  const { a2c } = file;
  const version = isObject(a2c) ? a2c['version'] : undefined;
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 ? version : 0;
}
/** Such a file is read as far as possible and never written. */
export const isOfFuture = (file: Fields): boolean => versionOf(file) > fileVersion;
