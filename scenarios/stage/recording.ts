import { Recorder, type RecorderOptions } from '../../actors/recording/recorder.ts';
import { readTrace, type Profile, type Trace } from '../../machines/trace/index.ts';
import { createDigest, sha256Of } from '../replay/report/files.ts';

export interface RecordingOptions {
  /** Default `virtual`. */
  readonly kind?: 'virtual' | 'real';
  /** Default: it forgets nothing. */
  readonly ringBytes?: number;
  readonly title?: string;
  /** Default `steps`. */
  readonly profile?: Profile;
}
/** A recorder on the clock of a play; without `more` it hides nothing. */
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

/** What it recorded, read back as a stranger would read it. */
export function traceOf(recorder: Recorder): Trace {
  const read = readTrace(recorder.text('closed'), sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
}
