import { execFileSync } from 'node:child_process';

const has = (command: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`]);
    return true;
  } catch {
    return false;
  }
};
const unlocked = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"';

/** On Linux: gnome-keyring in a session bus of its own, that ends with the command. */
export const inKeyringSession = {
  isThere: process.platform === 'linux' && has('dbus-run-session') && has('gnome-keyring-daemon'),
  wrap: (command: readonly string[]): readonly [string, ...string[]] => [
    'dbus-run-session',
    ...['--', 'sh', '-c', unlocked, 'sh', ...command],
  ],
};
