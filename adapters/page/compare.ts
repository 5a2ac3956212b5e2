import { canonical } from '../../machines/trace/canonical.ts';
import type { Call } from './calls.ts';
import type { Row } from './trace-lines.ts';
import { partingOf, textOf, type Parting } from './values.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/**
 * Two runs of one host, aligned by what the host received and sent: the first event of a kind on a channel belongs to
 * the first of that kind in the other run, and so on. Takes time in proportion to the records, whatever they hold. Pure.
 */

/** Event that one run lacks, or has with another content. */
export interface RunDifference {
  /** Record of each run; undefined where that run has none. */
  readonly one: Row | undefined;
  readonly other: Row | undefined;
  /** Texts of both records, divided where they begin and end to differ. */
  readonly parting: Parting;
}
export interface ComparedCall {
  readonly one: Call | undefined;
  readonly other: Call | undefined;
  readonly isSame: boolean;
}
export interface Compared {
  /** Number of pairs of records that are the same in both runs. */
  readonly same: number;
  /** Differences in the order of their times. */
  readonly differences: readonly RunDifference[];
  /** Calls of both runs, first those that ended in different ways. */
  readonly calls: readonly ComparedCall[];
}
const crossings: ReadonlySet<string> = new Set(['in', 'out', 'said', 'draw']);
const typeOf = (row: Row): string => textOf(fieldsOf(row['ev'])['type']);
/** Returns the name of a record of what the host received or sent, shown to people and used to find it in the other run. */
const nameOfCrossing = (row: Row): string => `${row.k} ${textOf(row['ch'])} ${typeOf(row)}`.trim();
/** Returns the name of a record (`nameOfCrossing`) without the parameters of a request, which may differ between the runs. */
const looseName = (row: Row): string => `${row.k} ${textOf(row['ch']).replace(/ \{.*$/s, '')} ${typeOf(row)}`;
const textOfCrossing = (row: Row | undefined): string =>
  row === undefined ? 'nothing' : `${nameOfCrossing(row)} ${canonical(row['ev'] ?? row['v'] ?? null)}`;

/** Pairs items of two lists that have the same name, in their order. An item that is left over has no partner. */
function pairsOf<T>(
  ones: readonly T[],
  others: readonly T[],
  nameOf: (item: T) => string,
): (readonly [one: T | undefined, other: T | undefined])[] {
  const waiting = new Map<string, T[]>();
  for (const item of others) {
    const known = waiting.get(nameOf(item));
    if (known) known.push(item);
    else waiting.set(nameOf(item), [item]);
  }
  const next = new Map<string, number>();
  const pairs = ones.map((one) => {
    const name = nameOf(one);
    const at = next.get(name) ?? 0;
    next.set(name, at + 1);
    return [one, waiting.get(name)?.[at]] as const;
  });
  const left = [...waiting].flatMap(([name, items]) =>
    items.slice(next.get(name) ?? 0).map((other) => [undefined, other] as const),
  );
  return [...pairs, ...left];
}
const timeOf = ({ one, other }: Pick<RunDifference, 'one' | 'other'>): number => one?.t ?? other?.t ?? 0;
const endOf = ({ ended }: Call): string => `${ended?.outcome} ${ended?.end}`;

function differencesOf(ones: readonly Row[], others: readonly Row[]): Pick<Compared, 'same' | 'differences'> {
  const exact = pairsOf(ones, others, nameOfCrossing);
  const paired = exact.filter(([one, other]) => one && other);
  const loose = pairsOf(
    exact.flatMap(([one, other]) => (one && !other ? [one] : [])),
    exact.flatMap(([one, other]) => (other && !one ? [other] : [])),
    looseName,
  );
  const differences = [...paired, ...loose].flatMap(([one, other]): RunDifference[] => {
    const [was, is] = [textOfCrossing(one), textOfCrossing(other)];
    return was === is ? [] : [{ one, other, parting: partingOf(was, is) }];
  });
  const same = paired.length + loose.length - differences.length;
  return { same, differences: differences.toSorted((a, b) => timeOf(a) - timeOf(b)) };
}
/** Run to compare: its trace records and its calls. */
export interface Run {
  readonly rows: readonly Row[];
  readonly calls: readonly Call[];
}
export function compare(one: Run, other: Run): Compared {
  const kept = ({ rows }: Run): Row[] => rows.filter(({ k }) => crossings.has(k));
  const calls = pairsOf(one.calls, other.calls, ({ tool, reqId }) => `${tool} ${reqId}`)
    .map(([was, is]) => ({
      one: was,
      other: is,
      isSame: was !== undefined && is !== undefined && endOf(was) === endOf(is),
    }))
    .toSorted((a, b) => Number(a.isSame) - Number(b.isSame));
  return { ...differencesOf(kept(one), kept(other)), calls };
}
