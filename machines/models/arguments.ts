import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Json } from './format.ts';
import { readLenientJson } from './lenient-json.ts';

/** The arguments as an object, or why they are none: 400, in words that the model can mend it by. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The arguments of a call as a model gave them: an object, or the text of one. Nothing, a blank text and `null` are
 * `{}`; anything else is an error that the model can mend.
 */
export function readArguments(given: unknown): ArgumentsRead {
  const value = typeof given === 'string' ? fromText(given) : (given ?? {});
  if (isObject(value)) return { ok: true, value };
  const what = value === undefined ? 'text that is no JSON' : Array.isArray(value) ? 'a list' : typeof value;
  const message = `The arguments must be a JSON object; they are ${what}`;
  return { ok: false, failure: { code: wireCodes.badRequest, message } };
}

function fromText(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return readLenientJson(text);
  }
}
