import { Option, type Command } from 'commander';
import type { Context, VerifyOptions } from '../context.ts';
import { collected, secondsOf } from '../options.ts';

type Does = (
  action: (context: Context, ...args: never[]) => Promise<number>,
) => (...args: unknown[]) => Promise<void>;

/** Option of `a2c replay`: a recorded server is played for a client of MCP, and nothing is compared. */
export const playedServer = (): Option =>
  new Option(
    '--server <name>',
    'be this recorded server instead: MCP on stdin and stdout, its answers and its death as they were recorded',
  ).conflicts(['until', 'inputs', 'accept', 'junit', 'html', 'json']);
export const playedMatch = (): Option =>
  new Option('--match <how>', 'with --server: which requests are those that were recorded')
    .choices(['exact', 'tool'])
    .default('exact');
export const playedStrictly = (): Option =>
  new Option('--no-strict', 'with --server: answer what was not recorded as the nearest request was');

const verifyHelp = `
A hidden value is named by where it stands, such as --set arguments.pin=1234, --set env.TOKEN=… or --set input.key=…;
PATH:=JSON gives what is no text. What is needed and not given is listed, and nothing is started.

exit codes: 0 what failed is answered now · 1 it fails again, or another answer has another shape ·
5 the trace is unusable · 64 wrong usage, or --yes or --set is missing · 130 Ctrl-C`;
/** `a2c verify`. */
export const addVerify = (program: Command, does: Does): Command =>
  program
    .command('verify')
    .description(
      'sends a real server the recorded requests up to the one that failed: red while it fails again',
    )
    .argument('<file>', 'a trace')
    .argument('[command...]', 'behind --: the server to ask (default: that of the recorded config)')
    .option('--server <name>', 'a recorded server (default: the one whose failure was recorded)')
    .option('--set <path=value>', 'a value that the trace hides; may be repeated', collected, [])
    .option('--yes', 'also call tools that are not marked read-only', false)
    .option('--exact', 'compare other answers by value, not by shape', false)
    .option('--timeout <seconds>', 'for each request that did not fail by time', secondsOf, 60)
    .option('--json', 'one JSON document on stdout', false)
    .addHelpText('after', verifyHelp)
    .action(
      does(async (context: Context, file: string, command: string[], options: VerifyOptions) => {
        if (!context.laboratory) throw new Error('verify belongs to the command a2c');
        return (await context.laboratory()).verifyServer(context, file, command, options);
      }),
    );
