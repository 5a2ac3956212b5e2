import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askLoginPath } from './run-text.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('login');
/** Writes a login shell that runs `before` and then the script that it is given. */
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
