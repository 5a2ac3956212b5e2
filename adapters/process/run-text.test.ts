import { describe, expect, it } from 'vitest';
import { createLedger } from './reaper/ledger.ts';
import { askLoginPath, openInBrowser, runText, openerFor } from './run-text.ts';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const ms = 60_000;
const node = (script: string): string => `"${process.execPath}" -e "${script}"`;

describe('a command that is run to its end', () => {
  it('is given its input, and answers what it writes', async () => {
    expect(await runText(node('process.stdin.pipe(process.stdout)'), { input: 'hello', ms })).toBe('hello');
  });

  it.each([
    ['another exit code', node("console.error('no luck'); process.exit(3)"), 'exit code 3: no luck'],
    ['too much output', node("process.stdout.write('x'.repeat(2e6))"), 'more than 1 MiB'],
    [
      'a name that is none',
      'no-such-command-anywhere',
      process.platform === 'win32' ? 'exit code' : 'exit code 127',
    ],
  ])('fails with %s', async (_what, line, message) => {
    await expect(runText(line, { ms })).rejects.toThrow(message);
  });

  it('is ended when its time is over, and when nobody wants it', async () => {
    const forever = node('setInterval(() => {}, 1000)');
    await expect(runText(forever, { ms: 20 })).rejects.toThrow('was not over');
    await expect(runText(forever, { ms, signal: AbortSignal.abort() })).rejects.toThrow('not wanted');
  });

  it('is in the ledger of its host until it has ended, and ends with it', async () => {
    const ledger = createLedger({ reaper: false, stateDir: false });
    const running = runText(node('setInterval(() => {}, 1000)'), { ms, ledger });
    expect(ledger.size).toBe(1);
    ledger.killAll();
    await expect(running).rejects.toThrow('the command was ended with its host');
    await ledger.closed();
    expect(ledger.size).toBe(0);
    expect(await runText(node('console.log(1)'), { ms, ledger })).toBe('1\n');
    await ledger.closed();
    expect(ledger.size).toBe(0);
  });
});

it('a page is opened by a program of Windows there, and by one of PATH elsewhere', () => {
  expect(openerFor('win32', { SystemRoot: 'D:\\Win' })).toEqual([
    'D:\\Win\\System32\\rundll32.exe',
    'url.dll,FileProtocolHandler',
  ]);
  expect(openerFor('darwin', {})).toEqual(['open']);
  expect(openerFor('linux', {})).toEqual(['xdg-open']);
});

it.each(['file:///etc/passwd', 'javascript:alert(1)', 'not a url', '-x'])(
  'a page is opened for addresses of the web only: not for %s',
  async (url) => {
    expect(await openInBrowser(url)).toBe(false);
  },
);

const folder = testFolder('login');
const shell = (name: string, before: string): string => {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${before}\n[ "$1" = -ilc ] && PATH=/login/bin:/bin exec /bin/sh -c "$2"\n`);
  chmodSync(file, 0o755);
  return file;
};
const isPosix = process.platform !== 'win32';
const ask = (SHELL: string, ms = 60_000, env: Record<string, string> = {}, hasTerminal = false) =>
  askLoginPath({ platform: process.platform, env: { SHELL, ...env }, hasTerminal, ms });

describe.runIf(isPosix)('the PATH of the login shell', () => {
  it('is what the shell has after its profile', async () => {
    expect(await ask(shell('plain', ':'))).toBe('/login/bin:/bin');
    expect(await ask(shell("it's here", ':'))).toBe('/login/bin:/bin');
  });
  it('is found behind a banner, also one that looks like it', async () => {
    const banner = 'echo "Welcome!"; echo PATH=/banner; echo a2c-path; echo noise >&2';
    expect(await ask(shell('banner', banner))).toBe('/login/bin:/bin');
  });
  it('is had although the shell asks something: nobody answers', async () => {
    expect(await ask(shell('asks', 'printf "Update now? "; read answer'))).toBe('/login/bin:/bin');
  });
  it('is had although something that the profile started holds the pipe', async () => {
    expect(await ask(shell('agent', 'sleep 600 &'))).toBe('/login/bin:/bin');
  });
  it('is none of a shell that hangs, fails, is missing, or says no folder; what hangs is ended', async () => {
    expect(await ask(shell('hangs', 'exec sleep 600'), 50)).toBeUndefined();
    expect(await ask(shell('fails', 'exit 3'))).toBeUndefined();
    expect(await ask('/no/such/shell')).toBeUndefined();
    expect(
      await ask(
        shell('empty', 'PATH= exec /bin/sh -c "echo a2c-path-begins; echo PATH=; echo a2c-path-ends"'),
      ),
    ).toBeUndefined();
  });
  it('is not asked for where this process came from a terminal, nor without a shell', async () => {
    const plain = shell('never', ':');
    expect(await ask(plain, 60_000, {}, true)).toBeUndefined();
    expect(await ask(plain, 60_000, { TERM: 'xterm' })).toBeUndefined();
    expect(await askLoginPath({ platform: 'linux', env: {}, hasTerminal: false })).toBeUndefined();
    expect(
      await askLoginPath({ platform: 'win32', env: { SHELL: plain }, hasTerminal: false }),
    ).toBeUndefined();
  });
});
