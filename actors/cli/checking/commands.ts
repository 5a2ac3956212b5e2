import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from '../context.ts';
import { secondsOf, withSource } from '../options.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once it is typed. */
const check: Action = async (...args) => ((await import('./check.ts')).check as Action)(...args);

const limitOf = (text: string): number => {
  const seconds = secondsOf(text);
  if (seconds > 0 && seconds <= 20) return seconds;
  throw new InvalidArgumentError('a number of seconds above 0, at most 20');
};

/** For authors of servers. */
export function addChecking(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withSource(program.command('check'))
    .description(
      'reads all windows and documents of a server, and says what breaks a rule (docs/windows-and-documents.md)',
    )
    .argument('<server>', 'a server of the config, a URL, or a command')
    .argument('[args...]', 'arguments of the command; options of its own behind --')
    .option('--limit <seconds>', 'what one read may take', limitOf, 8)
    .option('--wait <seconds>', 'wait so long for changes, then read all again; 0: read once', secondsOf, 2)
    .option('--json', 'one JSON document on stdout', false)
    .action(does(check));
}
