import { take, type Alive, type Living, type Row } from './living.ts';

/** So many records are folded at most to show a moment of the past. */
const stride = 1_000;

/** All records of a trace, and who lived after any of them. Grows at its end; nothing else changes. */
export class History {
  readonly #rows: Row[] = [];
  readonly #last = new Map<string, Living>();
  /** Who lived before the record at `stride` times the index. */
  readonly #marks: Alive[] = [];

  #shown: { readonly end: number; readonly length: number; readonly alive: Alive } | undefined;

  get length(): number {
    return this.#rows.length;
  }
  add(row: Row): void {
    if (this.#rows.length % stride === 0) this.#marks.push(new Map(this.#last));
    this.#rows.push(row);
    take(this.#last, row);
  }
  row(index: number): Row | undefined {
    return this.#rows[index];
  }
  /** Who lives after the record at `index`, counted from 0; below 0 nobody, beyond the end as after the last one. */
  at(index: number): Alive {
    const end = Math.min(Math.floor(index), this.#rows.length - 1);
    if (end < 0) return new Map();
    const { length } = this.#rows;
    if (this.#shown?.end !== end || this.#shown.length !== length)
      this.#shown = { end, length, alive: this.#folded(end) };
    return this.#shown.alive;
  }
  #folded(end: number): Alive {
    if (end === this.#rows.length - 1) return new Map(this.#last);
    const mark = Math.floor(end / stride);
    const alive = new Map(this.#marks[mark]);
    for (const row of this.#rows.slice(mark * stride, end + 1)) take(alive, row);
    return alive;
  }
  rows(): readonly Row[] {
    return this.#rows;
  }
  /** The index of the record with this number; undefined: there is none. */
  indexOf(s: number): number | undefined {
    const index = this.#before(({ s: other }) => other < s);
    return this.#rows[index]?.s === s ? index : undefined;
  }
  /** The index of the last record that is not later than `t` ms of the trace; -1: all are. */
  indexAt(t: number): number {
    return this.#before((row) => row.t <= t) - 1;
  }
  /** How many records at the beginning are so; they are in order. */
  #before(isSo: (row: Row) => boolean): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle];
      if (row && isSo(row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
