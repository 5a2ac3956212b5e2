/** Entry of the command: declares the commands of every day, runs one, and tells mistakes. */
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { failureOf } from '../kernel/errors.ts';
import { callUsage } from './arguments.ts';
import { Command, CommanderError } from 'commander';
import type { Action, CommandContext, ActionMaker } from './context.ts';
import { exitCodeOf, exitCodes, failedCode } from './exit-codes.ts';
import { inWidth, pathOf, withHelp } from './help.ts';
import { helpWidth } from './main-help.ts';
import {
  folderOption,
  ofAdd,
  ofCall,
  ofCollections,
  ofExport,
  ofKeep,
  ofLogin,
  ofLogs,
  ofStatus,
  ofWriting,
  saveOption,
  withEntryWords,
  withFile,
  withJson,
  withList,
  withOptions,
  withPeer,
  withSource,
} from './options.ts';
import type { SameServers } from './printing/hints.ts';
import { version } from '../../machines/version.ts';
import { ownCommand, typedInShell } from '../../adapters/optional-packages.ts';
import { splitServer, withServer } from './typed-server.ts';
import { asToday, words as about } from './words.ts';

interface Start {
  out(text: string): void;
  err(text: string): void;
  readonly columns?: number | undefined;
  /** Only once a command runs or a failure is printed. */
  context(): Promise<CommandContext>;
}
export function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  return begin(argv, {
    out: (text) => terminal.outText(text),
    err: (text) => terminal.errText(text),
    context: () => Promise.resolve(context),
  });
}
function programFor(start: Start): Command {
  const width = helpWidth(start.columns);
  return withHelp(new Command('a2c'))
    .usage('COMMAND [options]')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => start.out(inWidth(text.replace(/\n$/, ''), width)),
      writeErr: (text) => start.err(text.trimEnd()),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .helpCommand(false)
    .showHelpAfterError(`(${typedInShell([...ownCommand(), 'help'])} tells more)`);
}
/** Loads the commands of other files only when none of these was typed. */
async function addCommands(program: Command, name: string | undefined, does: ActionMaker): Promise<void> {
  for (const add of [addCalling, addCollections, addKeeping, addLogin, addConfigFile, addLooking])
    add(program, does);
  if (program.commands.some((command) => command.name() === name)) return;
  const others = await Promise.all([import('./laboratory.ts'), import('./hosting.ts')]);
  for (const { addTo } of others) addTo(program, does);
}
/** A usage mistake names the help of its command. */
function tellUsage(command: Command): void {
  const path = pathOf(command);
  const help = typedInShell([...ownCommand(), 'help', ...path.split(' ')]);
  const behind =
    path === 'add' ? '\nOptions of the added command stand behind --: a2c add NAME -- COMMAND --flag' : '';
  command.showHelpAfterError(`Usage: a2c ${path} ${command.usage()}\n(${help} tells more)${behind}`);
  for (const each of command.commands) tellUsage(each);
}
/** Before the terminal is created, so that help and usage mistakes need none. */
export async function begin(given: readonly string[], start: Start): Promise<number> {
  const argv = asToday(given);
  let code: number = exitCodes.done;
  let server: readonly string[] | undefined;
  let options: SameServers = {};
  const does: ActionMaker =
    (load, name) =>
    async (...words: unknown[]): Promise<void> => {
      const context = await start.context();
      const commands = (await load(context)) as Readonly<Record<typeof name, Action>>;
      // Separates the options and the command itself, which Commander appends to the arguments.
      const [own, command] = words.slice(-2) as [Record<string, unknown>, Command];
      const all = withServer(command.name(), words.slice(0, -2), own, server);
      options = all.at(-1) as SameServers;
      code = await commands[name](context, ...(all as never[]));
    };
  const program = programFor(start);
  try {
    await addCommands(program, argv[0], does);
    if (argv[0] === 'options' && argv.length === 2) return await showOptions(program);
    for (const command of program.commands) tellUsage(command);
    const split = splitServer(argv);
    server = split.server;
    await program.parseAsync([...mustBeKnown(program, split.own)], { from: 'user' });
    return code;
  } catch (error) {
    const asJson = argv.includes('--json');
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      // Prints the mistake only as JSON, because Commander has written its text to stderr already.
      if (asJson) await showFailed(start, { code: wireCodes.badRequest, message: error.message }, true);
      return exitCodes.usage;
    }
    const { adviceAt } = await import('./printing/hints.ts');
    const { signal } = await showFailed(start, adviceAt(options, failureOf(error)), asJson);
    return exitCodeOf(signal, failedCode(argv[0]));
  }
}
/** `a2c help` of a word that is no command is a mistake, and not the help of all. */
const mustBeKnown = (program: Command, argv: readonly string[]): readonly string[] =>
  argv[0] === undefined || argv[0].startsWith('-') || program.commands.some((c) => c.name() === argv[0])
    ? argv
    : argv.slice(0, 1);
