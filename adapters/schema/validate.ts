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

/** Of JSON. `characters`: of all texts and keys; `depth`: of objects and lists within each other. */
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

/**
 * Undefined: larger than `most` in one of the three. Walks with a list of its own, because the value may be deeper than
 * the stack, and stops where it is too large, so that a ring ends, too.
 */
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
        // Before they are listed: a list of a million takes no memory here.
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

/** Classes of POSIX, as RE2, Go and PCRE read them: in ASCII. */
const posix: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9a-fA-F',
  word: '\\w',
  space: ' \\t\\n\\r\\f\\v',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  cntrl: '\\x00-\\x1f\\x7f',
  graph: '!-~',
  print: ' -~',
  ascii: '\\x00-\\x7f',
};
/** Escapes that other languages have, outside of classes. The end of a text may come before its last line end (`\Z` of PCRE). */
const escapes: Readonly<Record<string, string>> = {
  '\\A': '(?<![^])',
  '\\z': '(?![^])',
  '\\Z': '(?=\\n?(?![^]))',
  '\\a': '\\x07',
  '\\e': '\\x1b',
};
/** `$&` of one: nothing of it is read otherwise. */
const known = /\\[bBcdDfknpPrsStuvwWx]|\\[^a-zA-Z]/;
const pieces = new RegExp(
  [
    '\\\\x\\{[0-9a-fA-F]+\\}|\\\\[pP][A-Z]|\\\\[^]', // escapes
    '\\[:\\^?\\w+:\\]', // a class of POSIX, within another class
    '\\(\\?#[^)]*\\)|\\(\\?P[<=][A-Za-z_]\\w*[>)]|\\(\\?>', // groups
    '(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\+', // quantifiers that give nothing back
    '[^]',
  ].join('|'),
  'g',
);
const looksAway = /\(\?<?!/;
/** Elements and classes of POSIX that depend on a language. */
const collating = /\[([=.])[^\]]+\1\]/;

/** As JavaScript writes it; undefined: it has no such words, or they may mean something else. */
function translated(pattern: string): { readonly source: string; readonly flags: string } | undefined {
  const [head = '', flags = ''] = /^\(\?([aimsu]+)\)/.exec(pattern) ?? [];
  let [source, isClass, isStart, isGreedy] = ['', false, false, false];
  for (const piece of pattern.slice(head.length).match(pieces) ?? []) {
    const wasStart = isStart;
    isStart = false;
    if (piece.startsWith('\\')) {
      const name = /^\\([pP])([A-Z])$/.exec(piece);
      const code = /^\\x(\{.*\})$/.exec(piece);
      const other = isClass ? undefined : escapes[piece];
      if (!name && !code && other === undefined && !known.test(piece)) return undefined;
      source += name ? `\\${name[1]}{${name[2]}}` : code ? `\\u${code[1]}` : (other ?? piece);
    } else if (isClass) {
      const named = /^\[:(\w+):\]$/.exec(piece)?.[1];
      const inside = named === undefined ? undefined : posix[named];
      if (piece.startsWith('[') && inside === undefined && piece !== '[') return undefined;
      // `[]a]` has the bracket in it; `[a[b]]` and `[a&&[b]]` are sets of Java.
      if (piece === '[' && !wasStart) return undefined;
      if (piece === ']' && !wasStart) isClass = false;
      isStart = piece === '^' && wasStart && source.endsWith('[');
      source += inside ?? (/^[[\]]$/.test(piece) && (isClass || wasStart) ? `\\${piece}` : piece);
    } else if (piece.startsWith('[')) {
      isClass = true;
      isStart = true;
      source += piece;
      if (piece !== '[') return undefined;
    } else if (piece.startsWith('(?')) {
      if (piece === '(?>') isGreedy = true;
      source += piece.startsWith('(?#')
        ? ''
        : piece
            .replace('(?>', '(?:')
            .replace('(?P<', '(?<')
            .replace(/^\(\?P=(.*)\)$/, '\\k<$1>');
    } else if (piece.length > 1) {
      isGreedy = true;
      source += piece.slice(0, -1);
    } else source += piece;
  }
  // What gives nothing back matches less; where a match is refused it would have to match as much.
  if (isClass || collating.test(pattern) || (isGreedy && looksAway.test(pattern)) || /\{,\d+\}/.test(source))
    return undefined;
  return { source, flags: flags.replace(/[au]/g, '') };
}

function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
/**
 * Reads a pattern of a schema. With the flag `u` whatever compiles means what ECMA-262 says. The others are written without it, such
 * as `[\w-.]`, or for another language: RE2, Go, Python, PCRE. Undefined: it cannot be read here, or not surely.
 */
