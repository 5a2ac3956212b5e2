import type { Trace, TraceLine } from '../../../machines/trace/reading.ts';
import { readBack, recordedAgain } from './recorded-again.ts';
import { replayTrace, type Kinds, type TraceReplay } from '../replay-trace.ts';

/** Without keys and numbers, because all machines of one kind behave alike. */
const kindOf = (address: string): string => (address.split('/').at(-1) ?? '').replace(/[:#].*$/, '');
/**
 * Words for a record between machines, without times, numbers and remembered values; undefined for a record that crosses the
 * boundary.
 */
function wordsOf({ record }: TraceLine): string | undefined {
  if (record.k === 'post') return `${kindOf(record.from)} told ${kindOf(record.a)} ${record.ev.type}`;
  if (record.k === 'open') return `${record.kind} was opened`;
  if (record.k === 'end') return `${kindOf(record.a)} ended (${record.why})`;
  return record.k === 'step' && record.tr.length > 0 ? record.tr.join(', ') : undefined;
}
const inside = ({ lines }: Trace): { readonly s: number; readonly words: string }[] =>
  lines.flatMap((line) => {
    const words = wordsOf(line);
    return words === undefined ? [] : [{ s: line.s, words }];
  });

/** In words for people; undefined when nothing differs from the recording. */
export function replayedInside(
  trace: Trace,
  kinds: Kinds,
): { readonly replay: TraceReplay; readonly inside: string | undefined } {
  const { text, replay } = recordedAgain(trace, {}, (watched) => replayTrace(trace, { kinds, ...watched }));
  const [was, all] = [inside(trace), inside(readBack(text))];
  // The rest of a torn trace was never written.
  const is = trace.tail ? all : all.slice(0, was.length);
  const at = Array.from({ length: Math.max(was.length, is.length) }, (_, n) => n).find(
    (n) => was[n]?.words !== is[n]?.words,
  );
  if (at === undefined) return { replay, inside: undefined };
  const [before, after] = [was[at], is[at]];
  const words = `record ${before?.s ?? was.at(-1)?.s ?? 1}: ${before?.words ?? 'nothing'} | ${after?.words ?? 'nothing'}`;
  return { replay, inside: words };
}
