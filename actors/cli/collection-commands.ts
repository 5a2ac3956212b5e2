import type { Command } from 'commander';
import { wholeOf, withPeer, withSource } from './options.ts';
import type { Context } from './context.ts';
import type * as Collections from './collections.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const collections =
  (name: 'desktop' | 'finder' | 'read'): Action =>
  async (...args) => {
    const commands: typeof Collections = await import('./collections.ts');
    return (commands[name] as Action)(...args);
  };

/** The commands of Desktop and Finder. */
export function addCollections(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withPeer(withSource(program.command('desktop')))
    .description('shows the windows of all servers')
    .option('--size <n>', 'at most so many; 0 = none (default: all)', wholeOf)
    .option('--window <uri>', 'the one window of this URI')
    .option('--fresh', 'ask the servers anew, instead of what is known')
    .action(does(collections('desktop')));
  withPeer(withSource(program.command('finder')))
    .description('lists the documents of all servers')
    .option('--keyword <word...>', 'one of them stands in the title, the keywords or the summary')
    .option('--type <ext>', 'of exactly this type, such as pdf')
    .option('--offset <n>', 'so many are passed over (default: 0)', wholeOf)
    .option('--limit <n>', 'so many are given, at most 100 (default: 20)', wholeOf)
    .option('--fresh', 'ask the servers anew, instead of what is known')
    .action(does(collections('finder')));
  withPeer(withSource(program.command('read')))
    .description('reads a window, a document, a page or an element')
    .argument('<uri>', 'window://… or dpe://…, as desktop and finder show them')
    .option('--server <name>', 'the one server that is asked, where several have it')
    .action(does(collections('read')));
}