export function readPattern(pattern: string): RegExp | undefined {
  const own = compiled(pattern, 'u');
  if (own) return own;
  const other = translated(pattern);
  if (!other) return undefined;
  const { source, flags } = other;
  const isPlain = !/\\[pP]\{|\\u\{/.test(source);
  return compiled(source, `u${flags}`) ?? (isPlain ? compiled(source, flags) : undefined);
}

// Its types say that the module is the function, which under `nodenext` its default is.
const addFormats = formats as unknown as typeof formats.default;

/** What cannot be read fits every text, and is told. */
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
  // `constructor` is a property only of who has it.
  ownProperties: true,
  // A definition that is used a thousand times is not copied a thousand times into the code.
  inlineRefs: false,
  // Done before, by an instance that is kept: each new one would take 40 ms for it.
  validateSchema: false,
};

type Maker = (options: Options) => Ajv;
interface Dialect {
  readonly name: string;
  /** Its own schema, and what `$schema` says without fragment and scheme. */
  readonly id: string;
  /** For one schema: whatever that names itself or parts of it is forgotten with the instance. */
  create(more: Options, unread: (pattern: string) => void): Ajv;
  /** Whether this is a schema at all, or what is wrong with it. Compiled with the first call. */
  judge(): (schema: AnySchemaObject) => string | undefined;
}

function dialectOf(name: string, id: string, make: Maker): Dialect {
  let judge: ((schema: AnySchemaObject) => string | undefined) | undefined;
  const createJudge = () => {
    // Without formats: what is no regular expression is told when it is compiled.
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
      // Unoptimized it is three times as quick to compile, and no slower afterwards.
      const code = { regExp: patternsFor(unread), optimize: false };
      const ajv = addFormats(make({ ...options, code, ...more }), { mode: 'full', keywords: false });
      // Of draft-04, where it meant `$id`: since then a word like any other, of which ajv makes an error.
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
  // All of it is in draft-07.
  { ...draft07, name: 'draft-06', id: 'json-schema.org/draft-06/schema' },
];

/**
 * Those that may be meant, the likeliest first; none: it says one that we do not know. Without `$schema` MCP means
 * 2020-12, but older servers that do not say so mean draft-07, where `items` may be a list.
 */
export const dialectsOf = ({ $schema }: AnySchemaObject): readonly Dialect[] =>
  $schema === undefined
    ? [newest, draft07]
    : dialects.filter(({ id }) => typeof $schema === 'string' && id === plain($schema));

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

interface Compiled {
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
type Reading =
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
function read(schema: unknown, limits: Limits): Reading {
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

/** Words that each dialect that is known here reads alike, and what may stand under them. */
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
  // A reference inside the same schema.
  ...words((value) => typeof value === 'string' && value.startsWith('#'), '$ref'),
]);
/**
 * Whether a schema, which is not too deep, is surely one: of these words alone, each with what it may have. Most schemas of tools are.
 * Of others, right or wrong, nothing is known here.
 */
export const isPlain = (schema: object): boolean =>
  Object.entries(schema).every(([word, value]) => plainWords.get(word)?.(value) === true);

const problemsShown = 5;
const stepLength = 60;
const lineLength = 200;
/** A value may have a million mistakes, and each may quote a schema of 256 KiB: nobody looks at more of them … */
const problemsSeen = 1_000;
/** … nor says more of one field: in a line there is no room for so many. */
const textsSeen = 30;
/** Of any text nothing is read behind this, for as much fits into no line. */
const textSeen = 2_000;

/** One line, and not a long one: names of properties and texts of schemas are a stranger's. */
const lineOf = (text: string, length = lineLength): string => {
  const line = text.slice(0, textSeen).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > length || text.length > textSeen ? `${line.slice(0, length - 1)}…` : line;
};
const quoted = (text: string): string => JSON.stringify(text.slice(0, textSeen));
const stepOf = (step: string): string => {
  const seen = step.slice(0, textSeen);
  return lineOf(/^[\w$@-]+$/.test(seen) ? seen : quoted(seen), stepLength);
};
/** `/a/0/b~1c` → `['a', '0', 'b/c']`. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .slice(0, textSeen)
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const choices: readonly string[] = ['anyOf', 'oneOf'];
/** Problems of a property that the schema names, and not of the object that has it or lacks it. */
const properties = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

/** JSON of lists and objects in schemas: a thousand mistakes may quote the same one. */
const jsonTexts = new WeakMap<object, string>();
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const word = jsonTexts.get(value) ?? JSON.stringify(value).slice(0, textSeen);
  jsonTexts.set(value, word);
  return word;
}
/** What the schema allows, and not what the value is. More of them than this fit into no line. */
const anyOf = (values: readonly unknown[]): string =>
  values
    .slice(0, lineLength)
    .map((value) => jsonOf(value).slice(0, lineLength))
    .join(', ');

/** `items.2.name`; a property that is missing, or is one too many, is a field, too. */
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
  /** That no branch fits; why not is said in the texts, if at all. */
  readonly choices: Set<string>;
}
const say = (texts: Set<string>, error: ErrorObject): void => {
  if (texts.size < textsSeen) texts.add(sentenceOf(error));
};
function lineFor(place: string, { texts, choices: unfit }: Field): string {
  const said = [...(texts.size > 0 ? texts : unfit)].join(unfit.size > 0 ? ' or ' : ' and ');
  return lineOf(place === '' ? said : `${place}: ${said}`);
}

