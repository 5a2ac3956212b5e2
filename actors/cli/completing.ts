import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Command, Option } from 'commander';
import { propertyFor, schemaOf, targetIn } from './arguments.ts';
import { inOneLine } from './printing/contents.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

/** Arguments and values of options are completed by their names in Commander, such as `<server>`. */

/** Ends with a blank where the word is whole. */
export interface Candidate {
  readonly text: string;
  readonly about?: string;
}
export interface KnownItem {
  readonly server: string;
  readonly original: string;
  /** Unique among all servers; undefined where the item is called with its server. */
  readonly name: string | undefined;
  readonly description?: string | undefined;
  readonly schema: unknown;
}
export interface KnownNames {
  readonly servers: readonly string[];
  tools(): Promise<readonly KnownItem[]>;
  prompts(): Promise<readonly KnownItem[]>;
  readonly others: Readonly<Record<string, readonly string[]>>;
}

const whole = (text: string, about?: string): Candidate => ({
  text: `${text} `,
  ...(about !== undefined && about !== '' && { about: inOneLine(about, 60) }),
});

/** `current` is the word at the cursor, after the complete `words`. */
export async function completed(
  command: Command,
  words: readonly string[],
  known: KnownNames,
  current: string,
): Promise<readonly Candidate[]> {
  const typed = readWords(command, words);
  const found = await candidates(command, typed, current, known);
  const fitting = found.filter(({ text }) => text.startsWith(current) && text !== current);
  return [...new Map(fitting.map((each) => [each.text, each])).values()];
}
async function candidates(
  command: Command,
  { operands, pending, isBehind }: TypedWords,
  current: string,
  known: KnownNames,
): Promise<readonly Candidate[]> {
  if (isBehind) return files(current);
  if (pending) return ofOption(pending, current, known);
  const [, flag = '', value = ''] = /^(--[^\s=]+)=([^]*)$/.exec(current) ?? [];
  const option = command.options.find(({ long }) => long === flag);
  if (option) return prefixed(`${flag}=`, await ofOption(option, value, known));
  const own = current.startsWith('-') ? optionsOf(command) : [];
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  if (!argument) return own;
  const kind = argument.name();
  // Completes arguments too after the name of a tool, because the prompt has both in one list.
  const isArguments = kind === 'arguments' || (kind === 'tool' && argument.variadic && operands.length > 0);
  if (isArguments) return [...own, ...(await ofArguments(all[0]?.name(), operands, current, known))];
  const choices = argument.argChoices ?? [];
  const inServer = kind === 'tool' && operands.length > 0 ? operands[0] : undefined;
  const named =
    inServer === undefined ? await ofKinds(kind, current, known) : await itemsOf(kind, inServer, known);
  return [...own, ...choices.map((each) => whole(each)), ...named];
}

interface TypedWords {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly pending: Option | undefined;
  /** The words stand after `--`, where a command of another program begins. */
  readonly isBehind: boolean;
}
export function readWords(command: Command, words: readonly string[]): TypedWords {
  const operands: string[] = [];
  const values: Record<string, string[]> = {};
  let pending: Option | undefined;
  const keep = (option: Option, value: string): void => {
    (values[option.attributeName()] ??= []).push(value);
  };
  for (const word of words) {
    const [, flag = '', value] = /^(-[A-Za-z]|--[^\s=]+)(?:=([^]*))?$/.exec(word) ?? [];
    if (pending) keep(pending, word);
    const option = pending
      ? undefined
      : command.options.find(({ short, long }) => flag === short || flag === long);
    if (option && value !== undefined) keep(option, value);
    if (word === '--' && !pending) return { operands, values, pending, isBehind: true };
    if (!pending && !option) operands.push(word);
    pending = option?.required === true && value === undefined ? option : undefined;
  }
  return { operands, values, pending, isBehind: false };
}
const optionsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) =>
      long === undefined || long === null ? [] : [whole(long, description)],
    );
function ofOption(option: Option, current: string, known: KnownNames): Promise<readonly Candidate[]> {
  const [, kind = ''] = /[<[]([^\]<>[]*)[\]>]/.exec(option.flags) ?? [];
  if (option.argChoices) return Promise.resolve(option.argChoices.map((each) => whole(each)));
  return ofKinds(kind, current, known);
}
const prefixed = (prefix: string, all: readonly Candidate[]): readonly Candidate[] =>
  all.map(({ text, ...rest }) => ({ ...rest, text: prefix + text }));

