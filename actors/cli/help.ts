import { Help, type Command, type HelpConfiguration } from 'commander';
import { helpWidth, mainHelp } from './main-help.ts';

/** Such as `trace show`. */
export const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Called before the commands are added. */
export const withHelp = (program: Command): Command =>
  program.configureHelp({
    minWidthToWrap: 24,
    formatHelp(command: Command, helper: Help) {
      if (command === program) return mainHelp(helper.helpWidth ?? helpWidth(undefined));
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
