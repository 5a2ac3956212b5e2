import type { Fields } from '../../machines/protocol/json.ts';
import { Later } from '../../machines/trace/canonical.ts';

/**
 * Hides further values in a recording, beyond secrets found by name and form. Takes each text, number and boolean
 * with the name of its field (for an item of a list, the name of the list). The result is written as JSON in place
 * of the value; undefined hides the value. The same value must always give the same result. A hook that throws
 * hides the value, and `onNotice` reports that once.
 */
export type RedactHook = (value: string | number | boolean, key: string) => unknown;

/** Fields that hold values from outside of the machines; other fields describe the record itself. */
const payload = new Set([
  'ev',
  'v',
  'threw',
  'what',
  'input',
  'will',
  'output',
  'error',
  'ctx',
  'text',
  'json',
  'roots',
]);
const isOnChannels = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.every((each) => typeof (each as Fields | null)?.['ch'] === 'string');
const deepest = 200;

export class HookRedactor {
  readonly #hook: RedactHook;
  readonly #markOf: (secret: string) => string;
  readonly #onError: (error: unknown) => void;

  constructor(hook: RedactHook, markOf: (secret: string) => string, onError: (error: unknown) => void) {
    this.#hook = hook;
    this.#markOf = markOf;
    this.#onError = onError;
  }
  readonly value = (value: unknown, key = '', depth = 0): unknown => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return this.#shown(value, key);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    if (value instanceof Later) return value;
    if (depth > deepest) return this.#markOf('');
    const inside = (each: unknown, name: string): unknown => this.value(each, name, depth + 1);
    if (Array.isArray(value)) return value.map((each) => inside(each, key));
    if (value instanceof Set) return new Set([...value].map((each) => inside(each, key)));
    if (value instanceof Map)
      return new Map(
        [...value].map(([name, each]) => [name, inside(each, typeof name === 'string' ? name : key)]),
      );
    if (value instanceof Error)
      return Object.assign(new Error(String(inside(value.message, 'message'))), { name: value.name });
    if ('toJSON' in value && typeof value.toJSON === 'function') return inside(value.toJSON(key), key);
    return this.#fields(value as Fields, inside);
  };
  record<T extends Fields>(record: T): T {
    return Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, this.#field(name, value)]),
    ) as unknown as T;
  }
  #field(name: string, value: unknown): unknown {
    if (isOnChannels(value)) return value.map((each) => this.record(each));
    if (!payload.has(name)) return value;
    if (name !== 'ev') return this.value(value, name);
    return this.#fields(value as Fields, (each, key) => (key === 'type' ? each : this.value(each, key)));
  }
  #fields(fields: Fields, by: (value: unknown, key: string) => unknown): Fields {
    return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, by(each, key)]));
  }
  #shown(value: string | number | boolean, key: string): unknown {
    try {
      const shown = this.#hook(value, key);
      return shown === undefined ? this.#markOf(String(value)) : shown;
    } catch (error) {
      this.#onError(error);
      return this.#markOf(String(value));
    }
  }
}
