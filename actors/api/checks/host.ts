import { keepWords } from '../../../machines/trace/reasons.ts';
import { profiles } from '../../../machines/trace/format.ts';
import { logLevels } from '../../logging/log-entry.ts';
import { timing as defaults, type GivenTiming } from '../../../machines/kernel/timing.ts';
import type { DrainOptions } from '../handles.ts';
import type { InspectOptions } from '../page.ts';
import type { A2cError } from '../../kernel/errors.ts';
import {
  anything,
  callback,
  count,
  disabled,
  either,
  flag,
  limit,
  listOf,
  ms,
  name,
  needing,
  object,
  oneOf,
  options,
  port,
  signal,
  text,
  texts,
  type Check,
  type Checks,
  whole,
  wrongOptions,
} from '../../kernel/options.ts';
import type { LogOptions } from '../../logging/log-entry.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import type { CallOptions } from '../call-outcome.ts';
import type { DesktopQuery, WaitOptions } from '../computer-handle.ts';

export const timing = options<GivenTiming>(
  Object.fromEntries(Object.keys(defaults).map((key) => [key, ms])) as Checks<GivenTiming>,
);

const log: Checks<LogOptions> = { log: callback, logLevel: oneOf(...logLevels) };

const record: Check = (value, at) =>
  disabled(value, at) &&
  options<RecordOptions>({
    profile: oneOf(...profiles),
    dir: name,
    on: listOf(oneOf(...keepWords)),
    ringBytes: count,
    secrets: texts,
    redact: callback,
    key: text,
  })(value, at);

export const host = { ...log, record, tracing: flag, signal } as const;

export const exampleSeat = "Such as { url: 'http://127.0.0.1:3000' }.";

export const credential = {
  auth: either('a text, an object or a function', text, object, callback),
  headers: object,
  tls: object,
} as const;

export const inspectOptions = options<InspectOptions>({ port, allowControl: flag });

export const waitOptions = options<WaitOptions>({ signal });

export const ofDesktop: Checks<DesktopQuery & WaitOptions> = {
  signal,
  size: whole,
  window: text,
  fresh: flag,
};

export const searched = { signal, fresh: flag, keywords: texts, fileType: text } as const;

export const range = { offset: whole, limit: whole } as const;

export const ofCall: Checks<CallOptions> = {
  reqId: name,
  timeoutMs: limit,
  totalMs: limit,
  signal,
  meta: object,
  trace: object,
  context: anything,
};

export const [nameOfServer, ofPage] = [
  ['name', text],
  ['uri', text],
] as const;

export const drainOptions = options<DrainOptions>({ timeoutMs: ms });

export const wrongCall = (
  tool: unknown,
  params: unknown,
  given: unknown,
  checks: Check,
): A2cError | undefined =>
  wrongOptions('callTool', { tool, params }, needing(['tool'], options({ tool: name, params: object }))) ??
  wrongOptions('callTool', given, checks);
