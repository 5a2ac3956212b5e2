import { argumentsWith, asText, digitsIn, roundedArguments } from '../protocol/exact-numbers.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Json } from './format.ts';
import { readLenientJson } from './lenient-json.ts';
import { isObject } from '../protocol/json.ts';

/** The arguments as an object, or why they are none: 400, in words that the model can mend it by. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure };

/**
 * The arguments of a call as a model gave them: an object, or the text of one. Nothing, a blank text and `null` are
 * `{}`; anything else is an error that the model can mend. So is an integer that a number cannot hold; with the `schema` of the
 * tool it is given as text where a text may stand.
 */
export function readArguments(given: unknown, schema?: unknown): ArgumentsRead {
  const value = typeof given === 'string' ? fromText(given) : (given ?? {});
  if (!isObject(value)) {
    const what =
      value === undefined ? 'text that is no JSON' : Array.isArray(value) ? 'a list' : typeof value;
    return refused(`The arguments must be a JSON object; they are ${what}`);
  }
  // A text has all its digits; a value has perhaps lost some.
  const isText = typeof given === 'string';
  const read = argumentsWith(value, isText ? digitsIn(given, fromText) : [], schema);
  const problems = isText ? read.problems : roundedArguments(value, schema);
  return problems.length > 0
    ? refused(`Wrong arguments: ${problems.join('; ')}. ${asText}`, asText)
    : { ok: true, value: read.value as Json };
}
const refused = (message: string, remedy?: string): ArgumentsRead => ({
  ok: false,
  failure: { code: wireCodes.badRequest, message, ...(remedy !== undefined && { remedy }) },
});

function fromText(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return readLenientJson(text);
  }
}
