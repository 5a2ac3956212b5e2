import { createHash } from 'node:crypto';
import { Recorder } from '../actors/recorder.ts';
import { readTrace, type Trace } from '../machines/trace/index.ts';
import { sha256Of } from './replay/files.ts';

/** A recorder that forgets nothing and hides nothing, on virtual time unless said otherwise. */
export const recorderOf = (
  clock: { now(): number },
  kind: 'virtual' | 'real' = 'virtual',
  ringBytes = Infinity,
): Recorder =>
  new Recorder({
    profile: 'steps',
    now: () => clock.now(),
    sha256: (text) => sha256Of([text]),
    digest: () => {
      const hash = createHash('sha256');
      return { add: (text) => void hash.update(text).update('\n'), value: () => hash.copy().digest('hex') };
    },
    ringBytes,
    charts: () => ({}),
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: kind,
      started: null,
      redaction: { keyId: null },
    },
  });

/** What it recorded, read back as a stranger would read it. */
export function traceOf(recorder: Recorder): Trace {
  const read = readTrace(recorder.text('closed'), sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
}
