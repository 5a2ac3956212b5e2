import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Help, type Command, type HelpConfiguration } from 'commander';

/** Layout of all help texts: at most 100 columns, lines broken between words, options in groups. */

const widest = 100;
const whenUnknown = 80;
/** Returns the width of help texts: that of the terminal up to a limit. A pipe has no width of its own. */
export const helpWidth = (columns: number | undefined): number => Math.min(widest, columns || whenUnknown);
/** Headings of option groups that come first; others follow. */
const firstGroups = ['Options:', 'Servers:'];

/** Examples at the top of `a2c --help`. */
export const firstExamples = `a2c: MCP servers at the command line, and for remote agents

  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c tools files
  a2c call files.read_file path=README.md
`;
/** Returns the folder of this package that has the docs; undefined where they are not beside the code, as in a bundle. */
function docsFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let up = 0; up < 4; up += 1) {
    if (existsSync(join(folder, 'docs', 'cli.md'))) return folder;
    folder = dirname(folder);
  }
  return undefined;
}
/** Returns a line that says where the pages named in a help text are. */
function placeOfDocs(text: string): string {
  const folder = /\bdocs\/[\w-]+\.md/.test(text) ? docsFolder() : undefined;
  return folder === undefined ? '' : `\ndocs/ is in ${folder}\n`;
}
type Grouped = Parameters<Help['groupItems']>[0];
/** Sets the layout of help for a program and its commands; called before they are added. */
export const withHelp = (program: Command): Command =>
  program.configureHelp({
    minWidthToWrap: 24,
    // Shows commands without their arguments in a list of commands, so that their descriptions have more room.
    subcommandTerm: (command) => command.name(),
    groupItems(all: Grouped, visible: Grouped, groupOf: (item: Grouped[number]) => string) {
      const groups = Help.prototype.groupItems(all, visible, groupOf);
      const first = firstGroups.flatMap((name) =>
        groups.has(name) ? [[name, groups.get(name) ?? []] as const] : [],
      );
      return new Map([...first, ...groups]);
    },
    optionDescription: (option) =>
      Help.prototype.optionDescription.call(Help.prototype, option).replace(' (default: false)', ''),
    formatHelp(command, helper) {
      const text = Help.prototype.formatHelp.call(helper, command, helper);
      return text + placeOfDocs(text);
    },
  } as HelpConfiguration);

/** Breaks the lines of a help text that are too long between words; examples, which are indented, stay whole. */
export const inWidth = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => {
      if (line.length <= width || line.startsWith('  ')) return line;
      return line.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'gu'), '$1\n').trimEnd();
    })
    .join('\n');
