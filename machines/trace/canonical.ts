/** Writes values so that equal runs write equal bytes. What JSON cannot hold becomes an object with a `$` key (docs/trace-format.md). */
import { isObject, type Fields } from '../protocol/json.ts';

export interface Redactor {
  /** Undefined when the value, which stands under this key, is no secret. */
  hide(value: string | number | bigint, key: string): string | undefined;
  readonly met: number;
  /** Changes whenever more secrets are known, so that remembered texts are written again. */
  readonly revision: number;
}
/** Such as a function or a cycle; reading a trace keeps it as a marker that is written back unchanged. */
class Lost {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

/** Too large to be written with each record; a page of a running host can ask for it. */
export class Later {
  readonly number: number;
  readonly size: number;
  constructor(number: number, size: number) {
    this.number = number;
    this.size = size;
  }
}

interface Known {
  readonly text: string;
  readonly key: string;
  readonly revision: number;
}
/**
 * Memory of the texts of objects already written, kept as long as the objects live: most of a machine's
 * context is unchanged when it is written again. Valid only for objects that are never mutated.
 */
export class Texts {
  readonly sorted = new WeakMap<object, Known>();
  readonly given = new WeakMap<object, Known>();
  /**
   * Returns the hash that refers to a list stored elsewhere in the file; undefined when the list is written
   * in place.
   */
  readonly shared: (text: string) => string | undefined;
  constructor(shared: Texts['shared'] = () => undefined) {
    this.shared = shared;
  }
}

/** In characters. Writing a shorter text again costs less than remembering it (garbage collector). */
const leastRemembered = 512;
/** More than any protocol message needs; keeps endless nesting from overflowing the stack. */
const deepest = 500;
const words = new Set(['$num', '$big', '$err', '$map', '$set', '$bytes', '$lost', '$list', '$later', '$esc']);
const isWord = (keys: readonly string[]): boolean => keys.length === 1 && words.has(keys[0] ?? '');
const lost = (what: string): string => `{"$lost":${JSON.stringify(what)}}`;
/** Never treated as secrets, so that the fields of a record cannot be hidden. */
const isPlainKey = /^[a-zA-Z]+$/;
const byKey = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** For a key `value` the name comes from a sibling or the parent: `{name: 'X-Api-Key', value: …}`. */
function nameFor(key: string, fields: Fields, above: string): string {
  if (key !== 'value') return key;
  return [fields['name'], fields['key'], above].find((each) => typeof each === 'string') as string;
}

class Writer {
  readonly #above = new Set<object>();
  readonly #redactor: Redactor | undefined;
  readonly #isSorted: boolean;
  readonly #known: WeakMap<object, Known> | undefined;
  readonly #revision: number;
  readonly #shared: Texts['shared'] | undefined;
  /** Cut by a cycle or the depth limit: the text depends on the surrounding objects and is not remembered. */
  #isCut = false;
  constructor({ redactor, isSorted, texts }: Writing) {
    this.#redactor = redactor;
    this.#isSorted = isSorted;
    this.#known = isSorted ? texts?.sorted : texts?.given;
    this.#revision = redactor?.revision ?? 0;
    this.#shared = texts?.shared;
  }
  /** `key` is the property that holds the value; items of an array take the key of the array. */
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
    // Ignores the parent's key when the remembered text of plain fields is looked up: it does not change that text.
    const isFields =
      Object.getPrototypeOf(value) === Object.prototype && !('value' in value || 'toJSON' in value);
    const key = isFields ? '' : above;
    const known = texts.get(value);
    if (known?.key === key && known.revision === this.#revision) return known.text;
    const [wasCut, met] = [this.#isCut, this.#redactor?.met];
    this.#isCut = false;
    const text = this.#guarded(value, above);
    const isWorth = text.length >= leastRemembered;
    if (isWorth && !this.#isCut && met === this.#redactor?.met)
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
      // Only below the top fields of a record: the list `roots` of a checkpoint never repeats.
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
    if (value instanceof Later) return `{"$later":[${value.number},${value.size}]}`;
    // Writes objects such as dates and URLs by their own `toJSON`, as on the wire.
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.text(value.toJSON(key), key);
    return this.#fields(value as Fields, key);
  }
  /** Most values take this path, so it avoids extra work. */
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
  /** Keys may themselves be secrets; they are sorted by the text that is written for them. */
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
  /** Fields are converted first, because an error from foreign code may hold anything as name or message. */
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
  // Writes the whole value a second time when a secret may occur before the name that reveals it.
  return redactor?.met === known ? text : new Writer(writing).text(value, '');
}
const given = new Set(['in', 'draw', 'call']);
/** Input from outside keeps its order of fields: code that iterates over them must meet it in a replay. */
export const textOfRecord = (record: { readonly k: string }, redactor?: Redactor, texts?: Texts): string =>
  written(record, { redactor, texts, isSorted: !given.has(record.k) });

export type Lists = ReadonlyMap<string, readonly unknown[]>;
const noLists: Lists = new Map();
type Reader = (value: never, lists: Lists) => unknown;
const readers: Readonly<Record<string, Reader>> = {
  $num: (text: string) => Number(text),
  $big: (text: string) => BigInt(text),
  $err: ({ name, message, code }: { name: string; message: string; code?: unknown }, lists) => {
    const error = new Error(message);
    // Defines the name as not enumerable, as error classes have it, so that it is not written as a field.
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
  $later: ([number = 0, size = 0]: number[]) => new Later(number, size),
  $esc: (inner: Record<string, unknown>, lists) => fieldsOf(inner, lists),
};
const fieldsOf = (value: Record<string, unknown>, lists: Lists): object =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revived(inner, lists)]));

/** Throws when the text is not canonical. Values lost in writing stay lost. */
export function revived(value: unknown, lists: Lists = noLists): unknown {
  if (Array.isArray(value)) return value.map((each) => revived(each, lists));
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const read = isWord(keys) ? readers[keys[0] as string] : undefined;
  return read ? read(value[keys[0] as string] as never, lists) : fieldsOf(value, lists);
}
