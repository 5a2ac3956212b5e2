import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Help, type Command, type HelpConfiguration } from 'commander';
import { foundAppFiles } from '../../adapters/index.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { lastTools } from './one-shot.ts';
import { typedHere } from './printing/contents.ts';
import { readSource } from './source.ts';

const widest = 100;
const whenUnknown = 80;
export const helpWidth = (columns: number | undefined): number => Math.min(widest, columns || whenUnknown);
const firstGroups = ['Options:', 'Servers:'];

export const firstExamples = `a2c: MCP servers at the command line, and for remote agents

  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c tools files
  a2c call files.read_file path=README.md
`;
function docsFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let up = 0; up < 4; up += 1) {
    if (existsSync(join(folder, 'docs', 'cli.md'))) return folder;
    folder = dirname(folder);
  }
  return undefined;
}
function placeOfDocs(text: string): string {
  const folder = /\bdocs\/[\w-]+\.md/.test(text) ? docsFolder() : undefined;
  return folder === undefined ? '' : `\ndocs/ is in ${folder}\n`;
}
type Grouped = Parameters<Help['groupItems']>[0];
/** Called before the commands are added. */
export const withHelp = (program: Command): Command =>
  program.configureHelp({
    minWidthToWrap: 24,
    // Shows commands without their arguments in a list of commands, so that their descriptions have more room.
    subcommandTerm: (command) => command.name(),
    groupItems(all: Grouped, visible: Grouped, groupOf: (item: Grouped[number]) => string) {
      const groups = Help.prototype.groupItems(all, visible, groupOf);
      const first = firstGroups.flatMap((name) =>
        groups.has(name) ? [[name, groups.get(name) ?? []] as const] : [],
      );
      return new Map([...first, ...groups]);
    },
    optionDescription: (option) =>
      Help.prototype.optionDescription.call(Help.prototype, option).replace(' (default: false)', ''),
    formatHelp(command, helper) {
      const text = Help.prototype.formatHelp.call(helper, command, helper);
      return text + placeOfDocs(text);
    },
  } as HelpConfiguration);

/** Examples, which are indented, stay whole. */
export const inWidth = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => {
      if (line.length <= width || line.startsWith('  ')) return line;
      return line.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'gu'), '$1\n').trimEnd();
    })
    .join('\n');

const mostNamed = 6;

/** Answers `a2c` without a command at a terminal. Starts nothing. */
export async function next(context: CommandContext): Promise<number> {
  const { terminal, folder = process.cwd() } = context;
  const { config, file } = await readSource(context, {});
  const servers = config.servers.filter(({ disabled }) => !disabled);
  const command = (...words: string[]): string => typedHere({}, 'a2c', ...words);
  const rows: [string, string][] = [];
  if (file === undefined) {
    terminal.outText('You have no MCP servers yet.\n');
    for (const { app } of await foundAppFiles(folder))
      rows.push([`take those of ${app}`, command('import', app)]);
    const example = ['npx', '-y', '@modelcontextprotocol/server-filesystem', '.'];
    rows.push(['add one', command('add', 'files', '--', ...example)]);
    rows.push(['read the files of this folder', command('finder')]);
  } else {
    const names = servers.map(({ name }) => name);
    const some = names.length > 0 && names.length <= mostNamed ? ` (${names.join(', ')})` : '';
    terminal.outText(`${file}: ${names.length} ${names.length === 1 ? 'server' : 'servers'}${some}\n`);
    rows.push(['see what they have', command('tools')]);
    const [known] = Object.entries(await lastTools(servers)).filter(([, tools]) => tools.length > 0);
    if (known) rows.push(['see one tool', command('tools', `${known[0]}.${known[1][0]?.name}`)]);
    rows.push(['find what is wrong', command('doctor')], ['call them at a prompt', command('up')]);
  }
  rows.push(['all commands', command('--help')]);
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, typed] of rows) terminal.out(`  ${what.padEnd(width)}  ${typed}`);
  return exitCodes.done;
}
