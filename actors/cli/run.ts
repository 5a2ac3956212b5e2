import { Command, CommanderError, Option } from 'commander';
import { version } from '../version.ts';
import { addLaboratory } from './laboratory.ts';
import type * as LongRunning from './long-running.ts';
import {
  officeOption,
  portOf,
  tokenOption,
  withEntry,
  withInspector,
  withLimits,
  withRecording,
  withServerOptions,
  withWatchOptions,
} from './options.ts';
import { errorOf, showFailure } from './printing/show-failure.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import type { Context } from './context.ts';
import { addCalling } from './calling/commands.ts';
import { addConfigFile } from './config-file/commands.ts';
import { addLogin } from './login/commands.ts';
import { addInspecting } from './inspecting/commands.ts';
import { addChecking } from './checking/commands.ts';
import { addLooking } from './looking/commands.ts';
import { addCollections } from './collection-commands.ts';

const portOption = (text: string) => new Option('-p, --port <port>', text).argParser(portOf);
const hostOption = () => new Option('--host <address>', 'address to listen on').default('127.0.0.1');
const confirmOption = () =>
  new Option('--confirm <how>', 'calls of tools that do not apply by themselves')
    .choices(['ask', 'allow', 'deny'])
    .default('ask');
type Action = (context: Context, ...args: never[]) => Promise<number>;

/** What a command needs is loaded once that command is typed, so that nobody waits for sockets to read a help text. */
const longRunning =
  (name: 'computerOnly' | 'status' | 'up'): Action =>
  async (...args) => {
    const commands: typeof LongRunning = await import('./long-running.ts');
    return (commands[name] as Action)(...args);
  };
const officeOnly: Action = async (...args) =>
  ((await import('./office/office.ts')).officeOnly as Action)(...args);
const schema: Action = async (context) => (await import('./source.ts')).schema(context);

/** Where the texts go that need no command: help, the version, what was typed wrong. */
export interface Start {
  out(text: string): void;
  err(text: string): void;
  /** Asked for once a command runs, or a failure is told. */
  context(): Promise<Context>;
}
/** Commands of one subject each, in the order of the help text. */
const groups = [addInspecting, addCalling, addLogin, addConfigFile, addLooking, addChecking, addCollections];
/** The command line: words → one function of cli/. Returns the exit code. */
export function run(argv: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  return begin(argv, {
    out: (text) => terminal.outText(text),
    err: (text) => terminal.errText(text),
    context: () => Promise.resolve(context),
  });
}
/** The same where even the terminal is not there yet. */
export async function begin(argv: readonly string[], start: Start): Promise<number> {
  let code: number = exitCodes.done;
  const does =
    (action: Action) =>
    async (...args: unknown[]): Promise<void> => {
      // Commander appends the command itself.
      code = await action(await start.context(), ...(args.slice(0, -1) as never[]));
    };
  const program = new Command('a2c')
    .description('MCP servers for remote agents, every part of them a state machine you can watch.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => start.out(text.trimEnd()),
      writeErr: (text) => start.err(text.trimEnd()),
    })
    .showHelpAfterError('(a2c --help tells more)');
  withEntry(withServerOptions(program.command('up')))
    .description('office, computer and prompt in one process')
    .addOption(portOption('port of the office (default: 3000, or the next free one)'))
    .addOption(hostOption())
    .addOption(officeOption())
    .addOption(confirmOption())
    .action(does(longRunning('up')));
  withLimits(withEntry(withInspector(withRecording(program.command('office')))))
    .description('the Socket.IO server where one agent and many computers meet')
    .addOption(portOption('port (default: 3000)'))
    .addOption(hostOption())
    .option(
      '--require-version',
      'let nobody in who does not say which version of the protocol it speaks; agents of ours do not',
      false,
    )
    .action(does(officeOnly));
  withServerOptions(program.command('computer'))
    .description('hosts MCP servers and takes a seat in an office')
    .requiredOption('--url <url>', 'the office, such as http://127.0.0.1:3000')
    .addOption(officeOption())
    .addOption(tokenOption())
    .addOption(confirmOption())
    .action(does(longRunning('computerOnly')));
  withWatchOptions(program.command('status'))
    .description('starts the servers and tells where each stands')
    .option('-w, --watch', 'keep it on the screen until Ctrl-C', false)
    .option('--tree', 'every machine: its state, since when, its next timer', false)
    .option('--json', 'one JSON document on stdout', false)
    .action(does(longRunning('status')));
  for (const add of groups) add(program, does);
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
      if (asJson) showFailure(await start.context(), { code: 400, message: error.message }, true);
      return exitCodes.usage;
    }
    const context = await start.context();
    showFailure(context, errorOf(error), asJson);
    return exitCodeOf(context.signal, false);
  }
}
