import { Recorder, type RecorderOptions } from '../../actors/recording/recorder.ts';
import { readTrace, type Trace } from '../../machines/trace/reading.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { createDigest, sha256Of } from '../replay/report/files.ts';
import { machines } from '../../actors/kinds/all.ts';
import { replayedInside } from '../replay/again/inside.ts';
import { causeOf } from '../replay/report/cause.ts';
import type { Kinds } from '../replay/replay-trace.ts';

/** Building all machines costs more than most replays; a machine that is missing fails the replay. */
export function openedIn({ lines }: Trace, kinds: Kinds = machines): Kinds {
  const opened = new Set(lines.flatMap(({ record }) => (record.k === 'open' ? [record.kind] : [])));
  return Object.fromEntries(Object.entries(kinds).filter(([kind]) => opened.has(kind)));
}
/** Inside or at the boundary; empty when there is none. */
export function divergenceIn(recorder: Recorder, kinds: Kinds = machines): string[] {
  const trace = traceOf(recorder);
  const { replay, inside } = replayedInside(trace, openedIn(trace, kinds));
  const { difference, total, foreign, unclaimed } = replay;
  if (total === 0) return ['nothing was recorded'];
  const place = difference?.recorded ?? difference?.inputs.at(-1);
  const unknown = [...foreign, ...unclaimed];
  return [
    ...(difference
      ? [`its replay differs at record ${place?.s ?? 'the first'}: ${causeOf(difference, [], [])}`]
      : []),
    ...(inside === undefined ? [] : [`its replay differs inside at ${inside}`]),
    ...(unknown.length > 0 ? [`its replay does not know ${unknown.join(', ')}`] : []),
  ];
}

export interface RecordingOptions {
  /** `virtual` by default. */
  readonly kind?: 'virtual' | 'real';
  /** Unlimited by default. */
  readonly ringBytes?: number;
  readonly title?: string;
  /** `steps` by default. */
  readonly profile?: Profile;
}
export const recorderOf = (
  clock: { now(): number },
  { kind = 'virtual', ringBytes = Infinity, title, profile = 'steps' }: RecordingOptions = {},
  more: Partial<RecorderOptions> = {},
): Recorder =>
  new Recorder({
    profile,
    now: () => clock.now(),
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    ringBytes,
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: kind,
      started: null,
      redaction: { keyId: null },
      ...(title !== undefined && { title }),
    },
    ...more,
  });

export function traceOf(recorder: Recorder): Trace {
  const read = readTrace(recorder.text('closed'), sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
}
