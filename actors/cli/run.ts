import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { failureOf } from '../kernel/errors.ts';
import { callUsage } from './arguments.ts';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, ActionMaker } from './context.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { firstExamples, helpWidth, inWidth, withHelp } from './help.ts';
import { addLaboratory } from './laboratory.ts';
import {
  collected,
  documentLimitOption,
  documentOffsetOption,
  documentTypeOption,
  freshOption,
  readServerOption,
  officeOption,
  portOf,
  saveOption,
  secondsOf,
  tokenOption,
  wholeOf,
  withCallOptions,
  withEntry,
  withInspector,
  withJson,
  withLimits,
  withPeer,
  withRecording,
  withServerOptions,
  withSource,
  withWatchOptions,
} from './options.ts';
import type { SameServers } from './printing/contents.ts';
import { version } from '../../machines/version.ts';
import { ownCommand, typedInShell } from '../../adapters/optional-packages.ts';
import { splitServer, withServer } from './typed-server.ts';

type Action = (context: CommandContext, ...given: never[]) => Promise<number>;
interface Start {
  out(text: string): void;
  err(text: string): void;
  readonly columns?: number | undefined;
  /** Only once a command runs or a failure is printed. */
  context(): Promise<CommandContext>;
}
const groups = {
  'Use servers:': [addCalling, addCollections, addKeeping, addServing, addGenerate, addLogin],
  'Say which servers there are:': [addConfigFile, addSchema, addCompletion],
  'Find what is wrong:': [addLooking, addChecking, addInspecting],
  'Host them for remote agents:': [addHosts, addDocuments],
  'Record and replay:': [addLaboratory],
} as const;
export function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  return begin(argv, {
    out: (text) => terminal.outText(text),
    err: (text) => terminal.errText(text),
    context: () => Promise.resolve(context),
  });
}
/** Before the terminal is created, so that help and usage mistakes need none. */
export async function begin(argv: readonly string[], start: Start): Promise<number> {
  let code: number = exitCodes.done;
  let server: readonly string[] | undefined;
  let options: SameServers = {};
  const does: ActionMaker =
    (load, name) =>
    async (...given: unknown[]): Promise<void> => {
      const context = await start.context();
      const commands = (await load(context)) as Readonly<Record<typeof name, Action>>;
      // Separates the options and the command itself, which Commander appends to the arguments.
      const [own, command] = given.slice(-2) as [Record<string, unknown>, Command];
      const words = withServer(command.name(), given.slice(0, -2), own, server);
      options = words.at(-1) as SameServers;
      code = await commands[name](context, ...(words as never[]));
    };
  const width = helpWidth(start.columns);
  const program = withHelp(new Command('a2c'))
    .usage('COMMAND [options]')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => start.out(inWidth(text.replace(/\n$/, ''), width)),
      writeErr: (text) => start.err(text.trimEnd()),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .addHelpText('before', firstExamples)
    .addHelpText('after', '\na2c COMMAND --help tells all of one command.')
    .helpCommand(false)
    .showHelpAfterError(`(${typedInShell([...ownCommand(), '--help'])} tells more)`);
  for (const [heading, adding] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const add of adding) add(program, does);
  }
  for (const command of program.commands)
    if (command.name() !== 'add')
      command.showHelpAfterError(
        `Usage: a2c ${command.name()} ${command.usage()}\n(${typedInShell([...ownCommand(), command.name(), '--help'])} tells more)`,
      );
  try {
    const split = splitServer(argv);
    server = split.server;
    await program.parseAsync([...split.own], { from: 'user' });
    return code;
  } catch (error) {
    const asJson = argv.includes('--json');
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      // Prints the mistake only as JSON, because Commander has written its text to stderr already.
      if (asJson) await showFailed(start, { code: wireCodes.badRequest, message: error.message }, true);
      return exitCodes.usage;
    }
    const { forShell } = await import('./printing/contents.ts');
    const { signal } = await showFailed(start, forShell(failureOf(error), options), asJson);
    return exitCodeOf(signal, false);
  }
}
/** The code for failures is loaded here, because help and version need none of it. */
async function showFailed(start: Start, failure: Failure, asJson: boolean): Promise<CommandContext> {
  const [context, { showFailure }] = await Promise.all([start.context(), import('./printing/failures.ts')]);
  showFailure(context, failure, asJson);
  return context;
}

