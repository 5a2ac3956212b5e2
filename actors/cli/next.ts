import { foundAppFiles } from '../../adapters/index.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { lastTools } from './one-shot.ts';
import { typedHere } from './printing/contents.ts';
import { readSource } from './source.ts';

/** Largest number of servers that are named. If there are more, only their count is shown. */
const mostNamed = 6;

/** Answers `a2c` without a command at a terminal: says what to do next, with the servers of the config. Starts nothing. */
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
