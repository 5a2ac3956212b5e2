import type { Config } from '../../../machines/config/index.ts';
import { Runtime } from '../runtime.ts';
import { readOrThrow } from '../../plans/plan.ts';
import { linksOf } from '../played-office.ts';
import { tracingOf } from '../tracing.ts';
import type { Computer } from './computer-handle.ts';
import type { ComputerOptions } from './computer-options.ts';
import { HostedComputer } from './hosted-computer.ts';

/** For our own command: one runtime for several handles, a config that was read already. */
export interface Inner {
  readonly runtime?: Runtime;
  readonly config?: Config;
}

/**
 * Starts a computer, and resolves as soon as its config is read and its servers are on their way; with `office` also when
 * that has answered, after `toolsMs` (2 s) at the latest. A call waits for its own server. `tools()` and the other questions
 * about all servers wait for those that start, `toolsMs` at most, and name those that are missing.
 * Rejects with an `A2cError` (`ConfigInvalid`) when the config has a mistake: then nothing was started.
 */
export async function createComputer(options: ComputerOptions = {}, inner: Inner = {}): Promise<Computer> {
  const { reaper, stateDir, record, launcher, log, logLevel, onNotice: notice } = options;
  const config = inner.config ?? readOrThrow(options.config, (text) => notice?.(text));
  const tracing = inner.runtime ? undefined : await tracingOf(options);
  const runtime =
    inner.runtime ??
    new Runtime({
      reaper,
      stateDir,
      notice,
      record,
      launcher,
      links: linksOf(options),
      log,
      logLevel,
      tracing,
    });
  if (!inner.runtime) await runtime.sweep();
  const computer = new HostedComputer(options, config, runtime, inner.runtime !== undefined);
  let closed: Promise<void> | undefined;
  const abort = (): void => void (closed = computer.close());
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  // Nothing was started.
  await computer.start(config).catch(async (error: unknown) => {
    await computer.close();
    throw error;
  });
  options.signal?.removeEventListener('abort', abort);
  await closed;
  return computer;
}