const portOption = (text: string) => new Option('-p, --port <port>', text).argParser(portOf);
const hostOption = () => new Option('--host <address>', 'address to listen on').default('127.0.0.1');
const confirmOption = () =>
  new Option('--confirm <how>', 'calls of tools that do not apply by themselves')
    .choices(['ask', 'allow', 'deny'])
    .default('ask');
const landingHelp = `
Agents may put files here once the config opens a folder for them (docs/files.md):
  {"mcpServers": {…}, "a2c": {"landing": {"folder": "~/incoming"}}}
Each file is asked about, unless "autoApprove": true stands beside "folder".`;
function addHosts(program: Command, does: ActionMaker): void {
  withEntry(withServerOptions(program.command('up')))
    .description('office, computer and prompt in one process')
    .addOption(portOption('port of the office (default: 3000, or the next free one)'))
    .addOption(hostOption())
    .addOption(officeOption())
    .addOption(confirmOption())
    .addHelpText('after', landingHelp)
    .action(does(() => import('./long-running.ts'), 'up'));
  withLimits(withEntry(withInspector(withRecording(program.command('office')))))
    .description('the Socket.IO server where one agent and many computers meet')
    .addOption(portOption('port (default: 3000)'))
    .addOption(hostOption())
    .option(
      '--require-version',
      'let nobody in who does not say which version of the protocol it speaks; agents of ours do not',
      false,
    )
    .action(does(() => import('./office.ts'), 'officeOnly'));
  withServerOptions(program.command('computer'))
    .description('hosts MCP servers and takes a seat in an office')
    .requiredOption('--url <url>', 'the office, such as http://127.0.0.1:3000')
    .addOption(officeOption())
    .addOption(tokenOption())
    .addOption(confirmOption())
    .addHelpText('after', landingHelp)
    .action(does(() => import('./long-running.ts'), 'computerOnly'));
}

function addInspecting(program: Command, does: ActionMaker): void {
  program
    .command('inspect')
    .description('the hosts of yours that can be looked at in a browser now; opens the page of the only one')
    .argument('[host]', 'the name or the pid of one of them')
    .option('--all', 'one page of all of them, joined by their calls, until Ctrl-C', false)
    .option('--no-browser', 'show the address, and open no browser')
    .option('--json', 'one JSON document on stdout', false)
    .action(does(() => import('./inspect.ts'), 'inspect'));
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
    .description('lists what can be called; of one tool, how')
    .argument('[server|tool]', 'a server, or a tool; a URL is a server, too')
    .argument('[tool]', 'a tool of that server')
    .action(does(() => import('./listing.ts'), 'tools'));
  withCallOptions(withPeer(withSource(program.command('call'))))
    .description('calls one tool; a person who types it has confirmed it')
    .usage(callUsage)
    .argument('<tool>', 'its name, or SERVER.TOOL')
    .argument(
      '[arguments...]',
      'key=value, key:=json, key@=file, --key value, values in the order of the schema, a JSON object, @file, - for stdin',
    )
    .allowUnknownOption()
    .option('--alone', 'start the server for this call, also where a host of yours has it')
    .addOption(saveOption())
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

const generateHelp = `
  a2c generate client files > files.ts
  a2c generate cli -- npx -y some-server > some-server.mjs`;
function addGenerate(program: Command, does: ActionMaker): void {
  withJson(withSource(program.command('generate')))
    .description('writes code for the tools of one server to stdout: TypeScript, or a command of one file')
    .addArgument(new Argument('<what>', 'what is written').choices(['types', 'client', 'cli']))
    .argument('[server]', 'a server of the config, or a URL (default: the only one)')
    .addHelpText('after', generateHelp)
    .action(does(() => import('./generate.ts'), 'generate'));
}

function addLogin(program: Command, does: ActionMaker): void {
  withJson(withSource(program.command('login')))
    .description(
      'logs in to a server behind a URL, in a browser; other commands use the login (docs/login.md)',
    )
    .argument('<server>', 'a server of the config')
    .option('--again', 'log out first', false)
    .option('--no-browser', 'show the address, and open no browser')
    .action(does(() => import('./login.ts'), 'login'));
  withJson(withSource(program.command('logout')))
    .description('forgets the login to a server, and revokes it where the server lets one')
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./login.ts'), 'logout'));
}

const addHelp = `
  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c add docs https://example.com/mcp -H 'Authorization: Bearer \${input:token}'
  a2c add shell '{"command": "uvx", "args": ["mcp-server-shell"]}'`;
const importHelp = `
  a2c import                      what other applications have here
  a2c import cursor --dry-run     what would become of it
  a2c import ~/.codex/config.toml --yes`;
const withFile = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'the file to change (default: the config of this user)')
    .option('--json', 'one JSON document on stdout', false);
