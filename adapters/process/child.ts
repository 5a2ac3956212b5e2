import {
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
} from 'node:child_process';
import { PassThrough } from 'node:stream';
import { whyNotLaunched } from './launch-failure.ts';
import type { Environment, Launched, LaunchEnd, LaunchSpec } from './launcher.ts';

/** Starts a program; throws, or the child emits `error`, when it cannot. */
export type Spawn = (spec: LaunchSpec, env: Environment, options: SpawnOptions) => ChildProcess;
export const systemSpawn: Spawn = ({ command, args }, _env, options) => spawn(command, args, options);

/** A child of this process, before anybody has said what belongs to it. Throws a `LaunchError`. */
export function spawnChild(
  spec: LaunchSpec,
  env: Environment,
  isDetached: boolean,
  run: Spawn = systemSpawn,
): { child: ChildProcessWithoutNullStreams; life: Omit<Launched, 'signal' | 'living' | 'group'> } {
  let child: ChildProcessWithoutNullStreams;
  try {
    const cwd = spec.cwd !== undefined && { cwd: spec.cwd };
    child = run(spec, env, {
      ...cwd,
      env,
      stdio: 'pipe',
      detached: isDetached,
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw whyNotLaunched(spec, env, error);
  }
  const started = new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    // Once it runs this is a failed kill or a late complaint of Node: the child's end shows in `exit`.
    child.on('error', (error) => reject(whyNotLaunched(spec, env, error)));
  });
  const ended = new Promise<LaunchEnd>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  // With EMFILE a child has no pipes.
  const { stdin = noPipe(), stdout = noPipe(), stderr = noPipe() } = child as Partial<typeof child>;
  return { child, life: { stdin, stdout, stderr, started, ended } };
}
const noPipe = (): PassThrough => new PassThrough().end();
