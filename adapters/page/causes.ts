import { type Row, textOf } from '../../machines/trace/row.ts';
import { nameOf } from './values.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

export interface Records {
  readonly length: number;
  row(index: number): Row | undefined;
}
/** Limits of a search for causes: number of records looked through for one cause, and number of causes returned. */
const mostBack = 100_000;
const mostCauses = 30;

const isFor = (row: Row, address: string): boolean => nameOf(textOf(row['a'])) === nameOf(address);
/** A fact from a leaf, such as a process, goes to the actor that owns it. */
const isHeardBy = (row: Row, address: string): boolean =>
  nameOf(row['via'] === 'leaf' ? rootOf(textOf(row['a'])) : textOf(row['a'])) === nameOf(address);
const rootOf = (leaf: string): string => leaf.replace(/\/[^/]*$/, '');
export const eventOf = ({ ev }: Row): string => (typeof ev === 'string' ? ev : textOf(fieldsOf(ev)['type']));

/** The cause is the nearest earlier record that passes; undefined when the record has none. */
function sought(row: Row): ((earlier: Row) => boolean) | undefined {
  const { k, via, n, ch, from } = row;
  const address = textOf(row['a']);
  const stepOf =
    (who: string) =>
    (earlier: Row): boolean =>
      (earlier.k === 'step' || earlier.k === 'open') && isFor(earlier, who);
  if (k === 'step') {
    const event = eventOf(row);
    // Takes the opening of an actor as the cause of events such as `xstate.init`.
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
  // Looks for a step of the owner, because a leaf, such as a process or a session, has no steps itself.
  return stepOf(k === 'out' && row['port'] !== 'ask' ? rootOf(address) : address);
}

/** The nearest first. The chain ends at a fact from outside. */
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
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
/** Lists, and values nested deeper than `depth`, are compared as a whole. */
export function changesOf(before: unknown, after: unknown, path = '', depth = 4): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, now] = [before, after].map((value) => (isObject(value) ? value : undefined));
  if (!old || !now || depth === 0) return [{ path, before, after }];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    changesOf(fieldsOf(old)[key], fieldsOf(now)[key], path === '' ? key : `${path}.${key}`, depth - 1),
  );
}
