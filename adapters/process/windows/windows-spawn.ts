import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import crossSpawn from 'cross-spawn';
import { describeLaunch } from '../executable.ts';
import type { Environment, LaunchSpec } from '../launcher.ts';
import { systemProgram } from './system-programs.ts';

/** Longer than the first line of any script. */
const lineBytes = 256;
/** Program that the first line of a script names (`#!/usr/bin/env node`), without its folder, which Windows does not have. */
function interpreterOf(file: string): string | undefined {
  const buffer = Buffer.alloc(lineBytes);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, buffer, 0, lineBytes, 0);
  } finally {
    closeSync(handle);
  }
  const [, first, second] = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(buffer.toString('latin1')) ?? [];
  return first !== undefined && basename(first) === 'env' ? second : first && basename(first);
}
const notFound = (command: string): Error =>
  Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });

/**
 * Spawns a program on Windows: `npx` and its like are `.cmd` there, which only `cmd.exe` runs, with arguments escaped for
 * it (`cross-spawn`). It is looked up here, in PATH alone: Windows and `cross-spawn` would look into the current folder
 * first. Throws an error with the code of the system.
 */
export function windowsSpawn(spec: LaunchSpec, env: Environment, options: SpawnOptions): ChildProcess {
  const found = (command: string): string => {
    const { executable } = describeLaunch({ ...spec, command }, env, 'win32');
    if (executable === null) throw notFound(command);
    return executable;
  };
  const file = found(spec.command);
  const interpreter = /\.(com|exe|bat|cmd)$/i.test(file) ? undefined : interpreterOf(file);
  // Without this variable `cmd.exe` would be looked up by its bare name.
  process.env['ComSpec'] ??= systemProgram('cmd');
  return interpreter === undefined
    ? crossSpawn(file, spec.args, options)
    : crossSpawn(found(interpreter), [file, ...spec.args], options);
}
