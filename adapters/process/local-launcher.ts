import type { Launcher } from './launcher.ts';
import { posixLauncher } from './posix-launcher.ts';
import { windowsLauncher } from './windows/windows-launcher.ts';

/** On this machine, as children of this process. */
export const localLauncher: Launcher = process.platform === 'win32' ? windowsLauncher : posixLauncher;
