import { Command, CommanderError } from 'commander';
import { A2cError } from '../../kernel/errors.ts';
import { readText } from '../../../adapters/index.ts';

/** Kind of thing that the first word behind a command names: Tab completes it. */
export type Named = 'server' | 'tool' | 'call' | 'input' | 'file';

interface CommandTraits {
  readonly takes?: Named;
  /** Done at once, also while another command is at work. */
  readonly isImmediate?: boolean;
  /** The last argument is the rest of the line as it is typed, with its blanks and quotes. */
  readonly isVerbatim?: boolean;
  /** Tells whether its line, of which `rest` follows the name, may hold a secret: the history does not keep it then. */
  readonly isPrivate?: (rest: string) => boolean;
}
/** Command of the prompt. Its name may have several words (`tools call`); aliases are its names in other programs. */
export class PromptCommand extends Command {
  traits: CommandTraits = {};
  #answer: unknown = null;

  is(traits: CommandTraits): this {
    this.traits = traits;
    return this;
  }
  /** Sets what it does. `run` resolves with the value for programs, where no fact of its own says it. */
  does(run: (...given: never[]) => unknown): this {
    return this.action(async (...given: unknown[]) => {
      this.#answer = await run(...(given as never[]));
    });
  }
  /** Runs it on the text behind its name. */
  async run(rest: string): Promise<unknown> {
    this.#answer = null;
    this.allowExcessArguments(this.options.length === 0);
    try {
      await this.parseAsync(this.#words(rest), { from: 'user' });
    } catch (error) {
      throw error instanceof CommanderError ? this.#mistake(error) : error;
    }
    return this.#answer ?? null;
  }
  #words(rest: string): readonly string[] {
    if (this.options.length > 0) return wordsIn(rest);
    if (this.traits.isVerbatim !== true) return ['--', ...wordsIn(rest)];
    const [, first = '', text = ''] =
      this.registeredArguments.length > 1 ? (/^(\S*)\s*([^]*)$/.exec(rest) ?? []) : ['', '', rest];
    return ['--', ...[first, text].filter((word) => word !== '')];
  }
  #mistake({ code, message }: CommanderError): A2cError {
    const form = usage(`${this.name()} ${this.usage()}`.trim());
    if (code === 'commander.missingArgument') return form;
    const { message: remedy } = form;
    return new A2cError({ code: 400, message: message.replace(/^error: /, ''), remedy });
  }
}
/** A command, and the text behind its name. */
interface TypedCommand {
  readonly command: PromptCommand;
  readonly rest: string;
}

