import { readText } from '../../../adapters/index.ts';
import { nearest } from '../../../machines/text/index.ts';
import { A2cError } from '../../kernel/errors.ts';

/** What a person can name behind a command. */
export type Named = 'server' | 'tool' | 'call' | 'input' | 'file';

/** One command of the prompt. */
export interface PromptCommand {
  /** `tools call`; the first is the one that help shows, the others are what other programs call it. */
  readonly names: readonly string[];
  /** What stands behind it: `NAME ARGUMENTS`. */
  readonly args?: string;
  readonly does: string;
  /** What its first word names, so that it can be completed. */
  readonly takes?: Named;
  /** It is done at once, also while another command is at work. */
  readonly isImmediate?: boolean;
  /** Tells whether its line, of which `rest` follows the name, may hold a secret: the history does not keep it then. */
  readonly isPrivate?: (rest: string) => boolean;
  /** Resolves with what a program gets for it, where no fact of its own says so. */
  run(rest: string): unknown;
}
/** Commands of one subject, under a heading. */
export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly PromptCommand[];
}
/** A command, and the text behind it. */
export interface Found {
  readonly command: PromptCommand;
  readonly rest: string;
}

const mostWords = 3;
/** Finds commands by their words, whatever the case, the longest name first. */
export class CommandTable {
  readonly groups: readonly CommandGroup[];
  readonly #byName = new Map<string, PromptCommand>();

  constructor(groups: readonly CommandGroup[]) {
    this.groups = groups;
    for (const command of groups.flatMap(({ commands }) => commands))
      for (const name of command.names) this.#byName.set(name, command);
  }
  find(line: string): Found | undefined {
    for (let count = mostWords; count > 0; count--) {
      const words = new RegExp(String.raw`^\s*(?:\S+\s+){${count - 1}}\S+`).exec(line)?.[0];
      const command = words && this.#byName.get(words.trim().toLowerCase().split(/\s+/).join(' '));
      if (command) return { command, rest: line.slice(words.length).trim() };
    }
    return undefined;
  }
  unknown(line: string): A2cError {
    const words = line.toLowerCase().split(/\s+/).slice(0, mostWords);
    const tried = words.map((_, n) => words.slice(0, words.length - n).join(' '));
    const close = [...new Set(tried.flatMap((word) => nearest(word, this.#byName.keys())))].slice(0, 3);
    return new A2cError({
      code: 400,
      message: `unknown command: ${line.split(/\s+/).slice(0, 2).join(' ')}`,
      remedy: close.length > 0 ? `Did you mean ${close.join(', ')}? Type help.` : 'Type help.',
    });
  }
  /** `help`, or `help WORD`: the commands with this word in their names. */
  help(word = ''): string {
    const isMeant = ({ names }: PromptCommand): boolean =>
      word === '' || names.some((name) => name.split(' ').includes(word.toLowerCase()));
    const groups = this.groups.flatMap(({ heading, commands }) => {
      const lines = commands.filter(isMeant).map((command) => helpLine(command, word !== ''));
      return lines.length > 0 ? [[heading, ...lines].join('\n')] : [];
    });
    return groups.length > 0 ? groups.join('\n\n') : `no command has '${word}' in its name`;
  }
  /** What the end of a line could become, and the part of it that this would replace. */
  async complete(
    line: string,
    namesOf: (what: Named) => Promise<readonly string[]>,
  ): Promise<readonly [readonly string[], string]> {
    const found = this.find(line);
    const typed = line.trimStart().toLowerCase();
    const longer = [...this.#byName.keys()].filter((name) => name.startsWith(typed) && name !== typed);
    if (longer.length > 0 && !(found && /\s$/.test(line) && found.command.takes))
      return [longer.map((name) => `${name} `), line.trimStart()];
    const { takes } = found?.command ?? {};
    if (!found || takes === undefined || /\s/.test(found.rest)) return [[], line];
    const some = (await namesOf(takes)).filter((name) => name.startsWith(found.rest));
    return [some.map((name) => `${name} `), found.rest];
  }
}

const column = 28;
function helpLine({ names, args, does }: PromptCommand, isWhole: boolean): string {
  const [name = '', ...others] = names;
  const usage = `  ${name}${args === undefined ? '' : ` ${args}`}`;
  const also = isWhole && others.length > 0 ? ` (also ${others.join(', ')})` : '';
  const gap = usage.length < column - 1 ? usage.padEnd(column) : `${usage}\n${' '.repeat(column)}`;
  return `${gap}${does}${also}`;
}
/** What is wrong with a line at the prompt. */
export const usage = (text: string): A2cError => new A2cError({ code: 400, message: `usage: ${text}` });

/** The text of a file that is named at the prompt; what stdin has is typed to the prompt itself. */
export function readNamed(name: string): Promise<string> {
  if (name !== '-') return readText(name);
  throw new A2cError({
    code: 400,
    message: 'stdin is the prompt itself, and cannot be read beside it',
    remedy: 'Type the text, or name a file: @FILE',
  });
}