async function showOptions(program: Command): Promise<number> {
  const { sharedOptions } = await import('./hosting.ts');
  sharedOptions(
    program.createCommand('a2c').copyInheritedSettings(program).usage('COMMAND [options]').helpOption(false),
  ).outputHelp();
  return exitCodes.done;
}
/** The code for failures is loaded here, because help and version need none of it. */
async function showFailed(start: Start, failure: Failure, asJson: boolean): Promise<CommandContext> {
  const [context, { showFailure }] = await Promise.all([start.context(), import('./printing/failures.ts')]);
  showFailure(context, failure, asJson);
  return context;
}

const promptHelp = `
  a2c prompt review code="$(cat main.ts)"
  a2c prompt files.summary path=README.md`;
const callHelp = `
Only the server that has the tool is started, once its tools were listed in an earlier run. A server needs no config:
  a2c call https://example.com/mcp find text=hi -H 'Authorization: Bearer …'
  a2c call read_file path=a.md -- npx -y some-server .
  a2c call read path=README.md lines=5
  a2c call files.read '{"path": "README.md"}'
  a2c call --url http://127.0.0.1:3000 convert file@=report.pdf
  echo '{"path": "README.md"}' | a2c call files.read -`;
function addCalling(program: Command, does: ActionMaker): void {
  withPeer(withSource(program.command('tools')))
    .description(about.tools)
    .argument('[server|tool]', 'a server, or a tool; a URL is a server, too')
    .argument('[tool]', 'a tool of that server')
    .action(does(() => import('./listing.ts'), 'tools'));
  withOptions(withPeer(withSource(program.command('call'))), ofCall())
    .description(`${about.call}; who types it has confirmed it`)
    .usage(callUsage)
    .argument('<tool>', 'its name, or SERVER.TOOL')
    .argument(
      '[arguments...]',
      'key=value, key:=json, key=@file (its text; @- of stdin), key@=file, --key value, values in the order of the schema, a JSON object, @file, - for stdin',
    )
    .allowUnknownOption()
    .addHelpText('after', callHelp)
    .action(does(() => import('./call.ts'), 'call'));
  withJson(withSource(program.command('resources')))
    .description('lists the resources and templates of each server, and how one is read')
    .argument('[server]', 'this one alone')
    .action(does(() => import('./listing.ts'), 'resources'));
  withJson(withSource(program.command('prompts')))
    .description('lists the prompts of each server, with their arguments')
    .argument('[server]', 'this one alone')
    .action(does(() => import('./listing.ts'), 'prompts'));
  withJson(withSource(program.command('prompt')))
    .description('gets one prompt, filled in by its server')
    .usage('PROMPT | SERVER.PROMPT | SERVER PROMPT [arguments] [options]')
    .argument('<prompt>', 'its name, or SERVER.PROMPT')
    .argument('[arguments...]', 'key=value, a JSON object, @file, - for stdin')
    .addOption(saveOption())
    .addHelpText('after', promptHelp)
    .action(does(() => import('./listing.ts'), 'prompt'));
}

