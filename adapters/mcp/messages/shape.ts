import type { JsonObject } from '../../../machines/catalog/entries.ts';
import { isObject } from '../../../machines/protocol/json.ts';

/** Reader and writer for one kind of value on the wire. */
export interface Codec<T> {
  /** Reads a value; undefined when it is not of this kind. Never throws, whatever JSON is given. */
  decode(raw: unknown): T | undefined;
  encode(value: T): unknown;
}

const as = <T>(is: (raw: unknown) => raw is T): Codec<T> => ({
  decode: (raw) => (is(raw) ? raw : undefined),
  encode: (value) => value,
});
export const text = as((raw): raw is string => typeof raw === 'string');
/** Codec for a text that is not empty, such as the name or URI of an entry. */
export const key = as((raw): raw is string => typeof raw === 'string' && raw !== '');
export const flag = as((raw): raw is boolean => typeof raw === 'boolean');
export const number = as((raw): raw is number => typeof raw === 'number' && Number.isFinite(raw));
export const object = as(isObject);
export const anything: Codec<unknown> = { decode: (raw) => raw, encode: (value) => value };
export const oneOf = <Word extends string>(...words: readonly Word[]): Codec<Word> =>
  as((raw): raw is Word => words.some((word) => word === raw));

/** Codec for lists; a list with an invalid element is refused as a whole, because a part of it would be another list. */
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
/** Returns the name of a field on the wire; only `meta` differs, as `_meta`. */
const onWire = (name: string): string => (name === 'meta' ? '_meta' : name);

/**
 * Codec for an object with these fields. An unknown or invalid field is kept in `more` and written again from
 * there; without one of the `needed` fields the object is refused.
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
      // `Object.fromEntries` is used instead of assignment, because a key from the wire may be `__proto__`.
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
