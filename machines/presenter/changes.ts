/** Changes that a change of a presenter makes in its config file. */
import type { Edit } from '../config/index.ts';
import { builtIns, type MCPServerConfig, type Surroundings } from './built-ins.ts';
import { mapKeyOf, ownServers } from './host-config.ts';
import type { Fields } from '../protocol/json.ts';

type Edits = readonly Edit[];

/** Key by key, so that what people wrote around them stays; of a server that the file does not have, all of `entry`. */
export function update(
  file: Fields,
  name: string,
  entry: MCPServerConfig,
  keys: Partial<MCPServerConfig>,
): Edits {
  const at = [mapKeyOf(file), name];
  if (!Object.hasOwn(ownServers(file), name)) return [{ path: at, value: entry }];
  return Object.entries(keys).map(([key, value]): Edit => {
    const path = [...at, key];
    return value === undefined ? { path, remove: true } : { path, value };
  });
}
/** It leaves the defaults, too; a built-in server has to be remembered as removed. */
export const removal = (file: Fields, name: string, surroundings: Surroundings): Edits => [
  { path: [mapKeyOf(file), name], remove: true },
  { path: ['defaultServers'], drop: name },
  ...(Object.hasOwn(builtIns(surroundings), name)
    ? [{ path: ['a2c', 'removedBuiltIns'], add: name } as const]
    : []),
];
/** Of a list that the file has, this one item alone: another process may change the others. */
export function defaults(file: Fields, name: string, next: readonly string[]): Edits {
  const path = ['defaultServers'];
  if (!Array.isArray(file['defaultServers'])) return [{ path, value: next }];
  return [next.includes(name) ? { path, add: name } : { path, drop: name }];
}
/** Built-in servers are as they were at first, which is off. Of all others nothing changes: what was off stays off. */
export const reset = (file: Fields, surroundings: Surroundings): Edits => [
  ...Object.keys(builtIns(surroundings)).flatMap((name): Edits => [
    { path: [mapKeyOf(file), name], remove: true },
    { path: ['defaultServers'], drop: name },
  ]),
  { path: ['a2c', 'removedBuiltIns'], remove: true },
];
