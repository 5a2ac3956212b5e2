import { homeFolder, loginPath } from '../../adapters/index.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ComputerOptions } from '../api/computer/computer-options.ts';
import type { LaunchSpecsOptions } from './launch-specs.ts';
import type { Logins } from './login/logins.ts';

/** What servers of a computer are launched and reached with on this machine. */
export const launching = (
  runtime: Pick<Runtime, 'introduce' | 'forget'>,
  logins: Logins,
  { inMemory = {}, transports = {}, onNotice }: Pick<ComputerOptions, 'inMemory' | 'transports' | 'onNotice'>,
): Omit<LaunchSpecsOptions, 'inputs'> => ({
  inMemory,
  transports,
  places: { home: homeFolder(), workspace: process.cwd() },
  notice: (text) => onNotice?.(text),
  loginPath,
  credentialsOf: (...facts) => logins.of(...facts),
  introduce: (...facts) => runtime.introduce(...facts),
  forget: (server, before) => runtime.forget(server, before),
});
