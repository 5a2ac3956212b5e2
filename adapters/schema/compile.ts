import { MissingRefError, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { dialectsOf, type Dialect } from './dialects.ts';
import { isPlain } from './plain.ts';
import { lineOf } from './problems.ts';
import { sizeOf, type Size } from './size.ts';
import { within } from './watchdog.ts';

export interface Limits {
  readonly schema: Size;
  /** To compile one schema. */
  readonly compileMs: number;
  /** To judge one value. */
  readonly checkMs: number;
}
export const defaultLimits: Limits = {
  schema: { nodes: 10_000, characters: 256 * 1024, depth: 100 },
  compileMs: 1_000,
  checkMs: 200,
};

export interface Compiled {
  readonly nodes: number;
  /** It has words whose cost does not just grow with schema and value. */
  readonly isRisky: boolean;
  /** Texts are held against so many of them, each of which may look at every character once for every other. */
  readonly formats: number;
  /** Its patterns that no value is held against, because they cannot be read here. */
  readonly unread: readonly string[];
  /** Stops at the first mistake. */
  readonly first: ValidateFunction;
  /** Goes on; undefined: that could not be had. Compiled with the first call. */
  all(): ValidateFunction | undefined;
}
export type Reading =
  | { readonly ok: true; readonly compiled: Compiled }
  | { readonly ok: false; readonly reason: string };
/** So large a plain schema is compiled in no time worth watching. */
const quickNodes = 1_000;
const no = (reason: string): Reading => ({ ok: false, reason: lineOf(reason) });

/**
 * Patterns may take for ever, rings of references may double the work with each level of a value, and unique items
 * are compared each with each.
 */
const risky: readonly string[] = [
  ...['pattern', 'patternProperties', 'uniqueItems'],
  ...['$ref', '$dynamicRef', '$recursiveRef'],
];

/**
 * Compiles the schema of a stranger, within limits, or says in a sentence why it cannot be used.
 *
 * Compiling makes code and runs it. No text of a schema gets into that code as it stands: ajv writes code with a tagged
 * template that quotes each text that is put in (`ajv/lib/compile/codegen/code.ts`) and takes names of variables
 * only from itself; words, patterns and values are handed to it as data of its scope. We add no words of our own
 * and let it write no file.
 */
export function read(schema: unknown, limits: Limits): Reading {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return no('it is no object');
  const keys = new Map<string, number>();
  const size = sizeOf(schema, limits.schema, (key) => keys.set(key, (keys.get(key) ?? 0) + 1));
  if (!size) return no(tooLarge(limits.schema));
  const likely = dialectsOf(schema);
  if (likely.length === 0) return no('its $schema names a dialect that is not known here');
  const [likeliest] = likely;
  // Brings up no judge, which takes 40 ms.
  if (likeliest && isPlain(schema)) return compile(schema, likeliest, size, keys, limits, true);
  const wrong: string[] = [];
  for (const dialect of likely) {
    const judge = dialect.judge();
    const judged = within(limits.compileMs, () => judge(schema));
    if (!judged) return no('it takes too long to be read');
    if (judged.done === undefined) return compile(schema, dialect, size, keys, limits, false);
    wrong.push(`it is no JSON Schema of ${dialect.name}: ${judged.done}`);
  }
  return no(wrong[0] ?? '');
}
const tooLarge = ({ nodes, characters, depth }: Size): string =>
  `it is too large: more than ${nodes} parts, ${characters} characters or ${depth} levels`;

function compile(
  schema: AnySchemaObject,
  dialect: Dialect,
  { nodes }: Size,
  keys: ReadonlyMap<string, number>,
  { compileMs }: Limits,
  isSimple: boolean,
): Reading {
  // One that names itself is found by its name; it may have the name of a dialect, which is taken.
  const addUsedSchema = typeof schema['$id'] !== 'string' || schema['$id'].replace('#', '') === '';
  const unread = new Set<string>();
  const hear = (pattern: string): unknown => unread.add(pattern);
  // The schemas of dialects are for those that refer to them.
  const options = { addUsedSchema, ...(isSimple && { meta: false }) };
  const make = (allErrors: boolean): ValidateFunction | undefined => {
    const made = (): ValidateFunction => dialect.create({ ...options, allErrors }, hear).compile(schema);
    return isSimple && nodes <= quickNodes ? made() : within(compileMs, made)?.done;
  };
  try {
    const first = make(false);
    if (!first) return no(`it takes more than ${compileMs} ms to be compiled`);
    if ('$async' in first) return no('it wants to be asked asynchronously ($async)');
    const [odd] = unread;
    // Which schema a property has would not be known.
    if (odd !== undefined && keys.has('patternProperties'))
      return no(`its pattern cannot be read here: ${odd}`);
    const isRisky = risky.some((word) => keys.has(word));
    const formats = keys.get('format') ?? 0;
    const known: { all?: ValidateFunction | undefined } = {};
    const all = (): ValidateFunction | undefined => {
      if (!('all' in known)) known.all = make(true);
      return known.all;
    };
    return { ok: true, compiled: { nodes, isRisky, formats, unread: [...unread], first, all } };
  } catch (error) {
    if (error instanceof MissingRefError) return no(dangling(error.missingRef));
    return no(`it cannot be compiled: ${error instanceof Error ? error.message : 'for no known reason'}`);
  }
}
const dangling = (ref: string): string =>
  ref.startsWith('#')
    ? `its $ref leads nowhere: ${ref}`
    : `its $ref leads out of it, and nothing is fetched: ${ref}`;
