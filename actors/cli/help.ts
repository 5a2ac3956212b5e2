import { Help, type Command, type HelpConfiguration } from 'commander';
import { columnsOf } from '../../adapters/terminal/typed-line.ts';
import { daily, words } from './words.ts';

const widest = 100;
const whenUnknown = 80;
export const helpWidth = (columns: number | undefined): number => Math.min(widest, columns || whenUnknown);

/** Such as `trace show`. */
export const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const examples = `a2c: MCP servers at the command line, and for remote agents
  a2c add files -- npx -y @modelcontextprotocol/server-filesystem .
  a2c tools files
  a2c call files.read_file path=README.md`;
function wrapped(names: readonly string[], width: number): string {
  const lines = [''];
  for (const name of names) {
    const line = `${lines.at(-1)} ${name}`;
    if (columnsOf(line) + 1 > width) lines.push(` ${name}`);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => ` ${line}`).join('\n');
}
/** One screen: the commands of every day with what they do, of the others the names. */
function mainHelp(program: Command, width: number): string {
  const others = program.commands.filter((command) => !daily.some((name) => name === command.name()));
  const nouns = others.filter(({ commands }) => commands.length > 0);
  const names = others.filter(({ commands }) => commands.length === 0).map((command) => command.name());
  const behind = nouns.map((noun) => `${noun.name()} ${noun.commands.map((each) => each.name()).join('|')}`);
  return [
    examples,
    'Usage: a2c COMMAND [options]',
    ...daily.map((name) => `  ${name.padEnd(6)}  ${words[name]}`),
    'More: (a2c help COMMAND tells all of one; a2c help options those of many)',
    wrapped([...names, ...behind], width),
  ].join('\n');
}
/** Called before the commands are added. */
export const withHelp = (program: Command): Command =>
  program.configureHelp({
    minWidthToWrap: 24,
    formatHelp(command: Command, helper: Help) {
      if (command === program) return mainHelp(command, helper.helpWidth ?? whenUnknown);
      const own = Help.prototype.formatHelp.call(helper, command, helper);
      const more = command.options.some(({ hidden }) => hidden)
        ? '\nOptions of many commands: a2c help options\n'
        : '';
      return own + more;
    },
    // Shows commands without their arguments in a list of commands, so that their descriptions have more room.
    subcommandTerm: (command) => command.name(),
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
