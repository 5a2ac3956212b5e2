import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { withSource } from '../options.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const logs: Action = async (...args) => ((await import('./logs.ts')).logs as Action)(...args);
const doctor: Action = async (...args) => ((await import('./doctor.ts')).doctor as Action)(...args);

/** The commands that look for what is wrong. */
export function addLooking(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withSource(program.command('logs'))
    .description('starts one server and shows what it writes to stderr and logs')
    .argument('<server>', 'a server of the config')
    .option('-f, --follow', 'go on until Ctrl-C', false)
    .option('--json', 'one JSON document for each line', false)
    .action(does(logs));
  withSource(program.command('doctor'))
    .description('checks this machine, the config and every server, and says what to do')
    .option('--json', 'one JSON document on stdout', false)
    .action(does(doctor));
}
