/** Table of the commands of the prompt: how a typed line finds its command, its help and its completions. */
import { Command, CommanderError } from 'commander';
import { type A2cError, badRequest } from '../../kernel/errors.ts';
import { completed, type KnownNames } from '../completing.ts';
import { readText } from '../../../adapters/terminal/terminal.ts';
import { nearest } from '../../../machines/text.ts';
import { inWidth } from '../help.ts';
import { helpWidth } from '../main-help.ts';
import { shared, words } from '../words.ts';

interface CommandTraits {
  /** Even while another command is at work. */
  readonly isImmediate?: boolean;
  /** The history keeps no line of it, because it may hold a secret. */
  readonly isPrivate?: boolean;
}
/** A name may have several words (`tools call`); aliases are its names in other programs. */
export class PromptCommand extends Command {
  traits: CommandTraits = {};
  #answer: unknown = null;

  is(traits: CommandTraits): this {
    this.traits = traits;
    return this;
  }
  /** `run` resolves with the value that is printed for programs; null when other lines report the result. */
  does(run: (...given: never[]) => unknown): this {
    return this.action(async (...given: unknown[]) => {
      this.#answer = await run(...(given as never[]));
    });
  }
  async run(rest: string): Promise<unknown> {
    this.#answer = null;
    const typed = wordsIn(rest);
    try {
      await this.parseAsync(this.options.length > 0 ? typed : ['--', ...typed], { from: 'user' });
    } catch (error) {
      throw error instanceof CommanderError ? this.#mistake(error) : error;
    }
    return this.#answer ?? null;
  }
  #mistake({ code, message }: CommanderError): A2cError {
    const form = usage(`${this.name()} ${this.usage()}`.trim());
    if (code === 'commander.missingArgument') return form;
    const { message: remedy } = form;
    return badRequest(message.replace(/^error: /, ''), remedy);
  }
}
interface TypedCommand {
  readonly command: PromptCommand;
  readonly rest: string;
}

const mostWords = 3;
/** Before a line that was copied from a shell. */
const ofShell = /^\s*(?:npx\s+(?:-p\s+a2c-actors\s+)?)?a2c\s+/;
const keys =
  'Ctrl-C cancels the call that runs, stops the server that starts, says no to a question, clears a half-typed line; twice at an empty line it ends everything. Ctrl-D ends everything. A line whose brackets are open goes on in the next one. Tab completes. A line after a blank is not kept in the history, nor is a value of an input.';
