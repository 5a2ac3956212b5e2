import type { Row } from './living.ts';
import { textOf } from './values.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

/**
 * Lists that a trace writes only once, by their hash, and later lines that refer to them (docs/trace-format.md). Pure.
 */

const isOnly = (value: object, key: string): boolean => key in value && Object.keys(value).length === 1;

export class Lists {
  readonly #byHash = new Map<string, readonly unknown[]>();

  /** Parses a line of a trace, with each list in place of its reference. A reference to an unknown list stays. */
  read(line: string): Row {
    const written = JSON.parse(line) as Row;
    const row = line.includes('"$list"') ? (this.#whole(written) as Row) : written;
    this.keep(row);
    return row;
  }
  /** Remembers a list that has a trace line of its own, by its hash. */
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
