import type { Command } from 'commander';
import { completed, readWords, type KnownNames, type KnownTool } from './completing.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { enabled } from './named-server.ts';
import { tableOf } from './last-lists.ts';
import { currentIn } from './prompt/commands.ts';
import { readSource } from './source.ts';
import { asToday } from './words.ts';
import { fingerprintOf, readOrThrow } from '../plans/plan.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { readCached } from '../../adapters/storage/catalogs.ts';
import { typedInShell } from '../../adapters/optional-packages.ts';
import { apps } from '../../machines/applications/apps.ts';
import { isUsable } from '../../machines/catalog/tool-table.ts';
import type { Lists } from '../../machines/catalog/entries.ts';
import type { Config } from '../../machines/config/parse.ts';
import { asLine } from '../../machines/text.ts';

/** Completion scripts for shells, which run `a2c completion SHELL LINE` at each Tab, and complete files themselves. */
const scripts = {
  bash: `_a2c() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(
    a2c completion bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null < /dev/null
  )
  (( \${#COMPREPLY[@]} )) || compopt +o nospace
}
complete -o nospace -o default -F _a2c a2c`,
  zsh: `_a2c() {
  local text
  local -a texts
  while IFS= read -r text; do texts+=("$text"); done < <(
    a2c completion zsh "\${(j: :)words[1,CURRENT-1]} $PREFIX" 2> /dev/null < /dev/null
  )
  if (( $#texts )); then compadd -U -Q -S '' -a texts; else _files; fi
}
compdef _a2c a2c`,
  fish: `complete -c a2c -a '(a2c completion fish (commandline -cp | string collect) 2> /dev/null < /dev/null)'`,
} as const;
type Shell = keyof typeof scripts;

export const completionFor = (program: Command) => ({
  async completion(
    context: CommandContext,
    shell: Shell,
    line: string | undefined,
    breaks: string | undefined,
  ): Promise<number> {
    const found =
      line === undefined ? [scripts[shell]] : await linesFor(program, context, shell, { line, breaks });
    if (found.length > 0) context.terminal.outText(found.join('\n'));
    return exitCodes.done;
  },
});

async function linesFor(
  program: Command,
  context: CommandContext,
  shell: Shell,
  { line, breaks = '' }: { readonly line: string; readonly breaks?: string | undefined },
): Promise<readonly string[]> {
  const { words, current } = currentIn(line);
  const { command, rest } = commandIn(program, asToday(words.slice(1)));
  const isNoun = command.commands.length > 0;
  const found = isNoun
    ? commandsOf(command).filter((text) => rest.length === 0 && text.startsWith(current))
    : await completed(command, rest, await knownFor(context, command, rest), current);
  // Bash replaces only the text after its last word break.
  const kept = Math.max(-1, ...Array.from(breaks, (sign) => current.lastIndexOf(sign))) + 1;
  return found
    .filter((text) => asLine(text) === text)
    .map((text) => (shell === 'fish' ? text.trimEnd() : quoted(text.slice(kept))));
}
/** Quotes a candidate for the shell, except the blank at its end. */
const quoted = (candidate: string): string => {
  const text = candidate.trimEnd();
  return (text === '' ? '' : typedInShell([text])) + candidate.slice(text.length);
};
/** Behind a noun such as `trace`, too. */
function commandIn(
  noun: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const [name, ...rest] = words;
  const command = noun.commands.find((each) => each.name() === name);
  return command ? commandIn(command, rest) : { command: noun, rest: words };
}
const commandsOf = (program: Command): readonly string[] =>
  program
    .createHelp()
    .visibleCommands(program)
    .map((command) => `${command.name()} `);

async function knownFor(
  context: CommandContext,
  command: Command,
  words: readonly string[],
): Promise<KnownNames> {
  const { config, url } = readWords(command, words).values;
  const isKnown = url === undefined && config !== '-';
  const source = isKnown
    ? await readSource(context, config === undefined ? {} : { config: [config] }).catch(() => undefined)
    : undefined;
  return knownIn(source?.config ?? readOrThrow([]));
}
async function knownIn(config: Config): Promise<KnownNames> {
  const lists = await Promise.all(
    enabled(config).map(async (server) => {
      const cached = await readCached(defaultStateDir(), fingerprintOf(server));
      return [server.name, cached?.lists ?? {}] as const;
    }),
  );
  return {
    servers: config.servers.map(({ name }) => name),
    tools: () => Promise.resolve(toolsIn(config, lists)),
    others: {
      app: apps.map(({ id }) => id),
      prompt: lists.flatMap(([, { prompts = [] }]) => prompts.map(({ name }) => name)),
    },
  };
}
type Listed = readonly (readonly [server: string, lists: Lists])[];
function toolsIn(config: Config, listed: Listed): readonly KnownTool[] {
  const usable = listed.map(([server, { tools = [] }]) => [server, tools.filter(isUsable)] as const);
  const { byName, refused } = tableOf(config, Object.fromEntries(usable));
  const isShared = (name: string): boolean => refused.some((each) => each.name === name);
  const named = Object.entries(byName).filter(([name]) => !isShared(name));
  return usable.flatMap(([server, tools]) =>
    tools.map((tool) => ({
      server,
      original: tool.name,
      name: named.find(([, entry]) => entry.server === server && entry.tool.name === tool.name)?.[0],
      schema: tool.inputSchema,
    })),
  );
}
