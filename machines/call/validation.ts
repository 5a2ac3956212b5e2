import type { JsonObject } from '../catalog/index.ts';

/** What a JSON Schema says of a value. */
export type Validity =
  /** `unused`: a sentence about a part of the schema that nothing was held against. */
  | { readonly ok: true; readonly unused?: string }
  /** At most five lines, `path: what is wrong`; none holds a value, for it may be a secret. */
  | { readonly ok: false; readonly problems: readonly string[] }
  /** The schema cannot be used, or judging takes too long; a sentence about the schema. Nothing is known of the value. */
  | { readonly ok: 'unchecked'; readonly reason: string };
/**
 * Port `validate`. At once, and whatever either of them is: never throws. The same schema is the same object. Calls
 * reach it by the ports `policy` and `finish`, which know the schema of each tool.
 */
export type Validate = (schema: JsonObject, value: unknown) => Validity;

/** How far a value was not held against a schema, as the end of a sentence; undefined: it was. */
export function unusedIn(validity: Validity): string | undefined {
  if (validity.ok === 'unchecked') return `: ${validity.reason}`;
  return validity.ok && validity.unused !== undefined ? ` as a whole: ${validity.unused}` : undefined;
}
