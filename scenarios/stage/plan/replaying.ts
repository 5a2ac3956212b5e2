import { machines } from '../../../actors/runtime/assemble.ts';
import type { Recorder } from '../../../actors/recording/recorder.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import { traceOf } from '../recording.ts';
import { replayTrace, type Kinds } from '../../replay/replay-trace.ts';

/** Filling all machines costs more than most replays: only those that were opened. Another one would fail. */
export function openedIn({ lines }: Trace, kinds: Kinds = machines): Kinds {
  const opened = new Set(lines.flatMap(({ record }) => (record.k === 'open' ? [record.kind] : [])));
  return Object.fromEntries(Object.entries(kinds).filter(([kind]) => opened.has(kind)));
}
/** Where a play and its own replay part, strictly; empty when they do not. */
export function divergenceIn(recorder: Recorder, kinds: Kinds = machines): string[] {
  const trace = traceOf(recorder);
  const { divergence, total } = replayTrace(trace, { level: 'strict', kinds: openedIn(trace, kinds) });
  if (total === 0) return ['nothing was recorded'];
  return divergence ? [`its replay differs at record ${divergence.recorded?.s ?? 'the end'}`] : [];
}
