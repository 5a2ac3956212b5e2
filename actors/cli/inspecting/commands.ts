import type { Command } from 'commander';
import type { Context } from '../context.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once it is typed. */
const inspect: Action = async (...args) => ((await import('./inspect.ts')).inspect as Action)(...args);

/** The command that finds what can be looked at. */
export function addInspecting(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  program
    .command('inspect')
    .description('the hosts of yours that can be looked at in a browser now; opens the page of the only one')
    .argument('[host]', 'the name or the pid of one of them')
    .option('--no-browser', 'show the address, and open no browser')
    .option('--json', 'one JSON document on stdout', false)
    .action(does(inspect));
}
