import { isObject, type Fields } from '../protocol/json.ts';

/**
 * One text for one value: keys sorted, and what JSON cannot say written as an object with one key that begins
 * with `$` (docs/trace-format.md). Two runs that did the same write the same bytes, and what is read back and
 * written again is the same text.
 */
export interface Redactor {
  /** What is written in the place of a text or a number that stands under this key; undefined: itself. */
  hide(value: string | number | bigint, key: string): string | undefined;
  /** How many secrets it has learned by their names so far. */
  readonly met: number;
  /** Another one whenever it knows more secrets than before. */
  readonly revision: number;
}
/** What could not be written: a function, a cycle. It can be carried on, and is written as what it was. */
class Lost {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

interface Known {
  readonly text: string;
  readonly key: string;
  readonly revision: number;
}
/**
 * The texts of objects that were written, as long as they live: what a machine knows is written again and again, and most
 * of it has not changed. Only for objects that nobody changes.
 */
export class Texts {
  readonly sorted = new WeakMap<object, Known>();
  readonly given = new WeakMap<object, Known>();
  /** The hash by which a list is written that stands elsewhere; undefined: it is written where it is. */
  readonly shared: (text: string) => string | undefined;
  constructor(shared: Texts['shared'] = () => undefined) {
    this.shared = shared;
  }
}

/** Deeper than any message of a protocol, and what is nested without end must not end the host. */
const deepest = 500;
const words = new Set(['$num', '$big', '$err', '$map', '$set', '$bytes', '$lost', '$list', '$esc']);
const isWord = (keys: readonly string[]): boolean => keys.length === 1 && words.has(keys[0] ?? '');
const lost = (what: string): string => `{"$lost":${JSON.stringify(what)}}`;
/** Names of fields, which no secret is; so the fields of a record can never be hidden. */
const isPlainKey = /^[a-zA-Z]+$/;
const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** `{name: 'X-Api-Key', value: …}`, `{apiKey: {value: …}}`: whose value it is. */
function nameFor(key: string, fields: Fields, above: string): string {
  if (key !== 'value') return key;
  return [fields['name'], fields['key'], above].find((each) => typeof each === 'string') as string;
}

class Writer {
  /** Who holds whom: an object inside itself would never end. */
  readonly #above = new Set<object>();
  readonly #redactor: Redactor | undefined;
  readonly #isSorted: boolean;
  readonly #known: WeakMap<object, Known> | undefined;
  readonly #revision: number;
  readonly #shared: Texts['shared'] | undefined;
  /** Of a part of it, what is written depends on what is around it. */
  #isCut = false;
  constructor({ redactor, isSorted, texts }: Writing) {
    this.#redactor = redactor;
    this.#isSorted = isSorted;
    this.#known = isSorted ? texts?.sorted : texts?.given;
    this.#revision = redactor?.revision ?? 0;
    this.#shared = texts?.shared;
  }
  /** `key`: the property that it stands under, the one around an array for what is in it. */
  text(value: unknown, key: string): string {
    if (typeof value === 'string') return JSON.stringify(this.#redactor?.hide(value, key) ?? value);
    if (value === null || typeof value === 'boolean') return String(value);
    if (typeof value === 'object')
      return this.#known ? this.#remembered(value, key, this.#known) : this.#guarded(value, key);
    if (typeof value !== 'number' && typeof value !== 'bigint') return lost(typeof value);
    const hidden = this.#redactor?.hide(value, key);
    return hidden === undefined ? numberText(value) : JSON.stringify(hidden);
  }
  #remembered(value: object, above: string, texts: WeakMap<object, Known>): string {
    // To its fields it does not matter where an object stands.
    const isFields =
      Object.getPrototypeOf(value) === Object.prototype && !('value' in value || 'toJSON' in value);
    const key = isFields ? '' : above;
    const known = texts.get(value);
    if (known?.key === key && known.revision === this.#revision) return known.text;
    const [wasCut, met] = [this.#isCut, this.#redactor?.met];
    this.#isCut = false;
    const text = this.#guarded(value, above);
    if (!this.#isCut && met === this.#redactor?.met)
      texts.set(value, { text, key, revision: this.#revision });
    this.#isCut ||= wasCut;
    return text;
  }
  #guarded(value: object, key: string): string {
    const isDeep = this.#above.size >= deepest;
    if (isDeep || this.#above.has(value)) {
      this.#isCut = true;
      return lost(isDeep ? 'depth' : 'cycle');
    }
    this.#above.add(value);
    try {
      return this.#object(value, key);
    } catch {
      // A getter or a toJSON of a stranger that throws.
      return lost('unreadable');
    } finally {
      this.#above.delete(value);
    }
  }
  #list(values: Iterable<unknown>, key: string): string {
    let text = '';
    for (const each of values) text += `${text === '' ? '' : ','}${this.text(each, key)}`;
    return `[${text}]`;
  }
  #map(entries: ReadonlyMap<unknown, unknown>, key: string): string {
    const pairs = Array.from(entries, ([k, value]) => {
      const name = typeof k === 'string' ? k : key;
      return `[${this.text(k, '')},${this.text(value, name)}]`;
    });
    return `{"$map":[${pairs.join(',')}]}`;
  }
  #object(value: object, key: string): string {
    if (Array.isArray(value)) {
      const text = this.#list(value, key);
      // A field of a record is its own: the roots of a checkpoint are no list that comes again.
      const hash = this.#above.size > 2 ? this.#shared?.(text) : undefined;
      return hash === undefined ? text : `{"$list":"${hash}"}`;
    }
    if (Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value))
      return this.#fields(value as Fields, key);
    return this.#instance(value, key);
  }
  #instance(value: object, key: string): string {
    if (value instanceof Error) return `{"$err":${this.#error(value)}}`;
    if (value instanceof Map) return this.#map(value, key);
    if (value instanceof Set) return `{"$set":${this.#list(value, key)}}`;
    if (value instanceof Uint8Array) return this.#bytes(value, key);
    if (value instanceof Lost) return lost(value.what);
    // As the wire would have it: a time, an address.
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.text(value.toJSON(key), key);
    return this.#fields(value as Fields, key);
  }
  /** Almost all that is written comes through here. */
  #fields(fields: Fields, above: string): string {
    const keys = Object.keys(fields);
    if (this.#isSorted) keys.sort();
    let text = '';
    let [count, only] = [0, ''];
    for (const key of keys) {
      const value = fields[key];
      if (value === undefined) continue;
      const isPlain = isPlainKey.test(key);
      if (!isPlain && (this.#redactor?.hide(key, '') ?? key) !== key)
        return this.#redactedText(fields, above);
      const inner = this.text(value, nameFor(key, fields, above));
      text += `${count === 0 ? '' : ','}${isPlain ? `"${key}"` : JSON.stringify(key)}:${inner}`;
      count += 1;
      only = key;
    }
    return count === 1 && words.has(only) ? `{"$esc":{${text}}}` : `{${text}}`;
  }
  /** Where a key may hold a secret: sorted by what is written in its place. */
  #redactedText(fields: Fields, above: string): string {
    const pairs = Object.keys(fields)
      .filter((key) => fields[key] !== undefined)
      .map((key) => {
        const shown = isPlainKey.test(key) ? key : (this.#redactor?.hide(key, '') ?? key);
        return [shown, this.text(fields[key], nameFor(key, fields, above))] as const;
      });
    const sorted = this.#isSorted ? pairs.toSorted(byKey) : pairs;
    const text = `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(',')}}`;
    return sorted.length === 1 && words.has(sorted[0]?.[0] ?? '') ? `{"$esc":${text}}` : text;
  }
  #bytes(bytes: Uint8Array, key: string): string {
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const hidden = this.#redactor?.hide(hex, key) ?? hex;
    return hidden === hex ? `{"$bytes":"${hex}"}` : JSON.stringify(hidden);
  }
  /** A stranger's error may have anything in the place of its texts. */
  #error({ name, message, code }: { name: unknown; message: unknown; code?: unknown }): string {
    const coded = code === undefined ? '' : `"code":${this.text(code, 'code')},`;
    return `{${coded}"message":${this.text(String(message), 'message')},"name":${JSON.stringify(String(name))}}`;
  }
}
function numberText(value: number | bigint): string {
  if (typeof value === 'bigint') return `{"$big":"${value}"}`;
  if (Number.isFinite(value) && !Object.is(value, -0)) return String(value);
  return `{"$num":"${Object.is(value, -0) ? '-0' : value}"}`;
}

