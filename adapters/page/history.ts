import { take, type Alive, type Living, type Row } from './living.ts';

/** Most trace records that are applied again to show a moment of the past. */
const stride = 1_000;

/** All records of a trace, and the actors that lived after each of them. Records are only appended. */
export class History {
  readonly #rows: Row[] = [];
  readonly #last = new Map<string, Living>();
  /** Living actors after each `stride` trace records, from which a moment of the past is computed. */
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
  /**
   * Returns the actors that live after the record at `index`, counted from 0. Below 0 there are none; beyond the end
   * the last record counts.
   */
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
  /** Returns the index of the trace record with this number, or undefined when there is none. */
  indexOf(s: number): number | undefined {
    const index = this.#before(({ s: other }) => other < s);
    return this.#rows[index]?.s === s ? index : undefined;
  }
  /**
   * Returns the index of the last trace record at or before the time `t`, in ms since the trace began; -1 when all are
   * later.
   */
  indexAt(t: number): number {
    return this.#before((row) => row.t <= t) - 1;
  }
  /** Returns the number of records at the beginning that pass the test, by binary search in ordered records. */
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
