import {
  Ajv,
  type AnySchemaObject,
  type Options,
  MissingRefError,
  type ValidateFunction,
  type ErrorObject,
} from 'ajv';
import formats from 'ajv-formats';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createContext, Script } from 'node:vm';
import type { Validate, Validity } from '../../machines/call/policy/judge.ts';
import { isObject } from '../../machines/protocol/json.ts';

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
  // Skips ajv's own check of the schema, which a shared instance has done before; each new instance would need 40 ms for it.
  validateSchema: false,
};

type Maker = (options: Options) => Ajv;
interface Dialect {
  readonly name: string;
  /** As in `$schema`, but without scheme and fragment. */
  readonly id: string;
  /** For a single schema, so that its names (`$id`) are forgotten together with the instance. */
  create(more: Options, unread: (pattern: string) => void): Ajv;
  /** Why a value is not a schema; undefined when it is one. Compiled with the first call. */
  judge(): (schema: AnySchemaObject) => string | undefined;
}

function dialectOf(name: string, id: string, make: Maker): Dialect {
  let judge: ((schema: AnySchemaObject) => string | undefined) | undefined;
  const createJudge = () => {
    // Compiles without formats, because an invalid pattern is reported later, when the schema is compiled.
    const ajv = make({ strict: false, logger: false, validateFormats: false });
    const isSchema = ajv.getSchema(id);
    return (schema: AnySchemaObject) => {
      if (isSchema?.(schema) !== false) return undefined;
      const { instancePath, message } = isSchema.errors?.[0] ?? { instancePath: '', message: undefined };
      return `${instancePath} ${message ?? 'is wrong'}`.trim();
    };
  };
  return {
    name,
    id: plain(id),
    create: (more, unread) => {
      // Turns off code optimization: compiling is three times as fast then, and the compiled code no slower.
      const code = { regExp: patternsFor(unread), optimize: false };
      const ajv = addFormats(make({ ...options, code, ...more }), { mode: 'full', keywords: false });
      // Meant `$id` in draft-04. Later dialects ignore it, but ajv reports it as an error.
      return ajv.removeKeyword('id');
    },
    judge: () => (judge ??= createJudge()),
  };
}
const plain = (id: string): string => id.replace(/^https?:\/\//, '').replace(/#$/, '');

const newest = dialectOf(
  '2020-12',
  'https://json-schema.org/draft/2020-12/schema',
  (more) => new Ajv2020(more),
);
const draft07 = dialectOf('draft-07', 'http://json-schema.org/draft-07/schema', (more) => new Ajv(more));
const dialects: readonly Dialect[] = [
  newest,
  dialectOf('2019-09', 'https://json-schema.org/draft/2019-09/schema', (more) => new Ajv2019(more)),
  draft07,
  // Reads draft-06 as draft-07, which contains all of it.
  { ...draft07, name: 'draft-06', id: 'json-schema.org/draft-06/schema' },
];

/** Without `$schema` MCP means 2020-12, but older servers mean draft-07, where `items` may be a list. */
export const dialectsOf = ({ $schema }: AnySchemaObject): readonly Dialect[] =>
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
  /** Number of `format` keywords in the schema. Each may compare every character of a text with every other. */
  readonly formats: number;
  readonly unread: readonly string[];
  readonly first: ValidateFunction;
  /** Undefined when it could not be compiled in time; compiled with the first call. */
  all(): ValidateFunction | undefined;
}
type Reading =
  | { readonly ok: true; readonly compiled: Compiled }
  | { readonly ok: false; readonly reason: string };
/** Largest number of nodes of a plain schema that is compiled without a time limit, because that is always fast. */
const quickNodes = 1_000;
const no = (reason: string): Reading => ({ ok: false, reason: lineOf(reason) });