/** Parsed by Commander, which also prints help and suggests similar names as in the shell. */
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

  /** Help shows the first of `names`, the others are aliases. */
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
  get names(): readonly string[] {
    return this.#program.commands.map((command) => command.name());
  }
  /** Ignores case, and the name of the command that a shell needs before the line; of several the one with the longest name. */
  find(typed: string): TypedCommand | undefined {
    const line = typed.replace(ofShell, '');
    for (let count = mostWords; count > 0; count--) {
      const found = new RegExp(String.raw`^\s*(?:\S+\s+){${count - 1}}\S+`).exec(line)?.[0];
      const command = found && this.#byName.get(found.trim().toLowerCase().split(/\s+/).join(' '));
      if (command) return { command, rest: line.slice(found.length).trim() };
    }
    return undefined;
  }
  unknown(typed: string): A2cError {
    const line = typed.replace(ofShell, '').trim();
    const said = line.split(/\s+/).slice(0, 2);
    if (Object.hasOwn(words, said[0] ?? ''))
      return badRequest(`${said[0]} is a command of the shell`, `Type it there: a2c ${line}`);
    const close = said
      .map((_, n) => said.slice(0, said.length - n).join(' '))
      .flatMap((name) => nearest(name, this.#byName.keys()));
    return badRequest(
      `unknown command: ${said.join(' ')}`,
      close.length === 0 ? 'Type help.' : `Did you mean ${close.join(', ')}? Type help.`,
    );
  }
  /** All commands, or those with this word in their name; a single match is described in full. */
  help(word = ''): string {
    if (word === '') return this.#overview(helpWidth(undefined));
    const some = this.#program.commands.filter((command) =>
      [command.name(), ...command.aliases()].some((name) => name.split(' ').includes(word.toLowerCase())),
    );
    const [only, ...others] = some;
    if (!only) return `no command has '${word}' in its name`;
    if (others.length === 0) return only.helpInformation().trimEnd();
    const helper = this.#program.createHelp();
    helper.visibleCommands = () => some;
    return helper.formatHelp(this.#program, helper).trimEnd();
  }
  /** One screen: what the commands of the shell do, and the names of the others. */
  #overview(width: number): string {
    const isShared = (command: Command): boolean => shared.some((name) => name === command.name());
    const own = this.#program.commands.filter((command) => !isShared(command));
    const groups = [...new Set(own.map((command) => command.helpGroup()))];
    const namesIn = (group: string): string =>
      own.flatMap((command) => (command.helpGroup() === group ? [command.name()] : [])).join(', ');
    return [
      'As in a shell after a2c:',
      ...shared.map((name) => `  ${name.padEnd(7)}  ${words[name]}`),
      'Only here (help COMMAND tells all of one):',
      ...groups.map((group) => inWidth(`${group}: ${namesIn(group)}`, width)),
      inWidth(keys, width),
    ].join('\n');
  }
  /** The possible texts, and the part of the line that they replace. */
  async complete(line: string, known: KnownNames): Promise<readonly [readonly string[], string]> {
    const found = this.find(line);
    const typed = line.trimStart().toLowerCase();
    const longer = [...this.#byName.keys()].filter((name) => name.startsWith(typed) && name !== typed);
    const hasArguments = (found?.command.registeredArguments.length ?? 0) > 0;
    if (longer.length > 0 && !(/\s$/.test(line) && hasArguments))
      return [longer.map((name) => `${name} `), line.trimStart()];
    const end = line.slice(line.trimEnd().length);
    if (!found || (found.rest === '' && end === '')) return [[], line];
    const { words, current } = currentIn(found.rest + end);
    const all = await completed(found.command, words, known, current);
    return all.length > 0 && line.endsWith(current) ? [all, current] : [[], line];
  }
}
/** Makes a usage error, which shows how a prompt command is written. */
export const usage = (text: string): A2cError => badRequest(`usage: ${text}`);

/** Refuses `-`, because stdin is the prompt itself. */
export function readNamed(name: string): Promise<string> {
  if (name !== '-') return readText(name);
  throw badRequest(
    'stdin is the prompt itself, and cannot be read beside it',
    'Type the text, or name a file: @FILE',
  );
}

/** Quotes hold blanks together; a bracket goes up to its closing one, so that JSON needs no quotes. */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const length = /^[{[]/.test(rest) ? bracketsIn(rest) || rest.length : 0;
    const word =
      length > 0
        ? rest.slice(0, length)
        : (/^(?:[^\s"']+|"[^"]*"|'[^']*'|["']){1,10000}/.exec(rest)?.[0] ?? rest);
    words.push(length > 0 ? word : unquoted(word));
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}
/** The current word is empty after a blank. */
export function currentIn(line: string): { readonly words: readonly string[]; readonly current: string } {
  const words = wordsIn(`${line}${cursor}`);
  const current = words.pop() ?? '';
  return { words, current: current.replace(cursor, '') };
}
/** Marks the position of the cursor; no line contains it. */
const cursor = '\u0000';
/** Around a word, or around the value in `key="a b"`; quotes inside JSON stay. */
function unquoted(word: string): string {
  const whole = /^(?:([^\s"'=]+=))?(?:"([^"]*)"|'([^']*)')$/.exec(word);
  return whole ? (whole[1] ?? '') + (whole[2] ?? whole[3] ?? '') : word;
}

/** 0 when no bracket closes the first one. */
function bracketsIn(text: string): number {
  let open = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (char === '"') quote = char;
    else if ('{['.includes(char)) open += 1;
    else if ('}]'.includes(char)) {
      open -= 1;
      if (open === 0) return at + 1;
    }
  }
  return 0;
}
/** The command then goes on in the next line. */
export function isUnfinished(line: string): boolean {
  const start = line.search(/[{[]/);
  return start >= 0 && bracketsIn(line.slice(start)) === 0;
}