function addLogin(program: Command, does: ActionMaker): void {
  withOptions(withJson(withSource(program.command('login'))), ofLogin())
    .description(`${about.login}; other commands use the login (docs/login.md)`)
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./login.ts'), 'login'));
  withJson(withSource(program.command('logout')))
    .description('forgets the login to a server, and revokes it where the server lets one')
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./login.ts'), 'logout'));
}

const addHelp = `
  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c add docs https://example.com/mcp -H 'Authorization: Bearer \${input:token}'
  a2c add shell '{"command": "uvx", "args": ["mcp-server-shell"]}'
A line for another client works behind a2c: a2c claude mcp add --transport http docs https://example.com/mcp`;
const importHelp = `
  a2c import                      what other applications have here
  a2c import cursor --dry-run     what would become of it
  a2c import ~/.codex/config.toml --yes`;
function addConfigFile(program: Command, does: ActionMaker): void {
  withOptions(withEntryWords(withFile(program.command('add'))), ofAdd())
    .description(about.add)
    .usage('NAME [options] (-- COMMAND [ARGUMENTS] | URL | JSON)')
    .argument('<name>', 'what the server is called')
    .argument('<target...>', 'a command, a URL, or an entry as JSON')
    .addHelpText('after', addHelp)
    .action(does(() => import('./config-file.ts'), 'add'));
  for (const name of ['remove', 'enable', 'disable'] as const)
    withFile(program.command(name))
      .description(about[name])
      .argument('<server>', 'a server of the config')
      .action(does(() => import('./config-file.ts'), name));
  withOptions(withFile(program.command('import')), ofWriting())
    .description(about.import)
    .argument('[app|file]', 'an application, a file of one, or a link; without it: what is found')
    .addHelpText('after', importHelp)
    .action(does(() => import('./config-file.ts'), 'importServers'));
  withOptions(program.command('export'), ofExport())
    .description('writes the servers of the config to stdout, as other applications have them')
    .action(does(() => import('./config-file.ts'), 'exportServers'));
  withList(program.command('list'))
    .description(`${about.list}; starts none`)
    .action(does(() => import('./config-file.ts'), 'list'));
  withList(program.command('get'))
    .description('shows the entry of one server, secrets hidden')
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./config-file.ts'), 'get'));
}

function addLooking(program: Command, does: ActionMaker): void {
  withOptions(withJson(withSource(program.command('status'))), ofStatus())
    .description(about.status)
    .argument('[server]', 'this one alone')
    .action(does(() => import('./looking.ts'), 'status'));
  withOptions(withSource(program.command('logs')), ofLogs())
    .description(about.logs)
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./looking.ts'), 'logs'));
  withJson(withSource(program.command('doctor')))
    .description('checks this machine, the config and every server, and says what to do')
    .action(does(() => import('./looking.ts'), 'doctor'));
}

function addCollections(program: Command, does: ActionMaker): void {
  const command = (name: 'desktop' | 'finder' | 'read'): Command =>
    withOptions(withPeer(withSource(program.command(name))), [
      folderOption(),
      ...ofCollections[name](),
    ]).description(about[name]);
  command('desktop').action(does(() => import('./collections.ts'), 'desktop'));
  command('finder').action(does(() => import('./collections.ts'), 'finder'));
  command('read')
    .argument(
      '<uri>',
      'window://… or dpe://…, as desktop and finder show them, or any that a2c resources lists',
    )
    .action(does(() => import('./collections.ts'), 'read'));
  withPeer(withSource(program.command('skills')))
    .description('lists the skills of the folders of the config (docs/skills.md)')
    .action(does(() => import('./collections.ts'), 'skills'));
  withOptions(withPeer(withSource(program.command('skill'))), ofCollections.skill())
    .description('prints one file of a skill')
    .argument('<name>', 'the name of the skill, as a2c skills shows it')
    .action(does(() => import('./collections.ts'), 'skill'));
}

function addKeeping(program: Command, does: ActionMaker): void {
  withOptions(withSource(program.command('keep')), ofKeep())
    .description(
      'keeps a server for a2c call until it was not called for a while; keepAlive does so by itself',
    )
    .argument('[server]', 'a server of the config')
    .action(does(() => import('./keep.ts'), 'keep'));
}
