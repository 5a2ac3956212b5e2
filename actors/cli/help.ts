import { Help, type Command, type HelpConfiguration } from 'commander';

const widest = 100;
const whenUnknown = 80;
export const helpWidth = (columns: number | undefined): number => Math.min(widest, columns || whenUnknown);
const firstGroups = ['Options:', 'Servers:'];

export const firstExamples = `a2c: MCP servers at the command line, and for remote agents

  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c tools files
  a2c call files.read path=README.md
`;
type Grouped = Parameters<Help['groupItems']>[0];
/** Called before the commands are added. */
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
  } as HelpConfiguration);

/** Examples, which are indented, stay whole. */
export const inWidth = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => {
      if (line.length <= width || line.startsWith('  ')) return line;
      return line.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'gu'), '$1\n').trimEnd();
    })
    .join('\n');
