import { canonical } from '../../machines/trace/index.ts';
import type { Divergence, Produced } from './comparison.ts';

const textOf = (record: Produced): string => canonical(record);
const isSame = (a: Produced, b: Produced): boolean => textOf(a) === textOf(b);

/** Where two records of one kind at one address differ: `/ev/timeoutMs: 500 → 200`. */
function differences(a: unknown, b: unknown, at = ''): string[] {
  if (canonical(a ?? null) === canonical(b ?? null)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return [`${at}: ${canonical(a)} → ${canonical(b)}`];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.flatMap((key) =>
    differences((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${at}/${key}`),
  );
}
function hintOfPair(recorded: Produced, replayed: Produced): string | undefined {
  if (recorded.k !== replayed.k || recorded.a !== replayed.a) return undefined;
  if (recorded.k === 'timer' && replayed.k === 'timer' && recorded.ms !== replayed.ms)
    return `a delay has changed: ${recorded.ms} ms → ${replayed.ms} ms`;
  if (recorded.k === 'step' && replayed.k === 'step' && recorded.ev === replayed.ev) {
    if (replayed.tr.length === 0)
      return `${recorded.ev} is ignored now, where it was taken: ${recorded.tr.join(', ')}`;
    if (canonical(recorded.v) !== canonical(replayed.v)) return 'the same event leads to another state now';
  }
  return differences(recorded, replayed).slice(0, 3).join('; ');
}

/** One line that says what kind of change this looks like. */
export function hintOf({ how, recorded, replayed, restRecorded, restReplayed }: Divergence): string {
  if (how === 'deaf') return 'the machine that waited for this input has ended, moved on, or never asked';
  if (how === 'check') return 'record with --profile steps to see which record it is';
  if (!replayed) return 'something is no longer done here; or the event is ignored now';
  if (!recorded) return 'something is done here that was not done before';
  const isLater = restReplayed.some((record) => isSame(record, recorded.record));
  const wasLater = restRecorded.some(({ record }) => isSame(record, replayed));
  if (isLater && wasLater) return 'both still happen, in another order';
  const pair = hintOfPair(recorded.record, replayed);
  if (pair !== undefined && pair !== '') return pair;
  if (isLater) return 'something is done before it that was not done';
  if (wasLater) return 'something is no longer done before it';
  if (recorded.record.k === 'step') return `${recorded.record.a} took another way`;
  return 'something else is done here';
}
