import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Returns the command of a driver of this folder. */
export const driverOf = (
  name: 'create-computer' | 'command' | 'bare-sdk' | 'any-client',
): readonly string[] => [process.execPath, here(`drivers/${name}.mjs`)];
/** Command of the built `a2c-fault-server`. */
export const faultServer: readonly string[] = [
  process.execPath,
  here('../../dist/scenarios/fault-server/fault-server.mjs'),
];
