import { createRequire } from 'node:module';
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { windowsSpawn as Spawn } from './local-launcher.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of a fake Windows machine: which program is run for which command, given the files that exist. */
const root = testFolder('windows');
const programs = join(root, 'Program Files', 'nodejs');
const tools = join(root, 'tools & Süß');
const cloned = join(root, 'cloned');
const shim = join(cloned, 'node_modules', '.bin', 'barsrv.cmd');
const comSpec = 'C:\\Windows\\System32\\cmd.exe';
const named = (text: string, ...all: readonly (readonly [string, ...string[]])[]): Record<string, string> =>
  Object.fromEntries(all.flatMap(([at, ...names]) => names.map((name) => [join(at, name), text])));
const files: Readonly<Record<string, string>> = {
  [join(programs, 'npx')]: '#!/bin/sh\n',
  [join(tools, 'script')]: '#!/usr/bin/env -S node --flag\n',
  [join(tools, 'perls')]: '#!/usr/bin/perl\n',
  ...named('MZ', [programs, 'node.exe'], [tools, 'both.exe'], [cloned, 'evil.exe', 'node.exe']),
  ...named(
    '@ECHO off\r\n',
    [programs, 'npx.cmd'],
    [tools, 'my.srv.bat', 'both.cmd'],
    [cloned, 'evil.cmd', 'npx.cmd'],
  ),
  [shim]: '@ECHO off\r\n',
};
/** Removes cross-spawn from the module cache, because it reads the platform only when it is loaded. */
const forgetCrossSpawn = (): void => {
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (/(cross-spawn|which|isexe)/.test(file)) delete cache[file];
};
const platform = process.platform;
const folder = process.cwd();
let windowsSpawn: typeof Spawn;
beforeAll(async () => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
  process.chdir(cloned);
  Object.defineProperty(process, 'platform', { value: 'win32' });
  forgetCrossSpawn();
  vi.resetModules();
  ({ windowsSpawn } = await import('./local-launcher.ts'));
});
beforeEach(() => {
  vi.stubEnv('ComSpec', comSpec);
  vi.stubEnv('comspec', comSpec);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => {
  Object.defineProperty(process, 'platform', { value: platform });
  forgetCrossSpawn();
  process.chdir(folder);
});
const env = { Path: `${programs};"${tools}"`, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
function spawned(command: string, args: readonly string[] = [], cwd?: string): readonly unknown[] {
  const asked = vi
    .spyOn(childProcess, 'spawn')
    .mockImplementation(() => new EventEmitter() as childProcess.ChildProcess);
  windowsSpawn({ command, args, env: {}, ...(cwd !== undefined && { cwd }) }, env, { env });
  const [[program, given, options] = []] = asked.mock.calls as unknown as [string, string[], object][];
  const { windowsVerbatimArguments: isVerbatim = false } = options as { windowsVerbatimArguments?: boolean };
  return [program, given, isVerbatim];
}
const npx = join(programs, 'npx.cmd');
const byShell = (file: string, words: string): string[] => ['/d', '/s', '/c', `"${escaped(file)} ${words}"`];
const escaped = (file: string): string => file.replaceAll(/([()\][%!^"`<>&|;, *?])/g, '^$1');

describe.skipIf(platform === 'win32')('a command on Windows', () => {
  it.each<[string, string, string, readonly string[]]>([
    ['an .exe of PATH', 'node', join(programs, 'node.exe'), ['a b', '&^%"']],
    ['an .exe with its ending', 'node.exe', join(programs, 'node.exe'), ['x']],
    ['an .exe before a .cmd, as PATHEXT has it', 'both', join(tools, 'both.exe'), []],
    ['a path', join(cloned, 'evil.exe'), join(cloned, 'evil.exe'), []],
    ['a path without its ending', `${cloned}/evil`, join(cloned, 'evil.exe'), []],
    ['a path below the current folder', './evil', join(cloned, 'evil.exe'), []],
  ])('is run as it is, and its arguments are left alone: %s', (_what, command, program, args) => {
    expect(spawned(command, args)).toEqual([program, args, false]);
  });
  it.each<[string, string, string]>([
    ['npx, and not the script for other systems beside it', 'npx', npx],
    ['a .cmd with its ending', 'npx.cmd', npx],
    ['a .bat with a dot in its name, in a folder with odd letters', 'my.srv', join(tools, 'my.srv.bat')],
    ['a path with blanks', `${programs}/npx`, npx],
  ])('is run by cmd.exe: %s', (_what, command, file) => {
    expect(spawned(command, ['-y', 'x'])).toEqual([comSpec, byShell(file, '^"-y^" ^"x^"'), true]);
  });
  it.each([
    ['a b', '^"a^ b^"'],
    ['', '^"^"'],
    ['Süß', '^"Süß^"'],
    ['a&calc', '^"a^&calc^"'],
    ['%PATH%', '^"^%PATH^%^"'],
    ['a^b', '^"a^^b^"'],
    ['say "hi"', '^"say^ \\^"hi\\^"^"'],
    ['C:\\end\\', '^"C:\\end\\\\^"'],
    ['"', '^"\\^"^"'],
  ])('has the argument %j of a .cmd escaped for cmd.exe', (arg, text) => {
    expect(spawned('npx', [arg])[1]).toEqual(byShell(npx, text));
  });
  it('has the arguments of a shim of npm, which hands them on, escaped twice', () => {
    expect(spawned(shim, ['a&b'])[1]).toEqual(byShell(shim, '^^^"a^^^&b^^^"'));
  });
  it('is run as a script by the program of PATH that its first line names', () => {
    expect(spawned('script', ['x'])).toEqual([
      join(programs, 'node.exe'),
      [join(tools, 'script'), 'x'],
      false,
    ]);
  });
  it.each([
    ['a program that only the current folder has', 'evil'],
    ['one with its ending', 'evil.exe'],
    ['a shim', 'evil.cmd'],
    ['nothing of this name', 'none'],
    ['a script whose interpreter is not in PATH', 'perls'],
  ])('is not found, and nothing is run: %s', (_what, command) => {
    expect(() => spawned(command)).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
    expect(() => spawned(command, [], cloned)).toThrow('ENOENT');
  });
});
