import { createHash } from 'node:crypto';
import { Recorder } from '../actors/recorder.ts';
import { readTrace, type Trace } from '../machines/trace/index.ts';
import { sha256Of } from './replay/files.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A recorder on virtual time that forgets nothing and hides nothing. */
export const recorderOf = (clock: VirtualClock): Recorder =>
  new Recorder({
    profile: 'steps',
    now: () => clock.now(),
    sha256: (text) => sha256Of([text]),
    digest: () => {
      const hash = createHash('sha256');
      return { add: (text) => void hash.update(text).update('\n'), value: () => hash.copy().digest('hex') };
    },
    ringBytes: Infinity,
    charts: () => ({}),
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: 'virtual',
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
