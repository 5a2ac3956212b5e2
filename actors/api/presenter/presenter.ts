import { documentsCommand, homeFolder, userConfigFile } from '../../../adapters/index.ts';
import { Runtime } from '../runtime.ts';
import { readOrThrow } from '../../plans/plan.ts';
import { createComputer } from '../computer/computer.ts';
import { linksOf } from '../played-office.ts';
import { tracingOf } from '../tracing.ts';
import { HostedPresenter } from './hosted-presenter.ts';
import type { Presenter, PresenterOptions } from './presenter-handle.ts';

/** Reads the config and starts nothing: `initialize` does. */
export async function createPresenter(options: PresenterOptions = {}): Promise<Presenter> {
  const { file, settings, ...rest } = options;
  const { reaper, stateDir, record, launcher, log, logLevel, onNotice: notice } = rest;
  const tracing = await tracingOf(rest);
  const runtime = new Runtime({
    reaper,
    stateDir,
    notice,
    record,
    launcher,
    links: linksOf(rest),
    log,
    logLevel,
    tracing,
  });
  await runtime.sweep();
  try {
    const computer = await createComputer(rest, { runtime, config: readOrThrow([]) });
    const presenter = new HostedPresenter({
      computer,
      runtime,
      from: settings ?? file ?? userConfigFile(),
      surroundings: { home: homeFolder(), documents: documentsCommand },
      notice: (text) => notice?.(text),
    });
    await presenter.opened();
    return presenter;
  } catch (error) {
    await runtime.close();
    throw error;
  }
}
