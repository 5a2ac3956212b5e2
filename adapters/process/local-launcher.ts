import { isRealTime } from '../clock.ts';
import type { Launcher } from './launcher.ts';
import { posixLauncher } from './posix-launcher.ts';
import { windowsLauncher } from './windows/windows-launcher.ts';

const launcher = process.platform === 'win32' ? windowsLauncher : posixLauncher;
/** On this machine, as children of this process. Throws in virtual time, for which no process waits. */
export const localLauncher: Launcher = {
  ...launcher,
  launch: (spec, env) => {
    if (isRealTime()) return launcher.launch(spec, env);
    const message =
      'no process runs in virtual time; give a `launcher`, such as that of worldOf(trace).computer';
    throw Object.assign(new Error(message), { isFinal: true });
  },
};
