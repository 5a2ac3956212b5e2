import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { collected } from '../options.ts';
import type * as Edit from './edit.ts';
import type * as Export from './export.ts';
import type * as Import from './import.ts';
import type * as List from './list.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const editing =
  (name: keyof typeof Edit): Action =>
  async (...args) => {
    const commands: typeof Edit = await import('./edit.ts');
    return (commands[name] as Action)(...args);
  };
const listing =
  (name: keyof typeof List): Action =>
  async (...args) => {
    const commands: typeof List = await import('./list.ts');
    return (commands[name] as Action)(...args);
  };

const importing: Action = async (...args) => {
  const { importServers }: typeof Import = await import('./import.ts');
  return (importServers as Action)(...args);
};

const addHelp = `
  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c add docs https://example.com/mcp --header 'Authorization: Bearer \${input:docs_token}'
  a2c add shell '{"command": "uvx", "args": ["mcp-server-shell"]}'`;

const exporting: Action = async (...args) => {
  const { exportServers }: typeof Export = await import('./export.ts');
  return (exportServers as Action)(...args);
};
const importHelp = `
  a2c import                      what other applications have here
  a2c import cursor --dry-run     what would become of it
  a2c import ~/.codex/config.toml --yes`;

const withFile = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'the file to change (default: the config of this user)')
    .option('--json', 'one JSON document on stdout', false);

/** The commands that read or change a config, and start nothing. */
export function addConfigFile(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withFile(program.command('add'))
    .description('adds a server to the config')
    .usage('NAME [options] (-- COMMAND [ARGUMENTS] | URL | JSON)')
    .argument('<name>', 'what the server is called')
    .argument('<target...>', 'a command, a URL, or an entry as JSON')
    .option('-e, --env <KEY=value>', 'a variable of the command; may be repeated', collected)
    .option('-H, --header <Name: value>', 'a header for the URL; may be repeated', collected)
    .option('--cwd <folder>', 'the folder that the command runs in')
    .option('--sse', 'the URL speaks SSE, the older transport')
    .option('--disabled', 'add it, but do not start it')
    .option('--force', 'replace a server of this name')
    .addHelpText('after', addHelp)
    .action(does(editing('add')));
  for (const [name, does_] of [
    ['remove', 'takes a server out of the config'],
    ['enable', 'lets a disabled server start again'],
    ['disable', 'keeps a server in the config without starting it'],
  ] as const)
    withFile(program.command(name))
      .description(does_)
      .argument('<name>', 'a server of the config')
      .action(does(editing(name)));
  withFile(program.command('import'))
    .description('takes over servers of another application')
    .argument('[what]', 'an application, a file of one, or a link; without it: what is found')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('-y, --yes', 'write it without a question')
    .addHelpText('after', importHelp)
    .action(does(importing));
  program
    .command('export')
    .description('writes the servers of the config to stdout, as other applications have them')
    .option('-c, --config <file>', 'the MCP servers (default: as for all commands)')
    .option(
      '--for <app>',
      'one of the applications that a2c import names (default: mcpServers as most have it)',
    )
    .option('--secrets', 'with the values of env and headers, in the place of variables', false)
    .action(does(exporting));
  withList(program.command('list'))
    .description('lists the servers of the config, and starts none')
    .action(does(listing('list')));
  withList(program.command('get'))
    .description('shows the entry of one server, secrets hidden')
    .argument('<name>', 'a server of the config')
    .action(does(listing('get')));
}
const withList = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'the MCP servers (default: as for all commands)')
    .option('--json', 'one JSON document on stdout', false);