/** Patterns may take for ever, circular references double the work per level, unique items are all compared. */
const risky: readonly string[] = [
  ...['pattern', 'patternProperties', 'uniqueItems'],
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
  const keys = new Map<string, number>();
  const size = sizeOf(schema, limits.schema, (key) => keys.set(key, (keys.get(key) ?? 0) + 1));
  if (!size) return no(tooLarge(limits.schema));
  const likely = dialectsOf(schema);
  if (likely.length === 0) return no('its $schema names a dialect that is not known here');
  const [likeliest] = likely;
  // Compiles a plain schema without the check against its meta-schema, which takes 40 ms to load.
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
  // ajv finds a schema by its `$id`, which may be the name of a dialect that is already taken.
  const addUsedSchema = typeof schema['$id'] !== 'string' || schema['$id'].replace('#', '') === '';
  const unread = new Set<string>();
  const hear = (pattern: string): unknown => unread.add(pattern);
  // Adds the meta-schemas only for schemas that may refer to them.
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
    // With `patternProperties` it would be unknown which schema applies to a property.
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

type Is = (value: unknown) => boolean;

const isText: Is = (value) => typeof value === 'string';
const isNumber: Is = (value) => typeof value === 'number';
const isTruth: Is = (value) => typeof value === 'boolean';
const isCount: Is = (value) => Number.isInteger(value) && Number(value) >= 0;
const isList: Is = Array.isArray;
const isSchema: Is = (value) => isTruth(value) || (isObject(value) && isPlain(value));
const isSchemas: Is = (value) => isObject(value) && Object.values(value).every(isSchema);
const isChoice: Is = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSetOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is) && new Set(value).size === value.length;
const types: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
const isType: Is = (value) => types.has(value);
const isSome =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.length > 0 && is(value);
const isTypes = isSome(isSetOf(isType));
const isLeaf: Is = (value) => typeof value !== 'object' || value === null;
const words = (is: Is, ...names: readonly string[]): readonly (readonly [string, Is])[] =>
  names.map((name) => [name, is]);

/** Keywords that have the same meaning in all supported dialects, each with a test of its value. */
const plainWords: ReadonlyMap<string, Is> = new Map([
  ...words((value) => isType(value) || isTypes(value), 'type'),
  ...words(isSome(isSetOf(isLeaf)), 'enum'),
  ...words(isText, '$schema', '$comment', 'title', 'description', 'format', 'pattern'),
  ...words(isNumber, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...words((value) => isNumber(value) && Number(value) > 0, 'multipleOf'),
  ...words(isCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...words(isTruth, 'uniqueItems', 'readOnly', 'writeOnly', 'deprecated'),
  ...words(isList, 'examples'),
  ...words(() => true, 'const', 'default'),
  ...words(isSetOf(isText), 'required'),
  ...words(isSchemas, 'properties', '$defs', 'definitions'),
  ...words(
    isSchema,
    'items',
    'additionalProperties',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ),
  ...words(isChoice, 'anyOf', 'oneOf', 'allOf'),
  ...words((value) => typeof value === 'string' && value.startsWith('#'), '$ref'),
]);
/** False means that it may be valid or not. The schema must not be too deep. */
export const isPlain = (schema: object): boolean =>
  Object.entries(schema).every(([word, value]) => plainWords.get(word)?.(value) === true);

const problemsShown = 5;
const stepLength = 60;
const lineLength = 200;
/** Number of mistakes that are read at most. A value may have a million mistakes, each quoting a schema of 256 KiB. */
const problemsSeen = 1_000;
const textsSeen = 30;
const textSeen = 2_000;

/** Shortens a text to one line of limited length, because property names and texts of schemas come from an untrusted server. */
const lineOf = (text: string, length = lineLength): string => {
  const line = text.slice(0, textSeen).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > length || text.length > textSeen ? `${line.slice(0, length - 1)}…` : line;
};
const quoted = (text: string): string => JSON.stringify(text.slice(0, textSeen));
const stepOf = (step: string): string => {
  const seen = step.slice(0, textSeen);
  return lineOf(/^[\w$@-]+$/.test(seen) ? seen : quoted(seen), stepLength);
};
const stepsOf = (pointer: string): string[] =>
  pointer
    .slice(0, textSeen)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const choices: readonly string[] = ['anyOf', 'oneOf'];
/** Parameters of ajv errors that name the property concerned, for errors that ajv reports at the object around it. */
const properties = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

/** Cache of the JSON text of lists and objects in schemas, because a thousand mistakes may quote the same one. */
const jsonTexts = new WeakMap<object, string>();
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const word = jsonTexts.get(value) ?? JSON.stringify(value).slice(0, textSeen);
  jsonTexts.set(value, word);
  return word;
}
const anyOf = (values: readonly unknown[]): string =>
  values
    .slice(0, lineLength)
    .map((value) => jsonOf(value).slice(0, lineLength))
    .join(', ');

/** A missing property and one that is not allowed count as fields. */
function placeOf({ instancePath, params, propertyName }: ErrorObject): string {
  const said = params as Readonly<Record<string, unknown>>;
  const property =
    propertyName ?? properties.map((name) => said[name]).find((name) => typeof name === 'string');
  const steps = [...stepsOf(instancePath), ...(property === undefined ? [] : [property])];
  return steps.map((step) => stepOf(step)).join('.');
}
function sentenceOf({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } =
    params as Readonly<Record<string, unknown>>;
  if (missingProperty !== undefined) return 'is missing';
  if ((additionalProperty ?? unevaluatedProperty) !== undefined) return 'is not a property that it may have';
  if (keyword === 'propertyNames') return 'is a name that it may not have';
  if (Array.isArray(allowedValues)) return `must be one of ${anyOf(allowedValues)}`;
  if (keyword === 'const') return `must be ${jsonOf(allowedValue)}`;
  if (keyword === 'type') return message.replaceAll(',', ' or ');
  return keyword === 'false schema' ? 'must not be there' : message.slice(0, textSeen);
}

interface Field {
  readonly texts: Set<string>;
  /** Texts that say that no branch of a choice (`anyOf`, `oneOf`) matches; the reasons are in `texts`, if there are any. */
  readonly choices: Set<string>;
}
const say = (texts: Set<string>, error: ErrorObject): void => {
  if (texts.size < textsSeen) texts.add(sentenceOf(error));
};
function lineFor(place: string, { texts, choices: unfit }: Field): string {
  const said = [...(texts.size > 0 ? texts : unfit)].join(unfit.size > 0 ? ' or ' : ' and ');
  return lineOf(place === '' ? said : `${place}: ${said}`);
}

/** Time and memory stay bounded however many errors there are and whatever they quote. */
export function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const seen = errors.slice(0, problemsSeen);
  // Drops the errors of `if` itself, because the errors of its `then` or `else` are reported too.
  const told = seen.filter(({ keyword }) => keyword !== 'if');
  const fields = new Map<string, Field>();
  for (const error of told.length > 0 ? told : seen) {
    const place = placeOf(error);
    const known = fields.get(place);
    if (!known && fields.size === problemsShown) continue;
    const field = known ?? { texts: new Set(), choices: new Set() };
    fields.set(place, field);
    say(choices.includes(error.keyword) ? field.choices : field.texts, error);
  }
  return [...fields].map(([place, field]) => lineFor(place, field));
}

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

