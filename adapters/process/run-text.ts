import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { systemProgram, pathSeparator, type Surroundings } from './environment.ts';

/** A command that runs to its end. */
export interface RunOptions {
  /** Written to its stdin, which is closed then. */
  readonly input?: string;
  /** Ends it, with all that it started, after so many ms. */
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** Once its stdout holds this, it has said what is wanted: it is ended, whatever else it would do. */
  readonly until?: string;
}
/** More output than this ends the command. */
const mostBytes = 1024 * 1024;

/**
 * Runs a line in the shell of the system, and resolves with its stdout. Rejects with a sentence when it ends with another code
 * than 0, writes more than 1 MiB, is not over in time, or is not wanted any more; then nothing of its group is left.
 */
export function runText(line: string, { input = '', ms, signal, until }: RunOptions): Promise<string> {
  const isWindows = process.platform === 'win32';
  const child = spawn(line, {
    shell: isWindows ? (process.env['ComSpec'] ?? systemProgram('cmd')) : true,
    detached: !isWindows,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const end = (): void => {
    // Who left the group may hold the pipes.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    try {
      if (child.pid === undefined) return;
      if (isWindows) child.kill();
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  return new Promise((resolve, reject) => {
    let out = '';
    let said = '';
    const fail = (why: string): void => {
      end();
      reject(new Error(`the command ${why}`));
    };
    const timer = setTimeout(() => fail(`was not over within ${Math.round(ms / 1000)} s`), ms);
    const abort = (): void => fail('is not wanted any more');
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.length > mostBytes) fail('wrote more than 1 MiB');
      else if (until !== undefined && out.includes(until)) {
        end();
        resolve(out);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)));
    child.on('error', (error) => fail(`could not be started: ${error.message}`));
    child.on('close', (code, by) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      const why = by === null ? `ended with exit code ${code}` : `was ended by ${by}`;
      if (code === 0) resolve(out);
      else fail(`${why}${said.trim() === '' ? '' : `: ${said.trim()}`}`);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    if (signal?.aborted) abort();
  });
}

const limitMs = 2_000;
const [begin, finish] = ['a2c-path-begins', 'a2c-path-ends'];
/** What shells of people like to start, and what must not be started here. */
const quiet = 'DISABLE_AUTO_UPDATE=true ZSH_TMUX_AUTOSTART=false';
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

interface LoginShellOptions extends Surroundings {
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

/** What opens a page on this platform, with its first arguments. */
export const openerFor = (
  platform: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly [string, ...string[]] => {
  if (platform === 'win32') return [systemProgram('rundll32', env), 'url.dll,FileProtocolHandler'];
  return [platform === 'darwin' ? 'open' : 'xdg-open'];
};
/**
 * Opens a page in the browser of this user. Only `http:` and `https:`: anything else could start a program. Resolves to false when
 * it could not be started; the browser lives on.
 */
export function openInBrowser(url: string): Promise<boolean> {
  return isOfWeb(url) ? opened(new URL(url).href) : Promise.resolve(false);
}
const isOfWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
/**
 * The same of an address that nobody else may see, because a token stands in it: what a program is called with is seen by
 * everybody on this machine. So the browser is given a file of this user that leads there, `open.html` in `folder`.
 */
export function openSecretInBrowser(url: string, folder: string): Promise<boolean> {
  if (!isOfWeb(url)) return Promise.resolve(false);
  const file = join(folder, 'open.html');
  const { href } = new URL(url);
  const quoted = href.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(
      file,
      `<!doctype html><meta http-equiv="refresh" content="0;url=${quoted}"><a href="${quoted}">the inspector</a>\n`,
      { mode: 0o600 },
    );
  } catch {
    return Promise.resolve(false);
  }
  return opened(file);
}
function opened(target: string): Promise<boolean> {
  const [command, ...args] = openerFor(process.platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, target], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
