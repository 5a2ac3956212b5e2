import { readText } from '../../../adapters/index.ts';
import type { Prompt } from '../../../machines/catalog/index.ts';
import { wireCodes } from '../../../machines/protocol/index.ts';
import { nearest } from '../../../machines/text/index.ts';
import type { PromptFilled } from '../../api/computer-handle.ts';
import type { ServerPrompts } from '../../servers/server-handle.ts';
import { A2cError } from '../../kernel/errors.ts';
import { argumentsFor, readArguments } from '../calling/arguments.ts';
import { onlyServer } from '../calling/needed.ts';
import { targetIn } from '../calling/target.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, orClosed } from '../exit-codes.ts';
import { withComputer, type OneShotOptions } from '../one-shot.ts';
import { inOneLine } from '../printing/answers-collections.ts';
import { listedLine, rowsOf, typed } from '../printing/commands-shown.ts';
import { itemText } from '../printing/contents.ts';
import { saved, type SaveOptions } from '../printing/saving.ts';
import { configOf } from '../source.ts';
import { listOfServers } from './of-servers.ts';

/** `a2c prompts`: what each server lists, with the arguments. */
export const prompts = (
  context: Context,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> => listOfServers(context, name, options, (computer) => computer.prompts(), linesOf);
const parametersOf = (prompt: Prompt): string =>
  (prompt.arguments ?? []).map(({ name, required }) => `${name}${required === true ? '' : '?'}`).join(', ');
function linesOf({ server, prompts: some, failure }: ServerPrompts): string[] {
  const rows = some.map((each) => [
    `${each.name}(${parametersOf(each)})`,
    inOneLine(each.description ?? each.title ?? '', 80),
  ]);
  const [first] = some;
  const values = (first?.arguments ?? [])
    .filter(({ required }) => required === true)
    .map(({ name }) => `${name}=…`);
  return [
    listedLine(server, `${some.length} prompts`, failure),
    ...rowsOf(rows).map((row) => `  ${row}`),
    ...(first ? [`  get one: ${typed('a2c', 'prompt', server, first.name, ...values)}`] : []),
  ];
}

/** `a2c prompt`: one prompt, filled in by its server. */
export async function prompt(
  context: Context,
  first: string,
  more: readonly string[],
  options: OneShotOptions & SaveOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const all = await configOf(context, options);
  const names = all.servers.map((server) => server.name);
  const { target, rest } = targetIn([first, ...more], names);
  const values = textsOf(argumentsFor(await readArguments(rest, readText), {}));
  const config = target.server === undefined ? all : onlyServer(all, target.server);
  const { filled, owner } = await withComputer(context, options, config, (computer) =>
    orClosed(signal, computer, async () => {
      const asked = ownerOf(await computer.prompts(), target.tool);
      return { filled: await computer.getPrompt(asked, target.tool, values), owner: asked };
    }),
  );
  if (options.json) terminal.out(JSON.stringify(filled));
  else for (const text of textsIn(filled, owner)) terminal.outText(text);
  await saved(context, options, target.tool, filled);
  return exitCodeOf(signal);
}
/** Prompts take texts alone (MCP): a value that was written as JSON goes as it is written. */
const textsOf = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
const textsIn = ({ description, messages }: PromptFilled, server: string): string[] => [
  ...(typeof description === 'string' && description !== '' ? [description, ''] : []),
  ...messages.map(({ role, content }) => `${role}: ${itemText(content, server)}`),
];
function ownerOf(listed: readonly ServerPrompts[], name: string): string {
  const owners = listed.filter((each) => each.prompts.some((one) => one.name === name));
  const [owner, other] = owners;
  const known = listed.flatMap((each) => each.prompts.map((one) => one.name));
  if (!owner) {
    const close = nearest(name, known);
    throw new A2cError({
      code: wireCodes.notFound,
      message: `No server has a prompt '${name}'`,
      details: { prompt: name, nearest: close },
      remedy: close.length > 0 ? `Did you mean ${close.join(', ')}?` : 'List them: a2c prompts',
    });
  }
  if (other)
    throw new A2cError({
      code: wireCodes.conflict,
      message: `Several servers have a prompt '${name}': ${owners.map(({ server }) => server).join(', ')}`,
      details: { prompt: name },
      remedy: `Name the server: ${typed('a2c', 'prompt', owner.server, name)}`,
    });
  return owner.server;
}
