import { Command, CommanderError, Option } from 'commander';
import { version } from '../version.ts';
import { addLaboratory } from './laboratory.ts';
import { computerOnly, officeOnly, status, up } from './long-running.ts';
import { call, tools } from './one-shot.ts';
import {
  errorOf,
  exitCodes,
  portOf,
  secondsOf,
  showFailure,
  wholeOf,
  withRecording,
  withServerOptions,
  withSource,
  type Context,
} from './shared.ts';
import { schema } from './source.ts';
import { desktop, finder, read } from './systems.ts';

const officeOption = () => new Option('--office <id>', 'id of the office').default('local');
const portOption = (text: string) => new Option('-p, --port <port>', text).argParser(portOf);
const hostOption = () => new Option('--host <address>', 'address to listen on').default('127.0.0.1');
const confirmOption = () =>
  new Option('--confirm <how>', 'calls of tools that do not apply by themselves')
    .choices(['ask', 'allow', 'deny'])
    .default('ask');
const withPeer = (command: Command): Command =>
  command
    .option('--url <url>', 'ask a running office, as its agent, instead of starting the servers here')
    .addOption(officeOption())
    .option('--computer <name>', 'which computer of that office (default: the only one)')
    .option('--json', 'one JSON document on stdout', false);

const withLocal = (command: Command): Command =>
  withSource(command).option('--json', 'one JSON document on stdout', false);

type Action = (context: Context, ...args: never[]) => Promise<number>;

/** The command line: words → one function of cli/. Returns the exit code. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  let code: number = exitCodes.done;
  const does =
    (action: Action) =>
    async (...args: unknown[]): Promise<void> => {
      // Commander appends the command itself.
      code = await action(context, ...(args.slice(0, -1) as never[]));
    };
  const program = new Command('a2c')
    .description('MCP servers for remote agents, every part of them a state machine you can watch.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text.trimEnd()),
      writeErr: (text) => context.terminal.err(text.trimEnd()),
    })
    .showHelpAfterError('(a2c --help tells more)');
  withServerOptions(program.command('up'))
    .description('office, computer and prompt in one process')
    .addOption(portOption('port of the office (default: 3000, or the next free one)'))
    .addOption(hostOption())
    .addOption(officeOption())
    .addOption(confirmOption())
    .action(does(up));
  withRecording(program.command('office'))
    .description('the Socket.IO server where one agent and many computers meet')
    .addOption(portOption('port (default: 3000)'))
    .addOption(hostOption())
    .action(does(officeOnly));
  withServerOptions(program.command('computer'))
    .description('hosts MCP servers and takes a seat in an office')
    .requiredOption('--url <url>', 'the office, such as http://127.0.0.1:3000')
    .addOption(officeOption())
    .addOption(confirmOption())
    .action(does(computerOnly));
  withServerOptions(program.command('status'))
    .description('starts the servers and tells where each stands')
    .option('--tree', 'every machine: its state, since when, its next timer', false)
    .option('--json', 'one JSON document on stdout', false)
    .addOption(confirmOption())
    .action(does(status));
  withPeer(withSource(program.command('tools')))
    .description('lists what can be called')
    .action(does(tools));
  withPeer(withSource(program.command('call')))
    .description('calls one tool; who types it has thereby confirmed it')
    .argument('<tool>', 'its name')
    .argument('[json]', 'its parameters, a JSON object', '{}')
    .option('-t, --timeout <seconds>', 'limit of the call, 0 = none (default: 60)', secondsOf)
    .action(does(call));
  withLocal(program.command('desktop'))
    .description('shows the windows of all servers')
    .option('--size <n>', 'at most so many; 0 = none (default: all)', wholeOf)
    .option('--window <uri>', 'the one window of this URI')
    .action(does(desktop));
  withLocal(program.command('finder'))
    .description('lists the documents of all servers')
    .option('--keyword <word...>', 'one of them stands in the title, the keywords or the summary')
    .option('--type <ext>', 'of exactly this type, such as pdf')
    .option('--offset <n>', 'so many are passed over (default: 0)', wholeOf)
    .option('--limit <n>', 'so many are given, at most 100 (default: 20)', wholeOf)
    .action(does(finder));
  withLocal(program.command('read'))
    .description('reads a window, a document, a page or an element')
    .argument('<uri>', 'window://… or dpe://…, as desktop and finder show them')
    .action(does(read));
  program.command('schema').description('the JSON Schema of config files').action(does(schema));
  addLaboratory(program, does);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    const asJson = argv.includes('--json');
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      // Its text is on stderr already.
      if (asJson) showFailure(context, { code: 400, message: error.message }, true);
      return exitCodes.usage;
    }
    showFailure(context, errorOf(error), asJson);
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
}
