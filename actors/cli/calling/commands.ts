import type { Command } from 'commander';
import type { Context } from '../context.ts';
import {
  modelFormatOption,
  saveOption,
  withCallOptions,
  withJson,
  withPeer,
  withSource,
} from '../options.ts';

type Action = (context: Context, ...args: never[]) => Promise<number>;
/** Loaded once one of them is typed. */
const call: Action = async (...args) => ((await import('./call.ts')).call as Action)(...args);
const tools: Action = async (...args) => ((await import('../listing/tools.ts')).tools as Action)(...args);

const resources: Action = async (...args) =>
  ((await import('../listing/resources.ts')).resources as Action)(...args);
const prompts: Action = async (...args) =>
  ((await import('../listing/prompts.ts')).prompts as Action)(...args);
const prompt: Action = async (...args) => ((await import('../listing/prompts.ts')).prompt as Action)(...args);

const promptHelp = `
  a2c prompt review code="$(cat main.ts)"
  a2c prompt files.summary path=README.md`;
const callHelp = `
Only the server that has the tool is started, once its tools were listed in an earlier run.
  a2c call read_file path=README.md head=5
  a2c call files.read_file '{"path": "README.md"}'
  echo '{"path": "README.md"}' | a2c call files read_file -`;

/** The commands of tools, resources and prompts. */
export function addCalling(
  program: Command,
  does: (action: Action) => (...args: unknown[]) => Promise<void>,
): void {
  withPeer(withSource(program.command('tools')))
    .description('lists what can be called; of one tool, how')
    .argument('[name]', 'a server, or a tool')
    .addOption(modelFormatOption())
    .action(does(tools));
  withCallOptions(withPeer(withSource(program.command('call'))))
    .description('calls one tool; a person who types it has confirmed it')
    .usage('TOOL | SERVER.TOOL | SERVER TOOL [arguments] [options]')
    .argument('<tool>', 'its name, or SERVER.TOOL')
    .argument('[arguments...]', 'key=value, key:=json, a JSON object, @file, - for stdin')
    .addOption(saveOption())
    .addHelpText('after', callHelp)
    .action(does(call));
  withJson(withSource(program.command('resources')))
    .description('lists the resources and templates of each server, and how one is read')
    .argument('[server]', 'this one alone')
    .action(does(resources));
  withJson(withSource(program.command('prompts')))
    .description('lists the prompts of each server, with their arguments')
    .argument('[server]', 'this one alone')
    .action(does(prompts));
  withJson(withSource(program.command('prompt')))
    .description('gets one prompt, filled in by its server')
    .usage('PROMPT | SERVER.PROMPT | SERVER PROMPT [arguments] [options]')
    .argument('<prompt>', 'its name, or SERVER.PROMPT')
    .argument('[arguments...]', 'key=value, a JSON object, @file, - for stdin')
    .addOption(saveOption())
    .addHelpText('after', promptHelp)
    .action(does(prompt));
}
