import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeLaunch } from './environment.ts';
import { LaunchError, whyNotLaunched } from './local-launcher.ts';
import { createLedger } from './reaper/ledger.ts';
import { localLauncher } from './local-launcher.ts';
import { processPortOf } from './launch.ts';
import type { Launcher, LaunchSpec } from './launcher.ts';
import type { ProcessFact } from '../../machines/ports/process.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('launch');
const at = (name: string): string => join(folder, name);
const put = (name: string, text: string, mode = 0o755): string => {
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
  return at(name);
};
beforeAll(() => {
  mkdirSync(at('bin'));
  put('bin/tool', '#!/bin/sh\nexit 0\n');
  put('plain', 'text', 0o644);
  put('orphan', '#!/no/such/interpreter\n');
});

type Failed = Extract<ProcessFact, { type: 'child.failed' }>;
const launched = (spec: Partial<LaunchSpec> | undefined, launcher?: Launcher): Promise<Failed> =>
  new Promise((resolve, reject) => {
    const ledger = createLedger({ reaper: false, stateDir: false });
    const launchOf = () => spec && { command: process.execPath, args: [], env: {}, ...spec };
    processPortOf({ launchOf, ledger, launcher })(
      'p',
      { server: 's', generation: 1, spec: 1, key: 'p' },
      (fact) => {
        if (fact.type === 'child.failed') resolve(fact);
        else if (fact.type === 'child.exited') reject(new Error('it ran'));
      },
    );
  });
const failing = (error: unknown): Launcher => ({
  launch: () => {
    throw error;
  },
});
const coded = (code: string): Error => Object.assign(new Error(`spawn ${code}`), { code });

type Case = [string, () => Partial<LaunchSpec>, string];
/** Cases of modes and first lines of scripts, which Windows does not have, and of its other limit of arguments. */
const onPosix = (...cases: readonly Case[]): readonly Case[] => (process.platform === 'win32' ? [] : cases);

describe('a launch that another try cannot mend', () => {
  it('is final when its command is nowhere in the PATH of the child, which is told', async () => {
    const env = { PATH: [at('bin'), '/elsewhere'].join(delimiter) };
    const { message, isFinal } = await launched({ command: 'no-such-tool', env });
    expect(isFinal).toBe(true);
    expect(message).toMatch(
      `cannot start "no-such-tool": command not found: install it, or correct "command" or PATH; looked in PATH: ${at('bin').replace(homedir() + sep, `~${sep}`)}, /elsewhere, `,
    );
  });

  it('says where arguments belong that stand in the command', async () => {
    expect(await launched({ command: 'node srv.mjs', args: ['-x'] })).toMatchObject({
      message:
        'cannot start "node srv.mjs": arguments belong in args: {"command":"node","args":["srv.mjs","-x"]}',
      isFinal: true,
    });
  });

  it('is final when it has no command, which is another failure than one that is missing', async () => {
    expect(await launched({ command: '' })).toEqual({
      type: 'child.failed',
      message: 'cannot start "": its command is empty: say in "command" what to run',
      isFinal: true,
    });
    expect(await launched(undefined)).toMatchObject({
      message: 'cannot start "s": no command is known for it',
      isFinal: true,
    });
  });

  it.each<Case>([
    ['a path of no file', () => ({ command: at('nothing') }), 'there is no such file'],
    ...onPosix(
      ['an interpreter that is missing', () => ({ command: at('orphan') }), 'interpreter'],
      ['a file that may not be executed', () => ({ command: at('plain') }), 'EACCES'],
    ),
    ['a folder that is missing', () => ({ cwd: at('nowhere') }), 'does not exist: make it'],
    ['a folder that is none', () => ({ cwd: at('plain') }), 'is no folder: correct "cwd"'],
    ['an argument that no process can be given', () => ({ args: ['a\0b'] }), 'hold a character'],
    ['a variable that no process can be given', () => ({ env: { A: 'b\0' } }), 'hold a character'],
    ...onPosix(['too many arguments', () => ({ args: ['x'.repeat(4 << 20)] }), 'E2BIG']),
  ])('is final, and says what helps: %s', async (_, spec, says) => {
    const { message, isFinal } = await launched(spec());
    expect(message).toContain(says);
    expect(isFinal).toBe(true);
  });

  it('is told from one that the next try may find otherwise', () => {
    const spec = { command: 'sh', args: [], env: {} };
    for (const code of ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EWHATEVER'])
      expect(whyNotLaunched(spec, {}, coded(code)), code).toMatchObject({ isFinal: false });
    expect(whyNotLaunched(spec, {}, coded('ENOEXEC'))).toMatchObject({ isFinal: true });
  });
});

describe('the words of a failure', () => {
  it('shorten a long PATH and the home folder, and give no other value away', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `/opt/${n}`).join(delimiter);
    const env = { PATH: `${homedir()}${sep}bin${delimiter}${many}`, TOKEN: 'hunter2' };
    const { message } = await launched({ command: 'no-such-tool', args: ['--key=hunter3'], env });
    expect(message).toMatch(/looked in PATH: ~[/\\]bin, \/opt\/0, \/opt\/1 and \d+ more$/);
    expect(message).not.toMatch(/hunter/);
  });

  it('are those of the launcher, when it has some', async () => {
    expect(await launched({}, failing(new LaunchError('no daemon', true)))).toMatchObject({
      message: 'no daemon',
      isFinal: true,
    });
    expect(await launched({ command: 'sh' }, failing(new Error('the daemon is busy')))).toEqual({
      type: 'child.failed',
      message: 'cannot start "sh": the daemon is busy',
    });
    const final = Object.assign(new Error('no such image'), { isFinal: true });
    expect(await launched({}, failing(final))).toMatchObject({ isFinal: true });
    expect(await launched({}, failing(coded('ENOENT')))).toMatchObject({ isFinal: true });
    expect(await launched({}, failing(coded('EAGAIN')))).not.toHaveProperty('isFinal');
  });
});

// Windows has other names and no modes: local-launcher.test.ts shows them.
describe.skipIf(process.platform === 'win32')('what a launch would run', () => {
  const env = { PATH: `/elsewhere:${at('bin')}`, TOKEN: 'hunter2' };
  const described = (command: string, cwd?: string) =>
    describeLaunch({ command, args: [], env: {}, ...(cwd !== undefined && { cwd }) }, env);

  it('is told as a file, with where it was looked for and the names of its variables', () => {
    expect(described('tool', folder)).toEqual({
      executable: at('bin/tool'),
      lookedIn: ['/elsewhere', at('bin')],
      folder,
      variables: ['PATH', 'TOKEN'],
    });
    expect(localLauncher.describe?.({ command: 'tool', args: [], env: {} }, env)).toMatchObject({
      executable: at('bin/tool'),
    });
  });

  it('is looked for from its own folder when it is a path, and is null when there is none', () => {
    expect(described('./bin/tool', folder)).toMatchObject({ executable: at('bin/tool'), lookedIn: [] });
    expect(described('nothing')).toMatchObject({ executable: null });
    expect(described('../plain', at('bin')), 'which may not be executed').toMatchObject({ executable: null });
    expect(described('').executable).toBeNull();
  });

  it('is looked for in Path on Windows', () => {
    expect(
      describeLaunch({ command: 'app', args: [], env: {} }, { Path: 'C:\\bin;D:\\' }, 'win32'),
    ).toMatchObject({
      lookedIn: ['C:\\bin', 'D:\\'],
      executable: null,
    });
  });
});
