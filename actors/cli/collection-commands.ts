import { Option, type Command } from 'commander';
import { portOf, saveOption, wholeOf, withPeer, withSource } from './options.ts';
import type { Context } from './context.ts';
import type * as Collections from './collections.ts';
import type * as Documents from './documents.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const collections =
  (name: 'desktop' | 'finder' | 'read'): Action =>
  async (...args) => {
    const commands: typeof Collections = await import('./collections.ts');
    return (commands[name] as Action)(...args);
  };

const documents: Action = async (...args) => {
  const commands: typeof Documents = await import('./documents.ts');
  return (commands.documents as Action)(...args);
};
const folderOption = (): Option =>
  new Option('--folder <dir>', 'the documents of this folder, in place of the servers of a config').conflicts(
    ['config', 'url'],
  );

/** The commands of Desktop and Finder, and the server that has something for both. */
export function addCollections(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withPeer(withSource(program.command('desktop')))
    .description('shows the windows of all servers')
    .addOption(folderOption())
    .option('--size <n>', 'at most so many; 0 = none (default: all)', wholeOf)
    .option('--window <uri>', 'the one window of this URI')
    .option('--fresh', 'ask the servers anew, instead of what is known')
    .action(does(collections('desktop')));
  withPeer(withSource(program.command('finder')))
    .description('lists the documents of all servers')
    .addOption(folderOption())
    .option('--keyword <word...>', 'one of them stands in the title, the keywords or the summary')
    .option('--type <ext>', 'of exactly this type, such as pdf')
    .option('--offset <n>', 'so many are passed over (default: 0)', wholeOf)
    .option('--limit <n>', 'so many are given, at most 100 (default: 20)', wholeOf)
    .option('--fresh', 'ask the servers anew, instead of what is known')
    .action(does(collections('finder')));
  withPeer(withSource(program.command('read')))
    .description('reads a window, a document, a page, an element, or any resource')
    .argument(
      '<uri>',
      'window://… or dpe://…, as desktop and finder show them, or any that a2c resources lists',
    )
    .addOption(folderOption())
    .option('--server <name>', 'the one server that is asked, where several have it')
    .addOption(saveOption())
    .action(does(collections('read')));
  program
    .command('documents')
    .description('an MCP server over the files of folders: documents, windows, search (docs/documents.md)')
    .argument('[folder...]', 'folders to serve (default: this one)')
    .option('--port <port>', 'streamable HTTP on 127.0.0.1, in place of stdio; 0 takes any free one', portOf)
    .option(
      '--token <token>',
      'what clients over HTTP must show (default: one that is drawn, and told on stdout)',
    )
    .option('--no-token', 'whoever reaches the port may read')
    .option('--host <name>', 'host of the dpe:// and window:// URIs', 'documents')
    .option('--no-watch', 'do not look for changes')
    .action(does(documents));
}
