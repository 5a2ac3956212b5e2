import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import { Runtime } from './runtime.ts';
import { linksOf, type PlayedOffice } from './played-office.ts';
import { tracingOf } from './tracing.ts';

interface HostOptions extends LogOptions {
  readonly record?: RecordOptions | false;
  readonly tracing?: boolean;
  readonly links?: PlayedOffice;
}
/** Of a host that launches nothing: the one that it shares, or one of its own. */
export async function runtimeOf(options: HostOptions, shared: Runtime | undefined): Promise<Runtime> {
  const { record, log, logLevel } = options;
  const links = linksOf(options);
  return shared ?? new Runtime({ record, log, logLevel, links, tracing: await tracingOf(options) });
}
