/** Single commands run to their end, and pages opened in a browser. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { systemProgram, pathSeparator, type Surroundings } from './environment.ts';
import { exitCodeText } from '../../machines/process/server-failure.ts';
import { startTimeOf } from './reaper/group.ts';
import type { Entry, Ledger } from './reaper/ledger.ts';
import { plantTree, type Tree } from './windows-trees.ts';

/** Options for running one shell command to its end. */
export interface RunOptions {
  /** Text written to the command's stdin, which is closed afterwards. */
  readonly input?: string;
  /** Time limit in ms; after it the command and all processes it started are ended. */
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** Text that ends the command as soon as its stdout contains it; the output up to there is the result. */
  readonly until?: string;
  /**
   * Ledger of the host, so that the command is ended when the host is killed. Processes that the command leaves behind after
   * its end are not ended.
   */
  readonly ledger?: Pick<Ledger, 'expect' | 'enter' | 'leaderEnded'> | undefined;
}
/** Largest output in characters; a command that writes more is ended. */
const mostBytes = 1024 * 1024;

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly tree: Tree | undefined;
  readonly ended: Promise<void>;
}
/** The command counts as gone when its shell has ended. */
function enterInto(ledger: RunOptions['ledger'], { child, tree, ended }: Running, end: () => void): void {
  const { pid } = child;
  if (!ledger || pid === undefined) return;
  const entry: Entry = {
    key: `command/${pid}`,
    group: tree?.root ?? { pgid: pid, startTime: startTimeOf(pid) },
    streams: child,
    signal: end,
    living: () => (child.exitCode === null && child.signalCode === null ? 1 : 0),
  };
  ledger.enter(entry);
  void ended.then(() => ledger.leaderEnded(entry, () => {}));
}
/** Rejects for another exit code than 0, over 1 MiB, a time-out or an abort; its group is ended then. */
export function runText(
  line: string,
  { input = '', ms, signal, until, ledger }: RunOptions,
): Promise<string> {
  const isWindows = process.platform === 'win32';
  ledger?.expect();
  const child = spawn(line, {
    shell: isWindows ? (process.env['ComSpec'] ?? systemProgram('cmd')) : true,
    detached: !isWindows,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const { pid } = child;
  const tree = isWindows && pid !== undefined ? plantTree(pid, () => child.kill('SIGKILL')) : undefined;
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => resolve(tree?.rootEnded())).once('error', () => resolve()),
  );
  const end = async (): Promise<void> => {
    // Closes the pipes, because a process that left the group may still hold them.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    try {
      if (tree) tree.signal('SIGKILL');
      else if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // Ignores the error of a command that has already ended.
    }
    await ended;
  };
  return new Promise((resolve, reject) => {
    let out = '';
    let said = '';
    let isOver = false;
    const endAnd = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      void end().then(settle);
    };
    const fail = (why: string): void => endAnd(() => reject(new Error(`the command ${why}`)));
    const timer = setTimeout(() => fail(`was not over within ${Math.round(ms / 1000)} s`), ms);
    const abort = (): void => fail('is not wanted any more');
    enterInto(ledger, { child, tree, ended }, () => fail('was ended with its host'));
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.length > mostBytes) fail('wrote more than 1 MiB');
      else if (until !== undefined && out.includes(until)) {
        endAnd(() => resolve(out));
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)));
    child.on('error', (error) => fail(`could not be started: ${error.message}`));
    child.on('close', (code, by) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      const why =
        by === null
          ? `ended with exit code ${code === null ? code : exitCodeText(code)}`
          : `was ended by ${by}`;
      // Ignores the exit code of a command that was ended, because `cmd.exe` may report 0 for it.
      if (isOver) return;
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
/** Environment variables that keep shells from starting updates or a terminal multiplexer. */
const quiet = 'DISABLE_AUTO_UPDATE=true ZSH_TMUX_AUTOSTART=false';
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

interface LoginShellOptions extends Surroundings {
  readonly hasTerminal: boolean;
  /** In ms, 2,000 by default; the shell is ended after it. */
  readonly ms?: number;
}

/** For a program started from a desktop. Undefined with a terminal, on Windows, or when the shell fails. */
export async function askLoginPath({
  platform,
  env,
  hasTerminal,
  ms = limitMs,
}: LoginShellOptions): Promise<string | undefined> {
  const { SHELL: shell, TERM: term } = env;
  if (platform === 'win32' || hasTerminal || (term ?? '') !== '' || !shell) return undefined;
  // Prints the environment with `echo` and `env`, because both work in all shells while `$PATH` does not.
  const script = `echo ${begin}; /usr/bin/env; echo ${finish}`;
  try {
    const said = await runText(`exec env ${quiet} ${quoted(shell)} -ilc ${quoted(script)} 2>/dev/null`, {
      ms,
      until: `\n${finish}`,
    });
    const [, listed = ''] = said.split(`${begin}\n`);
    const path = /^PATH=(.*)$/m.exec(listed)?.[1] ?? '';
    // Ignores a PATH without any absolute folder, as a shell with another separator prints it.
    return path.split(pathSeparator(platform)).some((folder) => folder.startsWith('/')) ? path : undefined;
  } catch {
    return undefined;
  }
}

let asked: Promise<string | undefined> | undefined;
/** The shell is started only once. */
export const loginPath = (): Promise<string | undefined> =>
  (asked ??= askLoginPath({
    platform: process.platform,
    env: process.env,
    hasTerminal: [0, 1, 2].some((stream) => isatty(stream)),
  }));

export const openerFor = (
  platform: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly [string, ...string[]] => {
  if (platform === 'win32') return [systemProgram('rundll32', env), 'url.dll,FileProtocolHandler'];
  return [platform === 'darwin' ? 'open' : 'xdg-open'];
};
/** Only `http:` and `https:`, because any other address could start a program. */
export function openInBrowser(url: string): Promise<boolean> {
  return isOfWeb(url) ? opened(new URL(url).href) : Promise.resolve(false);
}
const isOfWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
/** Arguments are visible to every user, so the browser gets a file that only this user can read. */
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

interface StartNews {
  readonly up: true | string;
}
/** Resolves with true once that program reports that it is running, else with the reason why not. */
export function startInBackground(words: readonly string[], cwd: string): Promise<true | string> {
  const [main = ''] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, main, ...words], {
    cwd,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve) => {
    const over = (why: true | string): void => {
      if (child.connected) child.disconnect();
      child.unref();
      resolve(why);
    };
    child.on('message', ({ up }: StartNews) => over(up));
    child.on('error', (error) => over(error.message));
    child.on('exit', (code, signal) => over(`it ended with ${signal ?? `exit code ${code}`}`));
  });
}
export function tellStarter(up: StartNews['up']): void {
  if (!process.connected) return;
  process.send?.({ up } satisfies StartNews, () => {
    if (process.connected) process.disconnect();
  });
}
