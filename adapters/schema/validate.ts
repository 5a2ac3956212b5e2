/** Values against JSON Schemas of servers: compiled with limits, checked within a time, and given up where that is not enough. */
import { Ajv, type AnySchemaObject, type Options, MissingRefError, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createContext, Script } from 'node:vm';
import { lineOf, problemsOf } from './problems.ts';
import type { Validate, Validity } from '../../machines/call/policy/judge.ts';

/** `nodes`: number of values; the characters are those of all texts and keys. */
interface Size {
  readonly nodes: number;
  readonly characters: number;
  readonly depth: number;
}

interface Waiting {
  readonly value: unknown;
  readonly depth: number;
}
const nothing = (): void => undefined;

/** No recursion, because the value may be deeper than the stack; a circular value ends at the limit. */
function sizeOf(value: unknown, most: Size, heardKey: (key: string) => void = nothing): Size | undefined {
  let [nodes, characters, depth] = [0, 0, 0];
  const waiting: Waiting[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes += 1;
    if (typeof next.value === 'string') characters += next.value.length;
    else if (typeof next.value === 'object' && next.value !== null) {
      const inner = next.depth + 1;
      depth = Math.max(depth, inner);
      if (Array.isArray(next.value)) {
        // Checks the length before the elements are copied, so that a list of a million elements takes no memory here.
        if (nodes + waiting.length + next.value.length > most.nodes) return undefined;
        for (const part of next.value as readonly unknown[]) waiting.push({ value: part, depth: inner });
      } else
        for (const [key, part] of Object.entries(next.value)) {
          waiting.push({ value: part, depth: inner });
          characters += key.length;
          heardKey(key);
        }
    }
    if (nodes + waiting.length > most.nodes || characters > most.characters || depth > most.depth)
      return undefined;
  }
  return { nodes, characters, depth };
}