const withList = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'the MCP servers (default: as for all commands)')
    .option('--json', 'one JSON document on stdout', false);
function addConfigFile(program: Command, does: ActionMaker): void {
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
    .showHelpAfterError('(options of the command stand behind --: a2c add NAME -- COMMAND --flag)')
    .action(does(() => import('./config-file.ts'), 'add'));
  for (const [name, does_] of [
    ['remove', 'takes a server out of the config'],
    ['enable', 'lets a disabled server start again'],
    ['disable', 'keeps a server in the config without starting it'],
  ] as const)
    withFile(program.command(name))
      .description(does_)
      .argument('<server>', 'a server of the config')
      .action(does(() => import('./config-file.ts'), name));
  withFile(program.command('import'))
    .description('takes over servers of another application')
    .argument('[app|file]', 'an application, a file of one, or a link; without it: what is found')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('-y, --yes', 'write it without a question')
    .addHelpText('after', importHelp)
    .action(does(() => import('./config-file.ts'), 'importServers'));
  program
    .command('export')
    .description('writes the servers of the config to stdout, as other applications have them')
    .option('-c, --config <file>', 'the MCP servers (default: as for all commands)')
    .option(
      '--for <app>',
      'one of the applications that a2c import names (default: mcpServers as most have it)',
    )
    .option('--secrets', 'with the values of env and headers, in the place of variables', false)
    .action(does(() => import('./config-file.ts'), 'exportServers'));
  withList(program.command('list'))
    .description('lists the servers of the config, and starts none')
    .action(does(() => import('./config-file.ts'), 'list'));
  withList(program.command('get'))
    .description('shows the entry of one server, secrets hidden')
    .argument('<server>', 'a server of the config')
    .action(does(() => import('./config-file.ts'), 'get'));
}

function addLooking(program: Command, does: ActionMaker): void {
  withJson(withSource(program.command('status')))
    .description('starts the servers and tells where each stands')
    .action(does(() => import('./looking.ts'), 'status'));
  withSource(program.command('logs'))
    .description('starts one server and shows what it writes to stderr and logs')
    .argument('<server>', 'a server of the config')
    .option('-f, --follow', 'go on until Ctrl-C', false)
    .option('--json', 'one JSON document for each line', false)
    .action(does(() => import('./looking.ts'), 'logs'));
  withSource(program.command('doctor'))
    .description('checks this machine, the config and every server, and says what to do')
    .option('--json', 'one JSON document on stdout', false)
    .action(does(() => import('./looking.ts'), 'doctor'));
}

const limitOf = (text: string): number => {
  const seconds = secondsOf(text);
  if (seconds > 0 && seconds <= 20) return seconds;
  throw new InvalidArgumentError('a number of seconds above 0, at most 20');
};
function addChecking(program: Command, does: ActionMaker): void {
  withSource(program.command('check'))
    .description(
      'reads all windows and documents of a server, and says what breaks a rule (docs/windows-and-documents.md)',
    )
    .argument('<server>', 'a server of the config, a URL, or a command')
    .argument('[args...]', 'arguments of the command; options of its own behind --')
    .option('--limit <seconds>', 'what one read may take', limitOf, 8)
    .option('--wait <seconds>', 'wait so long for changes, then read all again; 0: read once', secondsOf, 2)
    .option('--json', 'one JSON document on stdout', false)
    .action(does(() => import('./check.ts'), 'check'));
}

const folderOption = (): Option =>
  new Option('--folder <dir>', 'the documents of this folder, in place of the servers of a config').conflicts(
    ['config', 'url'],
  );
