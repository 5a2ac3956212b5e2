import type { JsonObject } from '../../../machines/catalog/entries.ts';
import { isObject } from '../../../machines/protocol/json.ts';

/** One kind of value, read from the wire and written to it. */
export interface Codec<T> {
  /** Undefined: it is not of this kind. Never throws, whatever JSON it is given. */
  decode(raw: unknown): T | undefined;
  encode(value: T): unknown;
}

const as = <T>(is: (raw: unknown) => raw is T): Codec<T> => ({
  decode: (raw) => (is(raw) ? raw : undefined),
  encode: (value) => value,
});
export const text = as((raw): raw is string => typeof raw === 'string');
/** What an entry is found by. */
export const key = as((raw): raw is string => typeof raw === 'string' && raw !== '');
export const flag = as((raw): raw is boolean => typeof raw === 'boolean');
export const number = as((raw): raw is number => typeof raw === 'number' && Number.isFinite(raw));
export const object = as(isObject);
export const anything: Codec<unknown> = { decode: (raw) => raw, encode: (value) => value };
export const oneOf = <Word extends string>(...words: readonly Word[]): Codec<Word> =>
  as((raw): raw is Word => words.some((word) => word === raw));

/** All of them or none: half a list would be another list. */
export const listOf = <T>(each: Codec<T>): Codec<readonly T[]> => ({
  decode: (raw) => {
    if (!Array.isArray(raw)) return undefined;
    const read = raw.flatMap((entry) => {
      const one = each.decode(entry);
      return one === undefined ? [] : [one];
    });
    return read.length === raw.length ? read : undefined;
  },
  encode: (list) => list.map((entry) => each.encode(entry)),
});

type Fields<T> = { readonly [Name in Exclude<keyof T, 'more'>]-?: Codec<Exclude<T[Name], undefined>> };
/** The one word that MCP spells otherwise. */
const onWire = (name: string): string => (name === 'meta' ? '_meta' : name);

/**
 * An object with these fields. A field that is unknown, or not as it should be, stands in `more` as it came, and
 * goes out again from there; only without one of `needed` it is no such object.
 */
export const shapeOf = <T extends { readonly more?: JsonObject }>(
  fields: Fields<T>,
  needed: readonly (keyof Fields<T>)[],
): Codec<T> => {
  const known = Object.entries(fields) as [string, Codec<unknown>][];
  const byWire = new Map(known.map(([name, codec]) => [onWire(name), { name, codec }]));
  return {
    decode: (raw) => {
      if (!isObject(raw)) return undefined;
      const own: [string, unknown][] = [];
      const more: [string, unknown][] = [];
      for (const [wire, value] of Object.entries(raw)) {
        const field = byWire.get(wire);
        const read = field?.codec.decode(value);
        if (field === undefined || read === undefined) more.push([wire, value]);
        else own.push([field.name, read]);
      }
      // From pairs, not by assignment: a stranger's key may be `__proto__`.
      const entry = Object.fromEntries(own);
      if (needed.some((name) => !Object.hasOwn(entry, name))) return undefined;
      return (more.length > 0 ? { ...entry, more: Object.fromEntries(more) } : entry) as T;
    },
    encode: (entry) => {
      const held = entry as JsonObject;
      const own = known
        .filter(([name]) => held[name] !== undefined)
        .map(([name, codec]) => [onWire(name), codec.encode(held[name])]);
      return { ...entry.more, ...Object.fromEntries(own) };
    },
  };
};
