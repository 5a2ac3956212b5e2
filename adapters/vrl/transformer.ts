/** A thread that runs VRL programs over results, with limits of time and size. */
import { Worker } from 'node:worker_threads';
import { installCommand, missingText, isInstalled, PackageMissing } from '../optional-packages.ts';
import { isSource, ownFile, OwnFileMissing, sourceFile } from '../own-files.ts';
import { WorkerPool, type Gone, type PoolOptions } from '../worker-pool.ts';
import { endText, type Diagnostic, syntaxFailure } from '../../machines/call/program-mistakes.ts';
import type { Transformer, TransformerTimes } from '../../machines/call/transform.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';

const verel = '@bpinternal/verel';

const missing: Failure = {
  code: 'ConfigInvalid',
  message: missingText(verel, 'VRL'),
  remedy: installCommand(verel),
};
const unusable = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL could not be loaded: ${why}`,
  remedy: installCommand(verel),
});
const tooLong = (ms: number): Failure => ({
  code: wireCodes.noAnswer,
  message: `The program did not end within ${ms} ms`,
  details: { timeout: ms },
  remedy: 'Let it look at less of the result.',
});
/** Known cases: a result nested more than 126 levels deep, and text with half of a surrogate pair. */
const broken = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL broke under this program and this result (${why})`,
});
const notHanded = (error: unknown): Failure => ({
  code: wireCodes.badRequest,
  message: `The result cannot be handed to a program: ${String(error)}`,
});
const closed: Failure = { code: 'ToolCallCancelled', message: 'VRL was closed' };

/** Without an event, the program is only checked. */
export interface VrlTask {
  readonly source: string;
  readonly event?: object;
}
/** First `ready`, then one answer for each task. A thread whose runtime broke fails, and is not used again. */
export type VrlMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'checked'; readonly errors: readonly Diagnostic[] }
  | { readonly type: 'ran'; readonly json: string }
  | { readonly type: 'failed'; readonly why: string };

interface TransformerOptions extends TransformerTimes, Partial<Pick<PoolOptions, 'open' | 'timers'>> {}
/** Gets no environment variables of the host, and its output is discarded: reading it would keep this process alive. */
function openWorker(): Worker {
  if (!isInstalled(verel)) throw new PackageMissing();
  const entry = isSource ? sourceFile('adapters/vrl/worker.mjs') : ownFile('adapters/vrl/worker.js');
  return new Worker(entry, { execArgv: [], env: {}, stdout: true, stderr: true });
}
function unloaded(error: unknown): Failure {
  if (error instanceof PackageMissing) return missing;
  if (!(error instanceof OwnFileMissing)) return unusable(String(error));
  return { code: 'ConfigInvalid', message: error.message, remedy: error.remedy };
}
function failureOf(told: VrlMessage | Gone, source: string, times: Times) {
  if ('gone' in told)
    switch (told.gone) {
      case 'unusable':
        return unloaded(told.error);
      case 'slow to load':
        return unusable(`it took longer than ${times.loadMs} ms`);
      case 'late':
        return tooLong(times.vrlMs);
      case 'lost':
        return broken(String(told.error));
      case 'unsent':
        return notHanded(told.error);
      case 'closed':
      case 'ended':
        return closed;
    }
  if (told.type === 'failed') return { code: wireCodes.internal, message: endText(source, told.why) };
  return told.type === 'checked' ? syntaxFailure(source, told.errors) : undefined;
}
type Times = Required<TransformerTimes>;

export function createTransformer({
  open = openWorker,
  timers,
  ...given
}: TransformerOptions = {}): Transformer {
  const times = { vrlMs: timing.vrlMs, loadMs: timing.vrlLoadMs, idleMs: timing.vrlIdleMs, ...given };
  const { vrlMs: limitMs, loadMs, idleMs } = times;
  const pool = new WorkerPool<VrlMessage>({
    threads: 1,
    open,
    limitMs,
    loadMs,
    idleMs,
    ...(timers && { timers }),
  });
  return {
    check: (source) =>
      new Promise((resolve) => {
        pool.add(
          () => [{ source } satisfies VrlTask],
          (told) => {
            const failure = failureOf(told, source, times);
            resolve(failure ? { ok: false, failure } : { ok: true });
          },
        );
      }),
    run(source, event, emit) {
      const { withdraw } = pool.add(
        () => [{ source, event } satisfies VrlTask],
        (told) => {
          if ('type' in told && told.type === 'ran') return emit({ ok: true, json: told.json });
          const failure = failureOf(told, source, times);
          if (failure) emit({ ok: false, failure });
        },
      );
      return withdraw;
    },
    close: () => pool.close(),
  };
}
