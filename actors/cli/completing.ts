import type { Command, Option } from 'commander';
import { propertyFor, targetIn } from './arguments.ts';
import { isObject } from '../../machines/protocol/json.ts';

/** Arguments and values of options are completed by their names in Commander, such as `<server>`; files by the shell. */

export interface KnownTool {
  readonly server: string;
  readonly original: string;
  /** Unique among all servers; undefined where the tool is called with its server. */
  readonly name: string | undefined;
  readonly schema: unknown;
}
export interface KnownNames {
  readonly servers: readonly string[];
  tools(): Promise<readonly KnownTool[]>;
  readonly others: Readonly<Record<string, readonly string[]>>;
}

/** Candidates end with a blank where the word is whole. */
const whole = (text: string): string => `${text} `;

/** `current` is the word at the cursor, after the complete `words`. */
export async function completed(
  command: Command,
  words: readonly string[],
  known: KnownNames,
  current: string,
): Promise<readonly string[]> {
  const found = await candidates(command, readWords(command, words), current, known);
  return [...new Set(found.filter((text) => text.startsWith(current) && text !== current))];
}
async function candidates(
  command: Command,
  { operands, pending, isBehind }: TypedWords,
  current: string,
  known: KnownNames,
): Promise<readonly string[]> {
  if (isBehind) return [];
  if (pending) {
    const [, kind = ''] = /[<[]([^\]<>[]*)[\]>]/.exec(pending.flags) ?? [];
    return namesOf(kind, pending.argChoices ?? [], current, known);
  }
  if (current.startsWith('-')) return optionsOf(command);
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  if (!argument) return [];
  const isAfterTool = all[0]?.name().endsWith('tool') === true && operands.length > 0;
  return isAfterTool
    ? ofTool(operands, known)
    : namesOf(argument.name(), argument.argChoices ?? [], current, known);
}

interface TypedWords {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly pending: Option | undefined;
  /** The words stand after `--`, where a command of another program begins. */
  readonly isBehind: boolean;
}
export function readWords(command: Command, words: readonly string[]): TypedWords {
  const operands: string[] = [];
  const values: Record<string, string> = {};
  let pending: Option | undefined;
  for (const word of words) {
    if (pending) {
      values[pending.attributeName()] = word;
      pending = undefined;
      continue;
    }
    if (word === '--') return { operands, values, pending, isBehind: true };
    const option = command.options.find(({ short, long }) => word === short || word === long);
    if (option?.required === true) pending = option;
    else if (!option) operands.push(word);
  }
  return { operands, values, pending, isBehind: false };
}
const optionsOf = (command: Command): readonly string[] =>
  [...command.options, ...command.createHelp().visibleOptions(command).slice(-1)].map(({ long }) =>
    whole(long ?? ''),
  );

async function namesOf(
  kinds: string,
  choices: readonly string[],
  current: string,
  known: KnownNames,
): Promise<readonly string[]> {
  const all = kinds.split('|').map(async (kind): Promise<readonly string[]> => {
    if (kind === 'server') return known.servers.map(whole);
    if (kind === 'tool') return ofTools(await known.tools(), current);
    return (known.others[kind] ?? []).map(whole);
  });
  return [...choices.map(whole), ...(await Promise.all(all)).flat()];
}
/** `SERVER.TOOL` where a server was typed, or where the bare name is not enough. */
const ofTools = (tools: readonly KnownTool[], current: string): readonly string[] => [
  ...tools.flatMap(({ name }) => (name === undefined ? [] : [whole(name)])),
  ...tools.flatMap(({ server, original, name }) =>
    name === undefined || current.startsWith(`${server}.`) ? [whole(`${server}.${original}`)] : [],
  ),
  ...tools.map(({ server }) => `${server}.`),
];
/** The tools of a server that stands before, or the parameters of a tool that have no value yet. */
async function ofTool(operands: readonly string[], known: KnownNames): Promise<readonly string[]> {
  const tools = await known.tools();
  const [first = '', ...others] = operands;
  const own = others.length > 0 ? [] : tools.filter(({ server }) => server === first);
  const { target, rest } = targetIn(operands, known.servers);
  const tool = tools.find(({ server, name, original }) =>
    target.server === undefined ? name === target.tool : server === target.server && original === target.tool,
  );
  const properties = isObject(tool?.schema) ? tool.schema['properties'] : undefined;
  const given = new Set(
    rest.map((word) => propertyFor(tool?.schema, /^[^\s=:]+(?==|:=)/.exec(word)?.[0] ?? '')),
  );
  const free = Object.keys(isObject(properties) ? properties : {}).filter((name) => !given.has(name));
  return [...own.map(({ original }) => whole(original)), ...free.map((name) => `${name}=`)];
}
