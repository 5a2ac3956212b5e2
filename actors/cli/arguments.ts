/** Reads the arguments of a call as people type them, by the schema of the tool. */
import { resolve } from 'node:path';
import { badRequest } from '../kernel/errors.ts';
import { readLenientJson } from '../../machines/models/lenient-json.ts';
import { asText, isRounded, isObject, type Fields } from '../../machines/protocol/json.ts';
import { ownCommand, typedInShell } from '../../adapters/optional-packages.ts';
import { nearest } from '../../machines/text.ts';

export type Argument = ArgumentForm & {
  /** Only after an option, whose value the word may be. */
  readonly word?: string;
};
type ArgumentForm =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  /** `key:=json`. */
  | { readonly kind: 'value'; readonly key: string; readonly value: unknown }
  /** `key=text`; the schema of the tool decides which type the text becomes. */
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  /** `key@=path`: the file is put on the computer, and its path there becomes the value. */
  | { readonly kind: 'file'; readonly key: string; readonly path: string }
  /** `--key` or `--no-key`, whose value is the next word unless the schema has a boolean. */
  | { readonly kind: 'flag'; readonly key: string }
  | { readonly kind: 'word'; readonly text: string };
/** The name `-` is stdin. */
type ReadText = (name: string) => Promise<string>;

