import { A2cError } from '../kernel/errors.ts';
import { readLenientJson } from '../../machines/models/arguments.ts';
import {
  argumentsWith,
  asText,
  digitsIn,
  isInexact,
  type Digits,
} from '../../machines/protocol/exact-numbers.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

/** Argument of a tool call, read from one word of the command line. */
export type Argument =
  /** JSON object of arguments: typed, from a file, or from stdin. */
  | {
      readonly kind: 'object';
      readonly value: Readonly<Record<string, unknown>>;
      readonly digits?: readonly Digits[];
    }
  /** Argument written as `key:=json`. */
  | {
      readonly kind: 'value';
      readonly key: string;
      readonly value: unknown;
      readonly digits?: readonly Digits[];
    }
  /** Argument written as `key=text`; the schema of the tool decides which type the text becomes. */
  | { readonly kind: 'text'; readonly key: string; readonly text: string };
/** Reads the text of a file, or of stdin for the name `-`. */
type ReadText = (name: string) => Promise<string>;

const assignment = /^([^\s=:{}[\]"'@][^=]*?)(:?=)([^]*)$/;
/** Tells whether a word is a tool argument; any other word names a tool or a server. */
export const isArgument = (word: string): boolean =>
  word === '-' || /^\s*[{[@"]/.test(word) || assignment.test(word) || word.trim() === '';

const wrong = (message: string, remedy: string): A2cError => new A2cError({ code: 400, message, remedy });
export const argumentForms = `Write key=value, key:=json, @file, - for stdin, or a JSON object in quotes: '{"path": "README.md"}'`;

/** Reads the words behind a tool name as arguments. Rejects with the mistake of the first wrong word. */
export function readArguments(words: readonly string[], read: ReadText): Promise<readonly Argument[]> {
  return Promise.all(words.filter((word) => word.trim() !== '').map((word) => readArgument(word, read)));
}
async function readArgument(word: string, read: ReadText): Promise<Argument> {
  if (word === '-') return objectOf(await read('-'), 'stdin');
  if (word.startsWith('@')) return objectOf(await read(word.slice(1)), word.slice(1));
  // Tests for `key=value` before JSON, because a text value may look like JSON.
  const [, key, sign, text = ''] = assignment.exec(word) ?? [];
  if (key === undefined && !isArgument(word)) throw wrong(`'${word}' is not an argument`, argumentForms);
  if (key === undefined) return objectOf(word, undefined);
  if (sign === '=') return { kind: 'text', key, text };
  const value = valueOf(text);
  if (value === undefined)
    throw wrong(`the value of ${key} is not JSON: ${text}`, `A text is written ${key}=text.`);
  return { kind: 'value', key, value, ...digitsOf(text) };
}
function objectOf(text: string, from: string | undefined): Argument {
  const where = from === undefined ? '' : ` in ${from}`;
  const value = valueOf(text);
  if (value === undefined)
    throw wrong(
      `the arguments${where} are not JSON: ${problemOf(text)}`,
      from === undefined ? argumentForms : '',
    );
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(`the arguments${where} are not a JSON object`, argumentForms);
  return { kind: 'object', value: { ...value }, ...digitsOf(text) };
}
/** Finds integers in a JSON text that are too large for a JavaScript number, so that their digits are kept. */
function digitsOf(text: string): { readonly digits?: readonly Digits[] } {
  const digits = digitsIn(text, valueOf);
  return digits.length > 0 ? { digits } : {};
}
/**
 * Reads JSON, also the loose JSON that models write: names without quotes, single quotes, extra commas. Returns
 * undefined when the text is broken.
 */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return readLenientJson(text);
  }
}
function problemOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const listIn = (schema: Fields, key: string): readonly unknown[] => {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
};

/** Returns the JSON Schema of one tool argument, or `{}` when the tool declares none. */
export function schemaOf(tool: unknown, key: string): Fields {
  const properties = isObject(tool) ? tool['properties'] : undefined;
  const found = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isObject(found) ? found : {};
}
/** Returns the JSON types (`string`, `integer`, …) that a schema allows; an empty list when the schema names none. */
export function typesOf(schema: Fields): readonly string[] {
  const { type } = schema;
  const own = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const inner = ['anyOf', 'oneOf'].flatMap((key) => listIn(schema, key).filter(isObject).flatMap(typesOf));
  const values = [...listIn(schema, 'enum'), ...('const' in schema ? [schema['const']] : [])];
  const ofValues = own.length > 0 ? [] : values.map(typeOf);
  return [...new Set([...own, ...inner, ...ofValues].filter((each) => typeof each === 'string'))];
}
const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const numberText = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/**
 * Converts a typed text to a type that its schema allows. A text that fits no type stays text, so that the later check
 * of arguments reports it.
 */
export function typed(text: string, schema: Fields): unknown {
  const types = typesOf(schema);
  const may = (type: string): boolean => types.length === 0 || types.includes(type);
  if (types.includes('string')) return text;
  if ((may('number') || may('integer')) && numberText.test(text)) {
    if (!isInexact(text)) return Number(text);
    // A schema without types also accepts text, so a number that would lose digits stays text.
    if (types.length === 0) return text;
    throw wrong(`${text} is more than a number holds exactly`, asText);
  }
  if (may('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (may('null') && text === 'null') return null;
  if ((may('object') || may('array')) && /^\s*[{[]/.test(text)) return valueOf(text) ?? text;
  if (!types.includes('array')) return text;
  const { items } = schema;
  return [typed(text, isObject(items) ? items : {})];
}

/**
 * Replaces integers too large for a JavaScript number by their digits as text, where the tool takes text; throws
 * elsewhere.
 */
function exact<T>(value: T, digits: readonly Digits[] | undefined, schema: unknown, key?: string): T {
  if (!digits) return value;
  const read = argumentsWith(value, digits, schema ?? {});
  const [problem] = read.problems;
  if (problem !== undefined) throw wrong(key === undefined ? problem : `${key}: ${problem}`, asText);
  return read.value as T;
}

/**
 * Merges all argument words into one object; a later word wins. Repeated keys (`key=a key=b`) make a list where the
 * schema wants one.
 */
export function argumentsFor(words: readonly Argument[], tool: unknown): Record<string, unknown> {
  const all: [string, unknown][] = [];
  for (const word of words)
    if (word.kind === 'object') all.push(...Object.entries(exact(word.value, word.digits, tool)));
    else if (word.kind === 'value')
      all.push([word.key, exact(word.value, word.digits, schemaOf(tool, word.key), word.key)]);
    else all.push([word.key, typed(word.text, schemaOf(tool, word.key))]);
  const texts = new Map<string, number>();
  for (const word of words) if (word.kind === 'text') texts.set(word.key, (texts.get(word.key) ?? 0) + 1);
  const result = new Map<string, unknown>();
  for (const [key, value] of all) {
    const before = result.get(key);
    const isMore = (texts.get(key) ?? 0) > 1 && Array.isArray(before) && Array.isArray(value);
    result.set(key, isMore ? [...(before as unknown[]), ...(value as unknown[])] : value);
  }
  return Object.fromEntries(result);
}

/** Tool named on the command line, with its server when one was named. */
export interface Target {
  readonly server?: string;
  readonly tool: string;
}

/**
 * Splits words into the tool (`TOOL`, `SERVER.TOOL` or `SERVER TOOL`) and its arguments. `servers` holds the server
 * names in the config; the servers of a remote computer are unknown, so there every name is a tool name.
 */
export function targetIn(
  words: readonly string[],
  servers: readonly string[],
): { readonly target: Target; readonly rest: readonly string[] } {
  const [first = '', second, ...more] = words;
  if (second !== undefined && servers.includes(first) && !isArgument(second))
    return { target: { server: first, tool: second }, rest: more };
  const rest = words.slice(1);
  // Takes the longest matching server name, because one server name may begin with another one and a dot.
  const owner = servers
    .filter((name) => first.startsWith(`${name}.`) && first.length > name.length + 1)
    .toSorted((a, b) => b.length - a.length)[0];
  if (owner === undefined) return { target: { tool: first }, rest };
  return { target: { server: owner, tool: first.slice(owner.length + 1) }, rest };
}
