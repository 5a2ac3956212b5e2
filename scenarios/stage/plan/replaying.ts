import { machines } from '../../../actors/runtime/assemble.ts';
import type { Recorder } from '../../../actors/recording/recorder.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import { traceOf } from '../recording.ts';
import { replayedInside } from '../../replay/again/inside.ts';
import { causeOf } from '../../replay/report/cause.ts';
import type { Kinds } from '../../replay/replay-trace.ts';

/** Filling all machines costs more than most replays: only those that were opened. Another one would fail. */
export function openedIn({ lines }: Trace, kinds: Kinds = machines): Kinds {
  const opened = new Set(lines.flatMap(({ record }) => (record.k === 'open' ? [record.kind] : [])));
  return Object.fromEntries(Object.entries(kinds).filter(([kind]) => opened.has(kind)));
}
/** Where a play and its own replay part, inside or at the boundary; empty when they do not. */
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
