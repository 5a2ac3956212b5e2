import { isatty } from 'node:tty';
import { pathSeparator, type Surroundings } from './environment.ts';
import { runText } from './run-text.ts';

const limitMs = 2_000;
const [begin, finish] = ['a2c-path-begins', 'a2c-path-ends'];
/** What shells of people like to start, and what must not be started here. */
const quiet = 'DISABLE_AUTO_UPDATE=true ZSH_TMUX_AUTOSTART=false';
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export interface LoginShellOptions extends Surroundings {
  /** Whether anybody can see a terminal of this process. */
  readonly hasTerminal: boolean;
  /** It is ended after so many ms. Default 2,000. */
  readonly ms?: number;
}

/**
 * The PATH that the login shell of the user has: a program that was started from a desktop has not seen their profile.
 * Undefined where this process has a terminal (or `TERM`, so that it came from one), on Windows, and when the shell does
 * not say it in time. What else the shell prints is nothing to us, and what it asks is answered by the end of its input.
 */
export async function askLoginPath({
  platform,
  env,
  hasTerminal,
  ms = limitMs,
}: LoginShellOptions): Promise<string | undefined> {
  const { SHELL: shell, TERM: term } = env;
  if (platform === 'win32' || hasTerminal || (term ?? '') !== '' || !shell) return undefined;
  // `echo` and `env` mean the same in all shells, `$PATH` does not.
  const script = `echo ${begin}; /usr/bin/env; echo ${finish}`;
  try {
    const said = await runText(`exec env ${quiet} ${quoted(shell)} -ilc ${quoted(script)} 2>/dev/null`, {
      ms,
      until: `\n${finish}`,
    });
    const [, listed = ''] = said.split(`${begin}\n`);
    const path = /^PATH=(.*)$/m.exec(listed)?.[1] ?? '';
    // A shell that is mistaken about its own separator says nothing of use.
    return path.split(pathSeparator(platform)).some((folder) => folder.startsWith('/')) ? path : undefined;
  } catch {
    return undefined;
  }
}

let asked: Promise<string | undefined> | undefined;
/** The same of this process, asked once. */
export const loginPath = (): Promise<string | undefined> =>
  (asked ??= askLoginPath({
    platform: process.platform,
    env: process.env,
    hasTerminal: [0, 1, 2].some((stream) => isatty(stream)),
  }));
