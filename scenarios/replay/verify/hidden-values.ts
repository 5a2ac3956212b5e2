import { hidden } from '../world/matching.ts';

/** Values of `--set`, by their places in the trace. */
export type GivenValues = Readonly<Record<string, unknown>>;
const inside = (path: string, key: string | number): string => (path === '' ? `${key}` : `${path}.${key}`);
const isHidden = (text: string): boolean => text.search(hidden) >= 0;

/** Reads `PATH=VALUE`, a text, and `PATH:=JSON`. Throws an `Error` that quotes no value. */
export function givenValues(texts: readonly string[]): GivenValues {
  return Object.fromEntries(
    texts.map((text) => {
      const [, path, isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
      if (path === undefined) throw new Error('--set takes PATH=VALUE, or PATH:=JSON');
      if (isJson === '') return [path, value];
      try {
        return [path, JSON.parse(value) as unknown];
      } catch {
        throw new Error(`--set ${path}:= takes JSON`);
      }
    }),
  );
}

/**
 * Puts given values in the place of texts that hold something hidden, which are given whole. Texts that were recorded alike had
 * the same value: one is enough.
 */
export class HiddenValues {
  /** Places without a value, after `fill`. */
  readonly missing = new Set<string>();
  readonly #given: GivenValues;
  /** Hidden values by the recorded text. */
  readonly #known = new Map<string, unknown>();

  constructor(given: GivenValues) {
    this.#given = given;
  }
  /** Learns what is given for the places of a value; `record` may stand before a path, to name one request of several. */
  learn(value: unknown, record: number | undefined, path = ''): void {
    if (typeof value === 'string' && isHidden(value)) {
      const name = [inside(`${record}`, path), path].find((each) => Object.hasOwn(this.#given, each));
      if (name !== undefined) this.#known.set(value, this.#given[name]);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) this.learn(each, record, inside(path, key));
  }
  /** The value with all that was learned. */
  fill(value: unknown, path = ''): unknown {
    if (typeof value === 'string') {
      if (!isHidden(value)) return value;
      if (!this.#known.has(value)) this.missing.add(path);
      return this.#known.get(value) ?? value;
    }
    if (Array.isArray(value)) return value.map((each, n) => this.fill(each, inside(path, n)));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.fill(each, inside(path, key))]),
    );
  }
}