/** Limit for the nodes of a schema times the nodes of a value. Below it, validation without risky keywords is fast. */
const quickProduct = 200_000;
const quickCharacters = 100_000;
/** Limit for the nodes of a schema times the nodes of a value. Below it, even one mistake at each node takes little memory. */
const quickMistakes = 20_000;
/** Formats of a schema times the square of the characters of a value; this much takes about 10 ms. */
const quickFormats = 4_000_000;
/** Number of values that may take too long before a schema is no longer used. */
const strikesAllowed = 3;

const sayNothing: ReadonlySet<string> = new Set(['$comment', '$schema', 'description', 'title']);
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
/** Not compiled, because the first compiled schema loads the meta-schema, which takes 0.1 s or more. */
const takesAnyObject = (schema: object): boolean =>
  'type' in schema &&
  schema.type === 'object' &&
  Object.entries(schema).every(
    ([key, value]) => key === 'type' || sayNothing.has(key) || (key === 'properties' && isEmpty(value)),
  );

type Known = Reading & { strikes: number };
const unchecked = (reason: string): Validity => ({ ok: 'unchecked', reason });

/** Remembers each schema object while it lives; one ajv for each, so that `$id` and state are not shared. */
export function createValidate(limits: Limits = defaultLimits): Validate {
  const schemas = new WeakMap<object, Known | 'any object'>();
  const knownOf = (schema: object): Known | 'any object' => {
    const before = schemas.get(schema);
    if (before) return before;
    const known = takesAnyObject(schema) ? 'any object' : { ...read(schema, limits), strikes: 0 };
    schemas.set(schema, known);
    return known;
  };
  return (schema, value) => {
    try {
      // Checks the type at run time, because plain JavaScript callers may pass anything and a WeakMap takes only objects as keys.
      if (typeof schema !== 'object' || schema === null) return unchecked('it is no object');
      const known = knownOf(schema);
      if (known === 'any object')
        return isObject(value) ? { ok: true } : { ok: false, problems: ['must be object'] };
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
  const isQuick = isSmall && !compiled.isRisky && compiled.formats * size.characters ** 2 <= quickFormats;
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
  const isFew = isQuick && compiled.nodes * size.nodes <= quickMistakes;
  const all = isSmall && allErrors(compiled, value, isFew ? undefined : ms / 4);
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