/** The text of a value. What `redactor` hides is replaced in it. */
export function canonical(value: unknown, redactor?: Redactor, texts?: Texts): string {
  return written(value, { redactor, texts, isSorted: true });
}
interface Writing {
  readonly redactor: Redactor | undefined;
  readonly texts: Texts | undefined;
  readonly isSorted: boolean;
}
function written(value: unknown, writing: Writing): string {
  const { redactor } = writing;
  const known = redactor?.met;
  const text = new Writer(writing).text(value, '');
  // A secret may stand in a text before the name that gives it away: then all of it is written again.
  return redactor?.met === known ? text : new Writer(writing).text(value, '');
}
const given = new Set(['in', 'draw']);
/**
 * The text of a record. What the machines did is canonical. What the world gave them is written as it was given:
 * whoever walks over the fields of an object meets them in that order, and a replay must meet them so too.
 */
export const textOfRecord = (record: { readonly k: string }, redactor?: Redactor, texts?: Texts): string =>
  written(record, { redactor, texts, isSorted: !given.has(record.k) });

/** Lists by their hash, as a file has them. */
export type Lists = ReadonlyMap<string, readonly unknown[]>;
const noLists: Lists = new Map();
type Reader = (value: never, lists: Lists) => unknown;
const readers: Readonly<Record<string, Reader>> = {
  $num: (text: string) => Number(text),
  $big: (text: string) => BigInt(text),
  $err: ({ name, message, code }: { name: string; message: string; code?: unknown }, lists) => {
    const error = new Error(message);
    // As a class has it, so that it is no field of its own.
    if (name !== 'Error') Object.defineProperty(error, 'name', { value: name, configurable: true });
    return code === undefined ? error : Object.assign(error, { code: revived(code, lists) });
  },
  $map: (entries: unknown[], lists) => new Map(revived(entries, lists) as [unknown, unknown][]),
  $set: (values: unknown[], lists) => new Set(revived(values, lists) as unknown[]),
  $bytes: (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  $lost: (what: string) => (what === 'undefined' ? undefined : new Lost(what)),
  $list: (hash: string, lists) => {
    const list = lists.get(hash);
    if (!list) throw new Error(`the list ${hash} is missing`);
    return list;
  },
  $esc: (inner: Record<string, unknown>, lists) => fieldsOf(inner, lists),
};
const fieldsOf = (value: Record<string, unknown>, lists: Lists): object =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revived(inner, lists)]));

/** The value behind parsed canonical JSON. Throws when it is none. What was lost in writing stays lost. */
export function revived(value: unknown, lists: Lists = noLists): unknown {
  if (Array.isArray(value)) return value.map((each) => revived(each, lists));
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const read = isWord(keys) ? readers[keys[0] as string] : undefined;
  return read ? read(value[keys[0] as string] as never, lists) : fieldsOf(value, lists);
}