const mostWords = 3;
/** All commands of the prompt. Commander parses them, helps with them and proposes the nearest, as it does in the shell. */
export class PromptCommands {
  readonly #program = new Command()
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trimEnd(),
      commandUsage: (command) =>
        command instanceof PromptCommand
          ? `${[command.name(), ...command.aliases()].join(' | ')} ${command.usage()}`.trimEnd()
          : 'COMMAND [ARGUMENTS]',
    });
  readonly #byName = new Map<string, PromptCommand>();

  /** Adds a command; the first of `names` is the one that help shows. */
  add(heading: string, names: readonly [string, ...string[]], description: string): PromptCommand {
    const [name, ...others] = names;
    const command = new PromptCommand(name)
      .copyInheritedSettings(this.#program)
      .helpOption(false)
      .aliases(others)
      .description(description)
      .helpGroup(heading);
    for (const each of names) this.#byName.set(each, command);
    this.#program.addCommand(command);
    return command;
  }
  /** First names of all commands. */
  get names(): readonly string[] {
    return this.#program.commands.map((command) => command.name());
  }
  /** Finds the command that a line begins with, whatever the case: the one with the longest name. */
  find(line: string): TypedCommand | undefined {
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
    const close = tried.map((name) => this.#nearest(name)).find((names) => names !== undefined);
    return new A2cError({
      code: 400,
      message: `unknown command: ${line.split(/\s+/).slice(0, 2).join(' ')}`,
      remedy: close === undefined ? 'Type help.' : `Did you mean ${close}? Type help.`,
    });
  }
  #nearest(name: string): string | undefined {
    if (this.#byName.has(name)) return undefined;
    try {
      this.#program.parse([name], { from: 'user' });
    } catch (error) {
      return /\(Did you mean (?:one of )?([^?]*)\?\)/.exec((error as Error).message)?.[1];
    }
    return undefined;
  }
  /** `help`; `help WORD`: the commands that have this word in their names, and all of the only one. */
  help(word = ''): string {
    const some = this.#program.commands.filter((command) =>
      [command.name(), ...command.aliases()].some(
        (name) => word === '' || name.split(' ').includes(word.toLowerCase()),
      ),
    );
    const [only, ...others] = some;
    if (!only) return `no command has '${word}' in its name`;
    if (others.length === 0) return only.helpInformation().trimEnd();
    const helper = this.#program.createHelp();
    helper.visibleCommands = () => some;
    return helper.formatHelp(this.#program, helper).trimEnd();
  }
  /** Completes the end of a line: the possible texts, and the part that they replace. */
  async complete(
    line: string,
    namesOf: (what: Named) => Promise<readonly string[]>,
  ): Promise<readonly [readonly string[], string]> {
    const found = this.find(line);
    const typed = line.trimStart().toLowerCase();
    const longer = [...this.#byName.keys()].filter((name) => name.startsWith(typed) && name !== typed);
    const { takes } = found?.command.traits ?? {};
    if (longer.length > 0 && !(found && /\s$/.test(line) && takes))
      return [longer.map((name) => `${name} `), line.trimStart()];
    if (!found) return [[], line];
    const [begun = ''] = /\S*$/.exec(found.rest) ?? [];
    const isFirst = begun === found.rest;
    const all = begun.startsWith('-')
      ? found.command.options.flatMap(({ long }) => long ?? [])
      : takes && isFirst
        ? await namesOf(takes)
        : [];
    if (all.length === 0) return [[], line];
    return [all.filter((name) => name.startsWith(begun)).map((name) => `${name} `), begun];
  }
}
/** Failure that shows how a command is written. */
export const usage = (text: string): A2cError => new A2cError({ code: 400, message: `usage: ${text}` });

/** Reads a file that is named at the prompt; what stdin has is typed to the prompt itself. */
export function readNamed(name: string): Promise<string> {
  if (name !== '-') return readText(name);
  throw new A2cError({
    code: 400,
    message: 'stdin is the prompt itself, and cannot be read beside it',
    remedy: 'Type the text, or name a file: @FILE',
  });
}

/**
 * The words of a line at the prompt, as a shell takes them: quotes hold blanks together. What begins with a bracket is one word
 * up to its end, whatever is in it, so that JSON needs no quotes around it.
 */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const length = /^[{[]/.test(rest) ? bracketsIn(rest) : 0;
    const word =
      length > 0 ? rest.slice(0, length) : (/^(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/.exec(rest)?.[0] ?? rest);
    words.push(length > 0 ? word : unquoted(word));
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}
/** Only around a word, or around the value in `key="a b"`: quotes inside of JSON are its own. */
function unquoted(word: string): string {
  const whole = /^(?:([^\s"'=]+=))?(?:"([^"]*)"|'([^']*)')$/.exec(word);
  return whole ? (whole[1] ?? '') + (whole[2] ?? whole[3] ?? '') : word;
}

/** How many characters from the first bracket to the one that closes it; all of the text where none does. */
function bracketsIn(text: string): number {
  let open = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (char === '"') quote = char;
    else if (char === '{' || char === '[') open += 1;
    else if (char === '}' || char === ']') {
      open -= 1;
      if (open === 0) return at + 1;
    }
  }
  return text.length;
}
/** A bracket is open at its end: it goes on in the next line. */
export function isUnfinished(line: string): boolean {
  const start = line.search(/[{[]/);
  if (start < 0) return false;
  let open = 0;
  let isQuoted = false;
  for (let at = start; at < line.length; at++) {
    const char = line[at] ?? '';
    if (isQuoted && char === '\\') at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted) open += '{['.includes(char) ? 1 : '}]'.includes(char) ? -1 : 0;
  }
  return open > 0;
}
