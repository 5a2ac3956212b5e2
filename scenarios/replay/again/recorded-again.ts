import { Recorder } from '../../../actors/recording/recorder.ts';
import { isCrossing, readTrace, type FrameLine, type Trace } from '../../../machines/trace/reading.ts';
import type { Frame } from '../../../machines/trace/record.ts';
import type { Profile } from '../../../machines/trace/format.ts';
import { createDigest, sha256Of } from '../report/files.ts';
import { preludeMs } from '../recorded-world.ts';
import type { ReplayTraceOptions, TraceReplay } from '../replay-trace.ts';

interface Again {
  /** By default that of the old trace. */
  readonly profile?: Profile;
  readonly about?: { readonly runtime?: string; readonly title?: string };
  /** By default that of the old trace. */
  readonly reason?: (replay: TraceReplay) => string;
  /** A replay does not need the messages on the wire. */
  readonly hasFrames?: boolean;
  /** False for the trace of a host that was killed. Default true. */
  readonly hasTail?: boolean;
  /** Each part has whole lines. By default they are the returned text. */
  readonly write?: (part: string) => void;
}
const allFrames = { held: Infinity, mostChars: Infinity, leastChars: Infinity, share: 0 };
function frameOf({ s: _, t: __, a, by, via, dir, json, ...read }: FrameLine): Frame {
  return { k: 'frame', a, ...(by !== undefined && { by }), via, dir, json, read };
}
/** Before one of the records; no replay tells these. `at` does something at a time of the trace. */
function extrasOf(
  trace: Trace,
  recorder: Recorder,
  hasFrames: boolean,
  at: (t: number, work: () => void) => void,
): (s: number) => void {
  const frames = hasFrames ? [...(trace.frames ?? [])] : [];
  const marks = trace.lines.flatMap(({ s, record }) =>
    record.k === 'mark' ? [{ s, text: record.text }] : [],
  );
  return (s) => {
    for (let [next] = frames; next && next.s < s; [next] = frames) {
      const frame = frameOf(next);
      at(next.t, () => void recorder.frame(frame));
      frames.shift();
    }
    while ((marks[0]?.s ?? Infinity) < s) recorder.mark(marks.shift()?.text ?? '');
  };
}
/** At the old times. A trace that opens with facts becomes one that begins with the start of its hosts. */
export function recordedAgain(
  trace: Trace,
  {
    profile = trace.head.profile,
    about = {},
    reason = () => trace.tail?.reason ?? 'cut',
    hasFrames = false,
    hasTail = true,
    write,
  }: Again,
  replay: (watched: Pick<ReplayTraceOptions, 'observer' | 'onInput'>) => TraceReplay,
): { readonly text: string; readonly replay: TraceReplay } {
  const { runtime, xstate, node, clock, started, redaction, title, cut } = trace.head;
  const [first] = trace.lines.flatMap(({ t, record }) => (isCrossing(record) ? [record.w - t] : []));
  const shift = trace.facts ? preludeMs - trace.facts.t : 0;
  let [offset, now] = [first ?? 0, (): number => -shift];
  const recorder = new Recorder({
    profile,
    now: () => Math.max(0, now() + shift),
    wallClock: () => Math.round(offset + now()),
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    about: {
      runtime,
      xstate,
      node,
      clock,
      started,
      redaction,
      ...(title !== undefined && { title }),
      ...(cut && !hasTail && { cut }),
      ...about,
    },
    ringBytes: Infinity,
    frames: allFrames,
  });
  const at = (t: number, work: () => void): void => {
    const clock = now;
    now = () => t;
    work();
    now = clock;
  };
  const extrasUntil = extrasOf(trace, recorder, hasFrames, at);
  const parts: string[] = [];
  const add = write ?? ((part: string) => void parts.push(part));
  const writer = recorder.writer();
  const pour = (): void => add(writer.lines(recorder.take()));
  add(recorder.head(1));
  const played = replay({
    observer: (ofReplay) => {
      now = ofReplay;
      return recorder;
    },
    onInput: ({ s, t, record }) => {
      pour();
      offset = record.w - t;
      extrasUntil(s);
    },
  });
  extrasUntil(Infinity);
  pour();
  if (hasTail) add(recorder.tail(reason(played), writer));
  return { text: parts.join(''), replay: played };
}
export function readBack(text: string): Trace {
  const read = readTrace(text, sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
}
