/**
 * One text for one value: keys sorted, and what JSON cannot say written as an object with one key that begins
 * with `$` (docs/trace-format.md). Two runs that did the same write the same bytes.
 */
export type Veil = (text: string, key: string) => string | undefined;

const words = new Set(['$num', '$big', '$err', '$map', '$set', '$bytes', '$lost', '$esc']);
const isWord = (keys: readonly string[]): boolean => keys.length === 1 && words.has(keys[0] ?? '');

class Writer {
  /** Who holds whom: an object inside itself would never end. */
  readonly #above = new Set<object>();
  readonly #veil: Veil | undefined;
  constructor(veil: Veil | undefined) {
    this.#veil = veil;
  }
  /** `key`: the property that it stands under, the one around an array for what is in it. */
  text(value: unknown, key: string): string {
    if (typeof value === 'string') return JSON.stringify(this.#veil?.(value, key) ?? value);
    if (value === null || typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return this.#number(value, key);
    if (typeof value === 'bigint') return `{"$big":"${value}"}`;
    if (typeof value === 'object') return this.#guarded(value, key);
    return `{"$lost":"${typeof value}"}`;
  }
  #number(value: number, key: string): string {
    const hidden = this.#veil?.(String(value), key);
    if (hidden !== undefined && hidden !== String(value)) return JSON.stringify(hidden);
    if (Number.isFinite(value) && !Object.is(value, -0)) return String(value);
    return `{"$num":"${Object.is(value, -0) ? '-0' : value}"}`;
  }
  #guarded(value: object, key: string): string {
    if (this.#above.has(value)) return '{"$lost":"cycle"}';
    this.#above.add(value);
    const text = this.#object(value, key);
    this.#above.delete(value);
    return text;
  }
  #list(values: Iterable<unknown>, key: string): string {
    return `[${[...values].map((each) => this.text(each, key)).join(',')}]`;
  }
  #object(value: object, key: string): string {
    if (Array.isArray(value)) return this.#list(value, key);
    if (value instanceof Error) return `{"$err":${this.#error(value)}}`;
    if (value instanceof Map) return `{"$map":${this.#list(value, key)}}`;
    if (value instanceof Set) return `{"$set":${this.#list(value, key)}}`;
    if (value instanceof Uint8Array) return `{"$bytes":"${hexOf(value)}"}`;
    // As the wire would have it: a time, an address.
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.text(value.toJSON(key), key);
    const keys = Object.keys(value).toSorted();
    const fields = keys
      .filter((k) => (value as Record<string, unknown>)[k] !== undefined)
      .map((k) => `${JSON.stringify(k)}:${this.text((value as Record<string, unknown>)[k], k)}`);
    const text = `{${fields.join(',')}}`;
    return isWord(keys) ? `{"$esc":${text}}` : text;
  }
  #error({ name, message, ...rest }: Error & { code?: unknown }): string {
    const code = rest.code === undefined ? '' : `"code":${this.text(rest.code, 'code')},`;
    return `{${code}"message":${this.text(message, 'message')},"name":${JSON.stringify(name)}}`;
  }
}
const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** `veil` is asked for every string and number: what it answers is written in their place. */
export const canonical = (value: unknown, veil?: Veil): string => new Writer(veil).text(value, '');

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readers: Readonly<Record<string, (value: never) => unknown>> = {
  $num: (text: string) => Number(text),
  $big: (text: string) => BigInt(text),
  $err: ({ name, message, code }: { name: string; message: string; code?: unknown }) =>
    Object.assign(new Error(message), { name }, code === undefined ? {} : { code }),
  $map: (entries: unknown[]) => new Map(revived(entries) as [unknown, unknown][]),
  $set: (values: unknown[]) => new Set(revived(values) as unknown[]),
  $bytes: (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  $lost: () => undefined,
  $esc: (inner: Record<string, unknown>) => fieldsOf(inner),
};
const fieldsOf = (value: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revived(inner)]));

/** The value behind parsed canonical JSON. What was lost in writing (functions, cycles) is undefined. */
export function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (!isPlain(value)) return value;
  const keys = Object.keys(value);
  const read = isWord(keys) ? readers[keys[0] as string] : undefined;
  return read ? read(value[keys[0] as string] as never) : fieldsOf(value);
}