/** Escapes of JavaScript that are the same without the flag `u`, where any other letter would mean itself. */
const plainEscapes = /\\(?:[bBdDsSwWfnrtv]|[ux](?!\{)|[^a-zA-Z])/g;
/** Another escape, a bracket within a class, and `{,5}`: without the flag `u` they are read as other texts, without an error. */
const foreign = /\\|\[\^?\]|\[[^\]]*\[|\{,/;
/** With flag `u`, else without, as `^https\:\/\/` of PayPal's server and `\@` of zod-to-json-schema need. */
function readPattern(pattern: string): RegExp | undefined {
  const isPlain = !foreign.test(pattern.replaceAll(plainEscapes, '.'));
  for (const flags of isPlain ? ['u', ''] : ['u'])
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The flags do not fit, or the pattern is of another language.
    }
  return undefined;
}

// The types say that the module is the function; with `nodenext` it is the default export.
const addFormats = formats as unknown as typeof formats.default;

/** An unreadable pattern is reported to `unread` and then matches every text. */
const patternsFor = (unread: (pattern: string) => void) =>
  Object.assign(
    (pattern: string): RegExp => {
      const found = readPattern(pattern);
      if (!found) unread(pattern);
      return found ?? /(?:)/;
    },
    { code: 'new RegExp' },
  );
const options: Options = {
  strict: false,
  logger: false,
  // Looks only at own properties, so that `constructor` counts as present only when the value has it.
  ownProperties: true,
  // Compiles a definition once instead of copying it into the code at every reference.
  inlineRefs: false,
  // Each new instance would need 40 ms for these; ajv refuses wrong keywords when it compiles them.
  validateSchema: false,
  meta: false,
};

interface Dialect {
  /** As in `$schema`, but without scheme and fragment. */
  readonly id: string;
  /** For a single schema, so that its names (`$id`) are forgotten together with the instance. */
  create(more: Options, unread: (pattern: string) => void): Ajv;
}
const dialectOf = (id: string, make: (options: Options) => Ajv): Dialect => ({
  id,
  create: (more, unread) => {
    // Turns off code optimization: compiling is three times as fast then, and the compiled code no slower.
    const code = { regExp: patternsFor(unread), optimize: false };
    const ajv = addFormats(make({ ...options, code, ...more }), { mode: 'full', keywords: false });
    // Meant `$id` in draft-04. Later dialects ignore it, but ajv reports it as an error.
    return ajv.removeKeyword('id');
  },
});
const plain = (id: string): string => id.replace(/^https?:\/\//, '').replace(/#$/, '');

const newest = dialectOf('json-schema.org/draft/2020-12/schema', (more) => new Ajv2020(more));
const draft07 = dialectOf('json-schema.org/draft-07/schema', (more) => new Ajv(more));
const dialects: readonly Dialect[] = [
  newest,
  dialectOf('json-schema.org/draft/2019-09/schema', (more) => new Ajv2019(more)),
  draft07,
  // Reads draft-06 as draft-07, which contains all of it.
  { ...draft07, id: 'json-schema.org/draft-06/schema' },
];

/** Without `$schema` MCP means 2020-12, but older servers mean draft-07, where `items` may be a list. */
const dialectsOf = ({ $schema }: AnySchemaObject): readonly Dialect[] =>
  $schema === undefined
    ? [newest, draft07]
    : dialects.filter(({ id }) => typeof $schema === 'string' && id === plain($schema));

export interface Limits {
  readonly schema: Size;
  readonly compileMs: number;
  readonly checkMs: number;
}
export const defaultLimits: Limits = {
  schema: { nodes: 10_000, characters: 256 * 1024, depth: 100 },
  compileMs: 1_000,
  checkMs: 200,
};

interface Compiled {
  readonly nodes: number;
  /** Tells whether the schema uses keywords whose cost grows faster than schema and value do. */
  readonly isRisky: boolean;
  readonly unread: readonly string[];
  readonly first: ValidateFunction;
  /** Undefined when it could not be compiled in time; compiled with the first call. */
  all(): ValidateFunction | undefined;
}
type Reading =
  | { readonly ok: true; readonly compiled: Compiled }
  | { readonly ok: false; readonly reason: string };
/** Largest number of nodes of a schema that is compiled without a time limit, because that is always fast. */
const quickNodes = 1_000;
const no = (reason: string): Reading => ({ ok: false, reason: lineOf(reason) });

/** Patterns and formats may take for ever, circular references double the work per level, unique items are all compared. */
const risky: readonly string[] = [
  ...['pattern', 'patternProperties', 'format', 'uniqueItems'],
  ...['$ref', '$dynamicRef', '$recursiveRef'],
];

/**
 * Compiles a schema from an untrusted server, within limits; on failure returns the reason as a sentence.
 *
 * Compiling generates code and runs it, but no text of a schema gets into that code unquoted: ajv writes code with a tagged
 * template that quotes each inserted text (`ajv/lib/compile/codegen/code.ts`) and invents all variable names itself; keywords,
 * patterns and values are passed as data of its scope. This project adds no keywords of its own and lets ajv write no file.
 */
function read(schema: unknown, limits: Limits): Reading {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return no('it is no object');
  const keys = new Set<string>();
  const size = sizeOf(schema, limits.schema, (key) => keys.add(key));
  if (!size) return no(tooLarge(limits.schema));
  const [likeliest, ...others] = dialectsOf(schema);
  if (!likeliest) return no('its $schema names a dialect that is not known here');
  const first = compile(schema, likeliest, size, keys, limits);
  if (first.ok) return first;
  return others.map((dialect) => compile(schema, dialect, size, keys, limits)).find(({ ok }) => ok) ?? first;
}
const tooLarge = ({ nodes, characters, depth }: Size): string =>
  `it is too large: more than ${nodes} parts, ${characters} characters or ${depth} levels`;

function compile(
  schema: AnySchemaObject,
  dialect: Dialect,
  { nodes }: Size,
  keys: ReadonlySet<string>,
  { compileMs }: Limits,
): Reading {
  const unread = new Set<string>();
  const hear = (pattern: string): unknown => unread.add(pattern);
  const make = (allErrors: boolean): ValidateFunction | undefined => {
    const made = (): ValidateFunction => dialect.create({ allErrors }, hear).compile(schema);
    return nodes <= quickNodes ? made() : within(compileMs, made)?.done;
  };
  try {
    const first = make(false);
    if (!first) return no(`it takes more than ${compileMs} ms to be compiled`);
    if ('$async' in first) return no('it wants to be asked asynchronously ($async)');
    const [odd] = unread;
    // With `patternProperties` it would be unknown which schema applies to a property.
    if (odd !== undefined && keys.has('patternProperties'))
      return no(`its pattern cannot be read here: ${odd}`);
    const isRisky = risky.some((word) => keys.has(word));
    const known: { all?: ValidateFunction | undefined } = {};
    const all = (): ValidateFunction | undefined => {
      if (!('all' in known)) known.all = make(true);
      return known.all;
    };
    return { ok: true, compiled: { nodes, isRisky, unread: [...unread], first, all } };
  } catch (error) {
    if (error instanceof MissingRefError) return no(dangling(error.missingRef));
    return no(`it cannot be compiled: ${error instanceof Error ? error.message : 'for no known reason'}`);
  }
}
const dangling = (ref: string): string =>
  ref.startsWith('#')
    ? `its $ref leads nowhere: ${ref}`
    : `its $ref leads out of it, and nothing is fetched: ${ref}`;

let script: Script | undefined;
let context: { run: (() => void) | undefined } | undefined;

/** V8 stops it at any point, so what `work` leaves half done must be thrown away. Costs about 0.2 ms. */
function within<T>(ms: number, work: () => T): { readonly done: T } | undefined {
  script ??= new Script('run()');
  context ??= createContext({ run: undefined }) as { run: (() => void) | undefined };
  let result: { readonly done: T } | undefined;
  context.run = () => {
    result = { done: work() };
  };
  try {
    script.runInContext(context, { timeout: ms });
    return result;
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return undefined;
    throw error;
  } finally {
    context.run = undefined;
  }
}

/**
 * Limits for the nodes of a schema times the nodes of a value, and for the characters of a value. Below them, validation without
 * risky keywords is fast, and even one mistake at each node takes little memory.
 */
const [quickProduct, quickCharacters] = [20_000, 100_000];
/** Number of values that may take too long before a schema is no longer used. */
const strikesAllowed = 3;

type Known = Reading & { strikes: number };
const unchecked = (reason: string): Validity => ({ ok: 'unchecked', reason });

/** Remembers each schema object while it lives; one ajv for each, so that `$id` and state are not shared. */
export function createValidate(limits: Limits = defaultLimits): Validate {
  const schemas = new WeakMap<object, Known>();
  const knownOf = (schema: object): Known => {
    const before = schemas.get(schema);
    if (before) return before;
    const known = { ...read(schema, limits), strikes: 0 };
    schemas.set(schema, known);
    return known;
  };
  return (schema, value) => {
    try {
      // Checks the type at run time, because plain JavaScript callers may pass anything and a WeakMap takes only objects as keys.
      if (typeof schema !== 'object' || schema === null) return unchecked('it is no object');
      const known = knownOf(schema);
      if (!known.ok) return unchecked(known.reason);
      const slow = `judging by it takes more than ${limits.checkMs} ms`;
      if (known.strikes >= strikesAllowed) return unchecked(slow);
      const validity = check(known.compiled, value, limits.checkMs);
      if (validity) return validity;
      known.strikes += 1;
      return unchecked(slow);
    } catch (error) {
      const isDeep = error instanceof RangeError;
      return unchecked(isDeep ? 'judging by it goes too deep' : 'it broke while it was used');
    }
  };
}

function check(compiled: Compiled, value: unknown, ms: number): Validity | undefined {
  const most = { nodes: quickProduct / compiled.nodes, characters: quickCharacters, depth: Infinity };
  const size = sizeOf(value, most);
  const isSmall = size !== undefined;
  const isQuick = isSmall && !compiled.isRisky;
  const judged = isQuick
    ? { done: errorsOf(compiled.first, value) }
    : within(ms, () => errorsOf(compiled.first, value));
  if (!judged) return undefined;
  const [odd] = compiled.unread;
  if (!judged.done)
    return odd === undefined
      ? { ok: true }
      : { ok: true, unused: lineOf(`its pattern cannot be read here: ${odd}`) };
  // No time limit when that is cheap, so that the number of mistakes does not depend on the machine.
  const all = isSmall && allErrors(compiled, value, isQuick ? undefined : ms / 4);
  return { ok: false, problems: problemsOf(all || judged.done) };
}

/** Where there may be many mistakes, the search ends after `ms`, because each takes memory. */
function allErrors(compiled: Compiled, value: unknown, ms?: number): Errors | undefined {
  const all = compiled.all();
  if (!all) return undefined;
  const found = ms === undefined ? errorsOf(all, value) : within(ms, () => errorsOf(all, value))?.done;
  return found || undefined;
}

type Errors = NonNullable<ValidateFunction['errors']>;
function errorsOf(validate: ValidateFunction, value: unknown): Errors | null {
  const isValid: unknown = validate(value);
  const errors = validate.errors ?? [];
  // Clears the errors of the compiled function, which would otherwise keep them in memory until the next value.
  validate.errors = null;
  return isValid === true ? null : errors;
}

export const validate: Validate = createValidate();
