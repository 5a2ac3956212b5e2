import type { Row } from './living.ts';
import { textOf } from './values.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

/** Why a record came about, read from the records before it. */

export interface Records {
  readonly length: number;
  row(index: number): Row | undefined;
}
/** So far back is looked for one cause, and so many are told. */
const mostBack = 100_000;
const mostCauses = 30;

const nameOf = (address: string): string => address.replace(/#\d+$/, '');
const isFor = (row: Row, address: string): boolean => nameOf(textOf(row['a'])) === nameOf(address);
/** What a leaf tells is for the root above it. */
const isHeardBy = (row: Row, address: string): boolean =>
  nameOf(row['via'] === 'leaf' ? rootOf(textOf(row['a'])) : textOf(row['a'])) === nameOf(address);
const rootOf = (leaf: string): string => leaf.replace(/\/[^/]*$/, '');
export const eventOf = ({ ev }: Row): string => (typeof ev === 'string' ? ev : textOf(fieldsOf(ev)['type']));

/** What led to `row`: the first record before it for which this holds. */
function sought(row: Row): ((earlier: Row) => boolean) | undefined {
  const { k, via, n, ch, from } = row;
  const address = textOf(row['a']);
  const stepOf =
    (who: string) =>
    (earlier: Row): boolean =>
      (earlier.k === 'step' || earlier.k === 'open') && isFor(earlier, who);
  if (k === 'step') {
    const event = eventOf(row);
    // `xstate.init` and the like: what it did as it was opened.
    return (earlier) =>
      (earlier.k === 'open' && isFor(earlier, address)) ||
      (earlier.k === 'post' && eventOf(earlier) === event && isFor(earlier, address)) ||
      (earlier.k === 'in' && isHeardBy(earlier, address));
  }
  if (k === 'in' && (via === 'timer' || via === 'deadline'))
    return (earlier) =>
      earlier.k === 'timer' && earlier['op'] === 'set' && earlier['n'] === n && isFor(earlier, address);
  if (k === 'in' && via === 'ask') return (earlier) => earlier.k === 'out' && earlier['ch'] === ch;
  if (k === 'in') return undefined;
  if (k === 'post' || k === 'said' || k === 'open')
    return textOf(from) === 'host' || textOf(from).startsWith('host:')
      ? (earlier) => earlier.k === 'in'
      : stepOf(textOf(from));
  if (k === 'mark' || k === 'list' || k === 'facts') return undefined;
  if (k === 'draw' || k === 'defect') return (earlier) => earlier.k === 'in';
  // A leaf stands below its root.
  return stepOf(k === 'out' && row['port'] !== 'ask' ? rootOf(address) : address);
}

/** The indexes of what led to the record at `index`, the nearest first. A fact from outside is where it ends. */
export function causesOf(records: Records, index: number): number[] {
  const causes: number[] = [];
  for (let at = index; causes.length < mostCauses;) {
    const row = records.row(at);
    const is = row && sought(row);
    if (!is) break;
    const end = Math.max(0, at - mostBack);
    let found = at - 1;
    for (; found >= end; found--) {
      const earlier = records.row(found);
      if (earlier && is(earlier)) break;
    }
    if (found < end) break;
    causes.push(found);
    at = found;
  }
  return causes;
}

export interface Change {
  /** `link.stage` */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
/** What is another in `after`, by path; lists and whatever stands deeper than `depth` are compared as a whole. */
export function changesOf(before: unknown, after: unknown, path = '', depth = 4): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, now] = [before, after].map((value) => (isObject(value) ? value : undefined));
  if (!old || !now || depth === 0) return [{ path, before, after }];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    changesOf(fieldsOf(old)[key], fieldsOf(now)[key], path === '' ? key : `${path}.${key}`, depth - 1),
  );
}