const assignment = /^([^\s=:{}[\]"'@][^=]*?)([:@]?=)([^]*)$/;
const option = /^--([A-Za-z_$][^\s=]*)$/;
/** Any other word may be the name of a tool or a server. */
export const isArgument = (word: string): boolean =>
  /^-|^\s*[{[@"]/.test(word) || assignment.test(word) || word.trim() === '';

export const callUsage = 'TOOL | SERVER.TOOL | SERVER TOOL [arguments] [options]';
const argumentForms = `Write key=value, key=@file, key:=json, key@=file, --key value, values in the order of the schema, @file, - for stdin, or a JSON object in quotes: '{"path": "README.md"}'`;

/** Reads the words after a tool name as arguments. Rejects with the mistake of the first wrong word. */
export function readArguments(words: readonly string[], read: ReadText): Promise<readonly Argument[]> {
  return Promise.all(
    words.map(async (word, at) => {
      if (!option.test(words[at - 1] ?? '') || option.test(word)) return readArgument(word, read);
      // Keeps the word after an option both as an argument and as typed, because it is the value of an option that is
      // no switch.
      const other = word === '-' ? undefined : await readArgument(word, read).catch(() => undefined);
      return { ...(other ?? { kind: 'word', text: word }), word };
    }),
  );
}
async function readArgument(word: string, read: ReadText): Promise<ArgumentForm> {
  if (word === '-') return objectOf(await read('-'), 'stdin');
  if (word.startsWith('@')) return objectOf(await read(word.slice(1)), word.slice(1));
  if (/^\s*\{/.test(word)) return objectOf(word, undefined);
  if (/^-[A-Za-z]/.test(word))
    throw badRequest(
      `unknown option '${word}'`,
      `A text is written key=${word}. Usage: a2c call ${callUsage}; ${typedInShell([...ownCommand(), 'call', '--help'])} tells more.`,
    );
  const [, flag] = option.exec(word) ?? [];
  if (flag !== undefined) return { kind: 'flag', key: flag };
  const [, key, sign, text = ''] = assignment.exec(word.replace(/^--(?=[^\s=-])/, '')) ?? [];
  if (key === undefined) return { kind: 'word', text: word };
  if (sign === '=') return { kind: 'text', key, text: await textOf(key, text, read) };
  if (sign === '@=' && text === '-')
    throw badRequest(`${key}@= takes a file`, `The text of stdin is written ${key}=@-.`);
  if (sign === '@=') return { kind: 'file', key, path: resolve(text) };
  const value = valueOf(text);
  if (value === undefined)
    throw badRequest(`the value of ${key} is not JSON: ${text}`, `A text is written ${key}=text.`);
  return { kind: 'value', key, value };
}
/** `@file` is the text of that file, `@-` that of stdin. */
async function textOf(key: string, text: string, read: ReadText): Promise<string> {
  if (!/^@./.test(text)) return text;
  try {
    return await read(text.slice(1));
  } catch (error) {
    const remedy = `A text that begins with @ is written ${key}:='${JSON.stringify(text)}'.`;
    throw badRequest(error instanceof Error ? error.message : String(error), remedy);
  }
}
function objectOf(text: string, from: string | undefined): ArgumentForm {
  const where = from === undefined ? '' : ` in ${from}`;
  const value = valueOf(text);
  if (value === undefined) throw badRequest(`the arguments${where} are not JSON`, argumentForms);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(`the arguments${where} are not a JSON object`, argumentForms);
  return { kind: 'object', value: { ...value } };
}
/** Also the loose JSON that models write: names without quotes, single quotes, extra commas. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return readLenientJson(text);
  }
}
const listIn = (schema: Fields, key: string): readonly unknown[] => {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
};

export function schemaOf(tool: unknown, key: string): Fields {
  const properties = isObject(tool) ? tool['properties'] : undefined;
  const found = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isObject(found) ? found : {};
}
/** An empty list when the schema names none. */
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

const numberText = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** A text that fits no type stays text, so that the later check of arguments reports it. */
export function typed(text: string, schema: Fields): unknown {
  const types = typesOf(schema);
  const may = (type: string): boolean => types.length === 0 || types.includes(type);
  if (types.includes('string')) return text;
  if ((may('number') || may('integer')) && numberText.test(text)) {
    if (!isRounded(Number(text))) return Number(text);
    // Keeps a number that would lose digits as text, because a schema without types also accepts text.
    if (types.length === 0) return text;
    throw badRequest(`${text} is more than a number holds exactly`, asText);
  }
  if (may('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (may('null') && text === 'null') return null;
  if ((may('object') || may('array')) && /^\s*[{[]/.test(text)) return valueOf(text) ?? text;
  if (!types.includes('array')) return text;
  const { items } = schema;
  return [typed(text, isObject(items) ? items : {})];
}

const propertiesOf = (tool: unknown): readonly string[] =>
  isObject(tool) && isObject(tool['properties']) ? Object.keys(tool['properties']) : [];
/** Also without `additionalProperties`: most authors who leave the keyword out intend that. */
const isClosed = (tool: unknown): boolean =>
  isObject(tool) &&
  propertiesOf(tool).length > 0 &&
  (tool['additionalProperties'] ?? false) === false &&
  !['patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'].some((word) => word in tool);
const plainName = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();
/** The same name, or one that differs in case, `-` and `_` alone. */
export function propertyFor(tool: unknown, key: string): string | undefined {
  const names = propertiesOf(tool);
  if (names.includes(key)) return key;
  const close = names.filter((name) => plainName(name) === plainName(key));
  return close.length === 1 ? close[0] : undefined;
}
interface Assigned {
  readonly key: string;
  readonly value: unknown;
  /** A repeated key then adds to a list. */
  readonly isText?: boolean;
}
class Assignments {
  readonly all: Assigned[] = [];
  readonly #tool: unknown;

  constructor(tool: unknown) {
    this.#tool = tool;
  }
  add(key: string, text: string): void {
    this.all.push({ key, value: typed(text, schemaOf(this.#tool, key)), isText: true });
  }
  /** Returns the words without a key, which are values of further properties in order. */
  named(words: readonly Argument[]): readonly string[] {
    const free: string[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      if (word?.kind === 'object')
        for (const [key, value] of Object.entries(word.value)) this.all.push({ key, value });
      else if (word?.kind === 'value') this.all.push({ key: this.#known(word.key), value: word.value });
      else if (word?.kind === 'text') this.add(this.#known(word.key), word.text);
      else if (word?.kind === 'file') this.add(this.#known(word.key), word.path);
      else if (word?.kind === 'flag') at += this.#flag(word.key, words[at + 1]);
      else if (word?.kind === 'word') free.push(word.text);
    }
    return free;
  }
  /** Throws for a key that the tool does not name; only JSON may have such keys. */
  #known(key: string): string {
    const tool = this.#tool;
    const known = propertyFor(tool, key);
    if (known === key || !isClosed(tool)) return key;
    const close = nearest(key, propertiesOf(tool));
    throw badRequest(
      `'${key}' is not an argument of the tool`,
      close.length > 0 ? `Did you mean ${close.map((name) => `${name}=…`).join(', ')}?` : argumentForms,
    );
  }
  /** The result is the number of further words that it took. */
  #flag(given: string, next: Argument | undefined): number {
    const tool = this.#tool;
    const key = propertyFor(tool, given);
    const negated = key === undefined ? propertyFor(tool, /^no-(.+)$/.exec(given)?.[1] ?? '') : undefined;
    if (negated !== undefined) this.all.push({ key: negated, value: false });
    if (negated !== undefined) return 0;
    if (key === undefined) {
      const close = nearest(given, propertiesOf(tool));
      throw badRequest(
        `unknown option '--${given}': neither the command nor the tool has it`,
        close.length > 0 ? `Did you mean --${close.join(', --')}?` : argumentForms,
      );
    }
    const isSwitch = typesOf(schemaOf(tool, key)).includes('boolean');
    const text = next?.word;
    if (isSwitch && !/^(true|false)$/i.test(text ?? '')) this.all.push({ key, value: true });
    else if (text === undefined) throw badRequest(`--${given} needs a value`, `--${given} VALUE`);
    else {
      this.add(key, text);
      return 1;
    }
    return 0;
  }
  inOrder(values: readonly string[]): void {
    const taken = new Set(this.all.map(({ key }) => key));
    const free = propertiesOf(this.#tool).filter((name) => !taken.has(name));
    values.forEach((text, at) => {
      const last = free.at(-1);
      const key = free[at] ?? (last !== undefined && this.#isList(last) ? last : undefined);
      if (key === undefined)
        throw badRequest(
          `'${text}' is not an argument: the tool has no parameter left for it`,
          argumentForms,
        );
      this.add(key, text);
    });
  }
  #isList(key: string): boolean {
    return typesOf(schemaOf(this.#tool, key)).includes('array');
  }
}

/** A later word wins; repeated keys make a list where the schema wants one. */
export function argumentsFor(words: readonly Argument[], tool: unknown): Record<string, unknown> {
  const assignments = new Assignments(tool);
  assignments.inOrder(assignments.named(words));
  const result = new Map<string, Assigned>();
  for (const one of assignments.all) {
    const before = result.get(one.key);
    const isMore = before?.isText === true && one.isText === true;
    const value =
      isMore && Array.isArray(before.value) && Array.isArray(one.value)
        ? [...(before.value as unknown[]), ...(one.value as unknown[])]
        : one.value;
    result.set(one.key, { ...one, value });
  }
  return Object.fromEntries([...result].map(([key, { value }]) => [key, value]));
}
export interface Target {
  readonly server?: string;
  readonly tool: string;
}

/** The servers of a remote computer are unknown, so there every name is a tool name. */
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
    .filter((name) => /^[./]./.test(first.slice(name.length)) && first.startsWith(name))
    .toSorted((a, b) => b.length - a.length)[0];
  if (owner === undefined) return { target: { tool: first }, rest };
  return { target: { server: owner, tool: first.slice(owner.length + 1) }, rest };
}
