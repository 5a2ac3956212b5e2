import { keepWords } from '../../../machines/trace/reasons.ts';
import { profiles } from '../../../machines/trace/format.ts';
import { logLevels, type LogOptions } from '../../logging/log-entry.ts';
import { timing as defaults, type GivenTiming } from '../../../machines/kernel/timing.ts';
import type { DrainOptions } from '../handles.ts';
import type { InspectOptions } from '../page.ts';
import type { A2cError } from '../../kernel/errors.ts';
import * as is from '../../kernel/options.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import type { CallOptions } from '../call-outcome.ts';
import type { DesktopQuery, WaitOptions } from '../computer-handle.ts';

export const timing = is.options<GivenTiming>(
  Object.fromEntries(Object.keys(defaults).map((key) => [key, is.ms])) as is.Checks<GivenTiming>,
);

const log: is.Checks<LogOptions> = { log: is.callback, logLevel: is.oneOf(...logLevels) };

const record: is.Check = (value, at) =>
  is.disabled(value, at) &&
  is.options<RecordOptions>({
    profile: is.oneOf(...profiles),
    dir: is.name,
    on: is.listOf(is.oneOf(...keepWords)),
    ringBytes: is.count,
    secrets: is.texts,
    redact: is.callback,
    key: is.text,
  })(value, at);

export const host = { ...log, record, tracing: is.flag, signal: is.signal } as const;

export const exampleSeat = "Such as { url: 'http://127.0.0.1:3000' }.";

export const credential = {
  auth: is.either('a text, an object or a function', is.text, is.object, is.callback),
  headers: is.object,
  tls: is.object,
} as const;

/** Methods of every handle. */
export const methods: is.MethodArguments = {
  drain: [is.how<DrainOptions>({ timeoutMs: is.ms })],
  'debug.inspect': [is.how<InspectOptions>({ port: is.port, allowControl: is.flag })],
  'debug.writeTrace': [['dir', is.optional(is.name)]],
  'debug.mark': [['text', is.text]],
};

export const waitOptions = is.options<WaitOptions>({ signal: is.signal });

export const desktop: is.Checks<DesktopQuery & WaitOptions> = {
  signal: is.signal,
  size: is.whole,
  window: is.text,
  fresh: is.flag,
};

export const searched = {
  signal: is.signal,
  fresh: is.flag,
  keywords: is.texts,
  fileType: is.text,
} as const;

export const range = { offset: is.whole, limit: is.whole } as const;

export const call: is.Checks<CallOptions> = {
  reqId: is.name,
  timeoutMs: is.limit,
  totalMs: is.limit,
  signal: is.signal,
  meta: is.json,
  trace: is.json,
  context: is.anything,
};

export const [name, server, uri] = [
  ['name', is.text],
  ['server', is.text],
  ['uri', is.text],
] as const;

export const wrongCall = (
  tool: unknown,
  params: unknown,
  given: unknown,
  checks: is.Check,
): A2cError | undefined =>
  is.wrongOptions(
    'callTool',
    { tool, params },
    is.needing(['tool'], is.options({ tool: is.name, params: is.json })),
  ) ?? is.wrongOptions('callTool', given, checks);