/**
 * A line for each field: `items.2.name: must be string`. Of what a choice wants the branches are told, with an `or`.
 * Takes no longer, and no more memory, however many errors there are and whatever they quote.
 */
export function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const seen = errors.slice(0, problemsSeen);
  // What follows from a condition is told as such.
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

const script = new Script('run()');
let context: { run: (() => void) | undefined } | undefined;

/**
 * Works at once, for at most so many milliseconds of the clock; undefined: it was stopped, in the midst of whatever it
 * did. A thread of V8 stops it, inside a regular expression, too: whatever `work` can leave half done must be thrown
 * away with it. Costs about 0.2 ms. What `work` throws comes through.
 */
function within<T>(ms: number, work: () => T): { readonly done: T } | undefined {
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

/** Parts of a schema times parts of a value: up to here a schema without risky words is quick anyway. */
const quickProduct = 200_000;
const quickCharacters = 100_000;
/** The same product: up to here even a mistake at each part is little memory. */
const quickMistakes = 20_000;
/** Formats of a schema times characters of a value squared: so much is done in some 10 ms. One takes 2,000 characters. */
const quickFormats = 4_000_000;
/** So many values that took too long, and the schema is asked no more. */
const strikesAllowed = 3;

const sayNothing: ReadonlySet<string> = new Set(['$comment', '$schema', 'description', 'title']);
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
/**
 * Any object will do: the schema of most tools without arguments. For the first of any other the judge of schemas
 * is brought up, which takes a tenth of a second and more.
 */
const takesAnyObject = (schema: object): boolean =>
  'type' in schema &&
  schema.type === 'object' &&
  Object.entries(schema).every(
    ([key, value]) => key === 'type' || sayNothing.has(key) || (key === 'properties' && isEmpty(value)),
  );

type Known = Reading & { strikes: number };
const unchecked = (reason: string): Validity => ({ ok: 'unchecked', reason });

/** Schemas of which others may be equal: so many, with so many characters in all; the oldest go first. */
const shared = { most: 500, characters: 1024 * 1024 };
/** Reads equal schemas once: tools of one server often have the same, and a server that comes back has the same again. */
function readingOnce(limits: Limits): (schema: object) => Reading {
  const byText = new Map<string, Reading>();
  let characters = 0;
  return (schema) => {
    // Before it is written: what is too large is told from looking at it.
    const text = sizeOf(schema, limits.schema) ? JSON.stringify(schema) : undefined;
    const before = text === undefined ? undefined : byText.get(text);
    if (text === undefined || before) return before ?? read(schema, limits);
    const reading = read(schema, limits);
    byText.set(text, reading);
    characters += text.length;
    for (const oldest of byText.keys()) {
      if (byText.size <= shared.most && characters <= shared.characters) break;
      byText.delete(oldest);
      characters -= oldest.length;
    }
    return reading;
  };
}

/**
 * A judge that knows each schema, by the object that it is, for as long as that object lives. Each is compiled by an instance of its
 * own, so that neither names (`$id`) nor rests are shared; equal ones share what was compiled.
 */
export function createValidate(limits: Limits = defaultLimits): Validate {
  const schemas = new WeakMap<object, Known | 'any object'>();
  const readOnce = readingOnce(limits);
  const knownOf = (schema: object): Known | 'any object' => {
    const before = schemas.get(schema);
    if (before) return before;
    const known = takesAnyObject(schema) ? 'any object' : { ...readOnce(schema), strikes: 0 };
    schemas.set(schema, known);
    return known;
  };
  return (schema, value) => {
    try {
      // WeakMap takes no other keys, and JavaScript no types.
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

/** Undefined: it took too long. */
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
  // How many mistakes are told must not depend on how busy the machine is: only of what is risky it may.
  const isFew = isQuick && compiled.nodes * size.nodes <= quickMistakes;
  const all = isSmall && allErrors(compiled, value, isFew ? undefined : ms / 4);
  return { ok: false, problems: problemsOf(all || judged.done) };
}

/** All mistakes of a value that is not large. Each costs memory: where they may be many they are sought for `ms`. */
function allErrors(compiled: Compiled, value: unknown, ms?: number): Errors | undefined {
  const all = compiled.all();
  if (!all) return undefined;
  const found = ms === undefined ? errorsOf(all, value) : within(ms, () => errorsOf(all, value))?.done;
  return found || undefined;
}

type Errors = NonNullable<ValidateFunction['errors']>;
/** Null: it fits. */
function errorsOf(validate: ValidateFunction, value: unknown): Errors | null {
  const isValid: unknown = validate(value);
  const errors = validate.errors ?? [];
  // They would be kept until the next value.
  validate.errors = null;
  return isValid === true ? null : errors;
}

/** That of a host, whose schemas it knows for as long as they live. */
export const validate: Validate = createValidate();
