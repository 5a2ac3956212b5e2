import { numberOf, textOf, type Row } from '../../machines/trace/row.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

/** Lines of a trace as records of the page, and records of the page as a trace to save (docs/trace-format.md). Pure. */

const isOnly = (value: object, key: string): boolean => key in value && Object.keys(value).length === 1;
/** Lists that a trace has written once, by their hash. Later lines refer to them. */
export class Lists {
  readonly #byHash = new Map<string, readonly unknown[]>();

  /** Puts each list in place of its reference. A reference to an unknown list stays. */
  read(line: string): Row {
    const written = JSON.parse(line) as Row;
    const row = line.includes('"$list"') ? (this.#whole(written) as Row) : written;
    this.keep(row);
    return row;
  }
  keep({ k, h, v }: Row): void {
    if (k === 'list' && Array.isArray(v)) this.#byHash.set(textOf(h), v);
  }
  #whole(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#whole(each));
    if (!isObject(value)) return value;
    if (isOnly(value, '$list')) return this.#byHash.get(textOf(value['$list'])) ?? value;
    // Reads the contents of `$esc`, which escapes objects that look like a reference to a list.
    if (isOnly(value, '$esc')) return { $esc: this.#fields(fieldsOf(value['$esc'])) };
    return this.#fields(value);
  }
  #fields(value: object): object {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#whole(inner)]));
  }
}

function lineOf(row: Row, hashes: ReadonlyMap<unknown, string>): string {
  const own = row.k === 'list' ? row['v'] : undefined;
  return `${JSON.stringify(row, (_, value: unknown) => {
    const h = value === own ? undefined : hashes.get(value);
    return h === undefined ? value : { $list: h };
  })}\n`;
}
export function traceUpTo(rows: readonly Row[], index: number): string {
  const shown = rows.slice(0, index + 1);
  const head = shown.find(({ k }) => k === 'head');
  const kept = shown.filter(({ k }) => k !== 'head' && k !== 'tail');
  const hashes = new Map(kept.flatMap((row) => (row.k === 'list' ? [[row['v'], textOf(row['h'])]] : [])));
  // Adds an end to a trace that is cut. A whole recording of a killed host keeps its own end, which says that the host was killed.
  const isCut = shown.length < rows.length || rows.at(-1)?.k === 'tail';
  const first = { ...fieldsOf(head), next: kept[0]?.s ?? 1, ...(isCut && { cut: true }) } as unknown as Row;
  const lines = head ? [first, ...kept] : kept;
  return lines.map((line) => lineOf(line, hashes)).join('');
}

/** In ms since 1970, or that of the nearest earlier record that has one. */
export const clockAt = (rows: readonly Row[], index: number): number | undefined =>
  numberOf(rows.slice(0, index + 1).findLast(({ w }) => numberOf(w) !== undefined)?.['w']);
export function traceUntil(trace: string, clock: number): string {
  const lines = trace.split('\n');
  const end = lines.findIndex(
    (line) => Number(/^\{"s":\d+,"t":[\d.]+,"w":([\d.]+)/.exec(line)?.[1] ?? 0) > clock,
  );
  if (end < 0) return trace;
  const [head = '', ...rest] = lines.slice(0, end);
  return `${[head.replace(/\}$/, ',"cut":true}'), ...rest].join('\n')}\n`;
}
