import { canonical, type Step } from '../../../machines/trace/index.ts';
import type { Divergence, Produced } from '../comparison.ts';
import { cut, stateText } from './record-text.ts';

const isSame = (a: Produced, b: Produced): boolean => canonical(a) === canonical(b);
const mostNamed = 3;

/** Where two values differ: `/timeoutMs: 500 → 200`. */
function differences(a: unknown, b: unknown, at = ''): string[] {
  if (canonical(a ?? null) === canonical(b ?? null)) return [];
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return [`${at || '/'}: ${cut(canonical(a))} → ${cut(canonical(b))}`];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.flatMap((key) =>
    differences((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${at}/${key}`),
  );
}
const named = (all: readonly string[]): string =>
  all.slice(0, mostNamed).join('; ') + (all.length > mostNamed ? ` and ${all.length - mostNamed} more` : '');

function hintOfSteps(recorded: Step, replayed: Step): string {
  const { ev } = recorded;
  if (ev !== replayed.ev) return `the machine is at another event: ${ev} → ${replayed.ev}`;
  if (replayed.tr.length === 0 && recorded.tr.length > 0) return `${ev} is ignored now, and was taken`;
  if (canonical(recorded.v) !== canonical(replayed.v))
    return `${ev} leads to another state now: ${stateText(recorded.v)} → ${stateText(replayed.v)}`;
  if (canonical(recorded.tr) !== canonical(replayed.tr)) return 'it comes to the same state by another way';
  if (recorded.ctx === undefined || replayed.ctx === undefined)
    return 'the machine remembers something else now, in its context; --profile full records what';
  return `the machine remembers something else now: ${named(differences(recorded.ctx, replayed.ctx))}`;
}
function hintOfPair(recorded: Produced, replayed: Produced): string | undefined {
  if (recorded.k === 'post' && replayed.k === 'post' && recorded.a !== replayed.a)
    return canonical(recorded.ev) === canonical(replayed.ev)
      ? `the same message goes to somebody else: ${recorded.a} → ${replayed.a}`
      : undefined;
  if (recorded.k !== replayed.k || recorded.a !== replayed.a) return undefined;
  if (recorded.k === 'timer' && replayed.k === 'timer' && recorded.ms !== replayed.ms)
    return `a delay has changed: ${recorded.ms} ms → ${replayed.ms} ms`;
  if (recorded.k === 'draw') return 'it uses random numbers in another place, or more often, or less';
  if (recorded.k === 'step' && replayed.k === 'step') return hintOfSteps(recorded, replayed);
  const words = [recorded, replayed].map((record) =>
    'ev' in record ? (record.ev as { type: string }) : null,
  );
  if (words[0]?.type !== words[1]?.type) return undefined;
  return named(differences(recorded, replayed));
}

/** What of it is no longer done. */
function lostText(record: Produced): string {
  switch (record.k) {
    case 'post':
      return `${record.a} is no longer told ${record.ev.type}`;
    case 'out':
      return `${record.port} is no longer told ${record.ev.type}`;
    case 'end':
      return `${record.a} does not end any more: what should end it is ignored or not done`;
    case 'open':
      return `${record.a} is no longer opened`;
    case 'timer':
      return `a timer is no longer ${record.op === 'set' ? 'set' : 'cleared'}`;
    case 'draw':
      return `${record.port} is no longer asked for`;
    case 'in':
    case 'step':
    case 'defect':
      return 'it does not come to this any more: an action is lost, or an event ignored';
  }
}

/** One line that says what kind of change this looks like. */
export function hintOf(divergence: Divergence): string {
  const { how, agreed, recorded, replayed, restRecorded, restReplayed } = divergence;
  if (how === 'deaf') return 'the machine that waited for this input has ended, moved on, or never asked';
  if (how === 'check')
    return 'the version that wrote it knows which record: a2c fork FILE there writes a trace with all of them';
  if (!replayed) return recorded ? lostText(recorded.record) : 'something is no longer done here';
  if (agreed.some((record) => record.k !== 'in' && isSame(record, replayed)))
    return 'the same is done a second time';
  if (!recorded) return 'this is done now, and was not: an action more, or an event that was ignored';
  const isLater = restReplayed.some((record) => isSame(record, recorded.record));
  const wasLater = restRecorded.some(({ record }) => isSame(record, replayed));
  if (isLater && wasLater) return 'both still happen, in another order';
  const pair = hintOfPair(recorded.record, replayed);
  if (pair !== undefined && pair !== '') return pair;
  if (isLater) return 'something is done before it that was not done';
  if (wasLater) return 'what was done here is left out; what came after it is done at once';
  if (recorded.record.k === 'step') return `${recorded.record.a} took another way`;
  return 'something else is done here: another branch was taken';
}
