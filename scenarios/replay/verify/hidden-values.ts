import { hidden } from '../world/matching.ts';

/** Values for hidden places of a trace, by the paths of these places, as `--set` gives them. */
export type GivenValues = Readonly<Record<string, unknown>>;
const inside = (path: string, key: string | number): string => (path === '' ? `${key}` : `${path}.${key}`);
const isHidden = (text: string): boolean => text.search(hidden) >= 0;

/** `PATH=VALUE` (a text) or `PATH:=JSON`; an error names the option and quotes no value. */
export function givenValues(texts: readonly string[], option = '--set', place = 'PATH'): GivenValues {
  return Object.fromEntries(
    texts.map((text) => {
      const [, path, isJson, value = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(text) ?? [];
      if (path === undefined) throw new Error(`${option} takes ${place}=VALUE, or ${place}:=JSON`);
      if (isJson === '') return [path, value];
      try {
        return [path, JSON.parse(value) as unknown];
      } catch {
        throw new Error(`${option} ${path}:= takes JSON`);
      }
    }),
  );
}

/** Texts that were redacted to the same mark had the same value, so one value fills all of them. */
export class HiddenValues {
  readonly missing = new Set<string>();
  readonly #given: GivenValues;
  readonly #known = new Map<string, unknown>();

  constructor(given: GivenValues) {
    this.#given = given;
  }
  /** A path may begin with the number of a record, to select one of several requests. */
  learn(value: unknown, record: number | undefined, path = ''): void {
    if (typeof value === 'string' && isHidden(value)) {
      const name = [inside(`${record}`, path), path].find((each) => Object.hasOwn(this.#given, each));
      if (name !== undefined) this.#known.set(value, this.#given[name]);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) this.learn(each, record, inside(path, key));
  }
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
