import { defaultStateDir, homeFolder, isRegistryInNpmrc, loginPath } from '../../../adapters/index.ts';
import type { Runtime } from '../runtime.ts';
import type { ComputerOptions } from './computer-options.ts';
import type { LaunchSpecsOptions } from '../../servers/launch-specs.ts';
import type { Logins } from '../../servers/login/logins.ts';
import { Registries } from '../../servers/registry/registries.ts';

/** What servers of a computer are launched and reached with on this machine. */
export const launching = (
  runtime: Runtime,
  logins: Logins,
  { inMemory = {}, transports = {}, stateDir = defaultStateDir(), onNotice }: ComputerOptions,
): Omit<LaunchSpecsOptions, 'inputs'> => {
  const notice = (text: string): void => onNotice?.(text);
  const registries = new Registries({ runtime, stateDir, now: () => Date.now(), notice });
  return {
    registries: { fastest: (list) => registries.fastest(list), isInNpmrc: isRegistryInNpmrc },
    inMemory,
    transports,
    places: { home: homeFolder(), workspace: process.cwd() },
    notice,
    loginPath,
    credentialsOf: (...facts) => logins.of(...facts),
    introduce: (...facts) => runtime.introduce(...facts),
    forget: (server, before) => runtime.forget(server, before),
  };
};