function addCollections(program: Command, does: ActionMaker): void {
  withPeer(withSource(program.command('desktop')))
    .description('shows the windows of all servers')
    .addOption(folderOption())
    .option('--size <n>', 'at most so many; 0 = none (default: all)', wholeOf)
    .option('--window <uri>', 'the one window of this URI')
    .addOption(freshOption())
    .action(does(() => import('./collections.ts'), 'desktop'));
  withPeer(withSource(program.command('finder')))
    .description('lists the documents of all servers')
    .addOption(folderOption())
    .option('--keyword <word...>', 'one of them is in the title, the keywords or the summary')
    .addOption(documentTypeOption())
    .addOption(documentOffsetOption())
    .addOption(documentLimitOption(20))
    .addOption(freshOption())
    .action(does(() => import('./collections.ts'), 'finder'));
  withPeer(withSource(program.command('read')))
    .description('reads a window, a document, a page, an element, or any resource')
    .argument(
      '<uri>',
      'window://… or dpe://…, as desktop and finder show them, or any that a2c resources lists',
    )
    .addOption(folderOption())
    .addOption(readServerOption())
    .addOption(saveOption())
    .action(does(() => import('./collections.ts'), 'read'));
  withPeer(withSource(program.command('skills')))
    .description('lists the skills of the folders of the config (docs/skills.md)')
    .action(does(() => import('./collections.ts'), 'skills'));
  withPeer(withSource(program.command('skill')))
    .description('prints one file of a skill')
    .argument('<name>', 'the name of the skill, as a2c skills shows it')
    .option('--file <path>', 'another file of the skill (default: SKILL.md)')
    .action(does(() => import('./collections.ts'), 'skill'));
}

function addKeeping(program: Command, does: ActionMaker): void {
  withSource(program.command('keep'))
    .description(
      'keeps a server for a2c call until it was not called for a while; keepAlive does so by itself',
    )
    .argument('[server]', 'a server of the config')
    .option('--list', 'the hosts of yours whose servers a2c call uses')
    .option('--stop', 'end what is kept: this server, or all')
    .option('--json', 'one JSON document on stdout', false)
    .action(does(() => import('./keep.ts'), 'keep'));
}

const serveHelp = `
In the config of an MCP client, all servers of yours, or the one behind --:
  "command": "npx",
  "args": ["-y", "-p", "a2c-actors", "a2c", "serve"]
  "args": ["-y", "-p", "a2c-actors", "a2c", "serve", "--", "uvx", "some-server"]`;
function addServing(program: Command, does: ActionMaker): void {
  withInspector(withWatchOptions(program.command('serve')))
    .description('stands between an MCP client and its servers, and keeps them up (docs/serve.md)')
    .usage('[options] [URL | -- COMMAND…], or serve status|restart|install|uninstall [NAME]')
    .argument(
      '[what]',
      'a URL; status: what runs; restart: of a server; install, uninstall: in the config of an application',
    )
    .argument('[name]', 'the server, or the application or its file')
    .option('--json', 'one JSON document of status', false)
    .option('--dry-run', 'show what install would write, and write nothing')
    .option('-y, --yes', 'write it without a question')
    .option(
      '--http [port]',
      'streamable HTTP for many clients, in place of stdio (default: any free port)',
      portOf,
    )
    .addOption(hostOption())
    .addOption(tokenOption())
    .option('--url <url>', 'the tools of the computers in this office, as its agent')
    .addOption(officeOption())
    .option('--computer <name>', 'of one computer of that office alone')
    .addOption(
      new Option(
        '--confirm <how>',
        'ask the user of the client before calls that the config does not allow',
      ).choices(['elicit']),
    )
    .option('--tools', 'add the tools a2c_status and a2c_restart, for the model')
    .addHelpText('after', serveHelp)
    .action(does(() => import('./serve.ts'), 'serve'));
}

function addDocuments(program: Command, does: ActionMaker): void {
  program
    .command('documents')
    .description('an MCP server over the files of folders: documents, windows, search (docs/documents.md)')
    .argument('[folder...]', 'folders to serve (default: this one)')
    .option('--host <name>', 'host of the dpe:// and window:// URIs', 'documents')
    .option('--no-watch', 'do not look for changes')
    .action(does(() => import('./documents.ts'), 'documents'));
}

const completionHelp = `
  bash   eval "$(a2c completion bash)" in ~/.bashrc
  zsh    eval "$(a2c completion zsh)" in ~/.zshrc, behind compinit
  fish   a2c completion fish > ~/.config/fish/completions/a2c.fish`;
function addCompletion(program: Command, does: ActionMaker): void {
  program
    .command('completion')
    .description('prints what lets a shell complete commands, servers, tools and arguments by Tab')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .argument('[line]', 'complete this command line, up to the cursor, instead')
    .argument('[breaks]', 'characters at which bash begins another word')
    .addHelpText('after', completionHelp)
    .action(does(async () => (await import('./completion.ts')).completionFor(program), 'completion'));
}
function addSchema(program: Command, does: ActionMaker): void {
  program
    .command('schema')
    .description('the JSON Schema of config files')
    .action(does(() => import('./source.ts'), 'schema'));
}