async function ofKinds(kinds: string, current: string, known: KnownNames): Promise<readonly Candidate[]> {
  const all = kinds.split('|').map(async (kind): Promise<readonly Candidate[]> => {
    if (/^(?:file|dir|folder|out)$/.test(kind)) return files(current);
    if (kind === 'server') return known.servers.map((name) => whole(name));
    if (kind !== 'tool' && kind !== 'prompt') return (known.others[kind] ?? []).map((name) => whole(name));
    return ofItems(await itemsBy(kind, known), current, known.servers);
  });
  return (await Promise.all(all)).flat();
}
const itemsBy = (kind: string | undefined, known: KnownNames): Promise<readonly KnownItem[]> =>
  kind === 'prompt' ? known.prompts() : known.tools();
/** `SERVER.TOOL` where a server was typed, or where the bare name is not enough. */
function ofItems(
  items: readonly KnownItem[],
  current: string,
  servers: readonly string[],
): readonly Candidate[] {
  const bare = items.flatMap(({ name, description }) =>
    name === undefined ? [] : [whole(name, description)],
  );
  const sign = servers.some((server) => current.startsWith(`${server}/`)) ? '/' : '.';
  const isOwn = ({ server, name }: KnownItem): boolean =>
    name === undefined || current.startsWith(server + sign);
  const owned = items
    .filter((item) => servers.includes(item.server) && isOwn(item))
    .map(({ server, original, description }) => whole(server + sign + original, description));
  const owners = servers.filter((server) => items.some((item) => item.server === server));
  return [...bare, ...owned, ...owners.map((server) => ({ text: `${server}.` }))];
}
async function itemsOf(
  kind: string | undefined,
  server: string,
  known: KnownNames,
): Promise<readonly Candidate[]> {
  const all = await itemsBy(kind, known);
  return all.flatMap((item) => (item.server === server ? [whole(item.original, item.description)] : []));
}

async function ofArguments(
  first: string | undefined,
  operands: readonly string[],
  current: string,
  known: KnownNames,
): Promise<readonly Candidate[]> {
  const kind = first === 'prompt' ? 'prompt' : 'tool';
  const { target, rest } = targetIn(operands, known.servers);
  const item = (await itemsBy(kind, known)).find(({ server, name, original }) =>
    target.server === undefined ? name === target.tool : server === target.server && original === target.tool,
  );
  const ofServer = operands.length === 1 ? await itemsOf(kind, operands[0] ?? '', known) : [];
  return [...ofServer, ...(item ? await ofParameters(item.schema, rest, current) : [])];
}
const keyed = /^(?:--)?([^\s=:]+)(?::=|=)/;
/** Behind a key, or with a `/`, a file. */
async function ofParameters(
  schema: unknown,
  words: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const [before = ''] = /^(?:@|(?:--)?[^\s=:]+:?@?=)/.exec(current) ?? [];
  if (before !== '' || current.includes('/'))
    return prefixed(before, await files(current.slice(before.length)));
  const given = new Set(words.flatMap((word) => propertyFor(schema, keyed.exec(word)?.[1] ?? '') ?? []));
  const free = propertiesOf(schema).filter(([name]) => !given.has(name));
  const inOrder = words.filter((word) => !keyed.test(word) && !/^(?:--|[{@-])/.test(word)).length;
  return free.slice(inOrder).map(([name, { description }]) => ({
    text: current.startsWith('--') ? `--${name} ` : `${name}=`,
    ...(typeof description === 'string' && { about: inOneLine(description, 60) }),
  }));
}
const propertiesOf = (schema: unknown): readonly (readonly [string, Fields])[] =>
  isObject(schema) && isObject(schema['properties'])
    ? Object.keys(schema['properties']).map((name) => [name, schemaOf(schema, name)])
    : [];

async function files(begun: string): Promise<readonly Candidate[]> {
  const at = begun.lastIndexOf('/') + 1;
  const folder = begun.slice(0, at).replace(/^~\//, `${homedir()}/`);
  try {
    const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
    return entries
      .filter(({ name }) => name.startsWith('.') === begun.slice(at).startsWith('.'))
      .map((entry) => ({ text: begun.slice(0, at) + entry.name + (entry.isDirectory() ? '/' : ' ') }))
      .toSorted((a, b) => (a.text < b.text ? -1 : 1));
  } catch {
    // Completes nothing in a folder that cannot be read.
    return [];
  }
}
