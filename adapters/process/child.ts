import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { whyNotLaunched } from './launch-failure.ts';
import type { Environment, Launched, LaunchEnd, LaunchSpec } from './launcher.ts';

/** A child of this process, before anybody has said what belongs to it. Throws a `LaunchError`. */
export function spawnChild(
  spec: LaunchSpec,
  env: Environment,
  isDetached: boolean,
): { child: ChildProcessWithoutNullStreams; life: Omit<Launched, 'signal' | 'living' | 'group'> } {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env,
      stdio: 'pipe',
      detached: isDetached,
      windowsHide: true,
    });
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
