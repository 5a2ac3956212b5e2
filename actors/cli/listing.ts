/** Commands that list tools, resources and prompts, and `a2c prompt`. */
import type { SaveOptions } from './options.ts';
import type { PromptFilled, Computer } from '../api/computer-handle.ts';
import { targetIn, type Target, argumentsFor, readArguments } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, hasUsable, orClosed } from './exit-codes.ts';
import { neededFor } from './last-lists.ts';
import { onlyServer, serverNamed, unknown } from './named-server.ts';
import { withAgent, withComputer, type OneShotOptions } from './one-shot.ts';
import { inOneLine, listedLine, rowsOf, itemText } from './printing/contents.ts';
import { readingFrom, typedHere, type ReadCommand } from './printing/hints.ts';
import { listingText, toolJson } from './printing/servers.ts';
import { toolText, type CallToCopy } from './printing/signature.ts';
import { saved } from './files.ts';
import { configOf } from './source.ts';
import { hasStarted, hasTool } from './starting.ts';
import { A2cError } from '../kernel/errors.ts';
import type { ToolInfo, ToolListing, ServerResources, ServerPrompts } from '../servers/server-handle.ts';
import { readText } from '../../adapters/terminal/terminal.ts';
import { smcpToolOf, type ListedTool } from '../../machines/catalog/tool.ts';
import type { Prompt } from '../../machines/catalog/entries.ts';
import type { Config } from '../../machines/config/parse.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { nearest } from '../../machines/text.ts';

export async function tools(
  context: CommandContext,
  name: string | undefined,
  tool: string | undefined,
  options: OneShotOptions,
): Promise<number> {
  return options.url === undefined
    ? toolsHere(context, [name, tool], options)
    : toolsAfar(context, tool ?? name, options);
}

/** The wire protocol does not have the server and the original name. */
const fromAfar = (tool: ListedTool): object => ({
  ...smcpToolOf(tool),
  original: null,
  server: null,
});
async function toolsAfar(
  context: CommandContext,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const {
    computer: server,
    tools: all,
    missing,
  } = await withAgent(context, options, async (agent, computer) => ({
    computer,
    ...(await orClosed(signal, agent, () => agent.tools(computer))),
  }));
  const some = name === undefined ? all : all.filter((tool) => tool.name === name);
  if (name !== undefined && some.length === 0) throw notFound(options, name, all);
  if (options.json)
    terminal.out(JSON.stringify({ tools: some.map(fromAfar), refused: [], servers: [], warnings: [] }));
  else if (name !== undefined)
    terminal.outText(some.map((tool) => toolText(tool, { name: tool.name, options })).join('\n\n'));
  else {
    const tools = some.map((tool) => ({ ...tool, original: tool.name, server }));
    const listing = { tools, refused: [], servers: [{ name: server, state: 'ready' as const }] };
    for (const line of listingText(listing, options)) terminal.out(line);
  }
  for (const each of missing) terminal.err(`${each.server}: ${each.reason}`);
  return exitCodeOf(signal);
}

interface ToolQuestion {
  readonly config: Config;
  readonly target?: Target;
}
async function askedOf(
  { terminal }: CommandContext,
  [name, tool]: readonly (string | undefined)[],
  config: Config,
  options: OneShotOptions,
): Promise<ToolQuestion> {
  const servers = config.servers.map((server) => server.name);
  if (name === undefined) return { config };
  if (tool === undefined && servers.includes(name)) return { config: onlyServer(config, name) };
  if (tool !== undefined) serverNamed(config, name);
  const { target } = targetIn(tool === undefined ? [name] : [name, tool], servers);
  const needed = await neededFor(options, config, target, 'tools');
  if (!needed) terminal.err(`no list of tools has ${name} yet; starting all servers`);
  return needed ? { config: needed.config, target: { tool: needed.tool } } : { config, target };
}
const callOf = (
  { servers }: Config,
  options: OneShotOptions,
  { name, original, server, renamed }: ToolInfo,
): CallToCopy => ({
  name: servers.length > 1 ? `${server}.${renamed ? original : name}` : name,
  options,
});
async function toolsHere(
  context: CommandContext,
  words: readonly (string | undefined)[],
  options: OneShotOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const whole = await configOf(context, options);
  const { config, target } = await askedOf(context, words, whole, options);
  const all = await withComputer(
    context,
    options,
    config,
    (computer) => computer.tools(),
    target ? { isEnough: hasTool(target.tool) } : { isPartial: true },
  );
  const listing = target ? onlyTool(options, all, target.tool) : all;
  if (options.json) terminal.out(JSON.stringify({ ...shown(listing), warnings: config.warnings }));
  else if (target)
    terminal.outText(listing.tools.map((tool) => toolText(tool, callOf(whole, options, tool))).join('\n\n'));
  else
    for (const line of listingText({ ...listing, servers: listing.servers.filter(hasStarted) }, options))
      terminal.out(line);
  return exitCodeOf(signal, hasUsable(context, listing.servers));
}
/** Without the list of missing tools, because the state of each server explains them. */
const shown = ({ missing: _, ...listing }: ToolListing): object => ({
  ...listing,
  tools: listing.tools.map(toolJson),
});
function onlyTool(options: OneShotOptions, listing: ToolListing, name: string): ToolListing {
  const { tools: all, refused } = listing;
  const some = all.filter((tool) => tool.name === name || tool.original === name);
  if (some.length > 0)
    return { ...listing, tools: some, refused: refused.filter((tool) => tool.name === name) };
  const why = refused.find((tool) => tool.name === name);
  if (why)
    throw new A2cError({
      code: wireCodes.toolNotFound,
      message: why.reason,
      details: { tool_name: name, server_name: why.server },
      remedy: why.suggestion,
    });
  throw notFound(options, name, all);
}
function notFound(options: OneShotOptions, name: string, all: readonly (ListedTool | ToolInfo)[]): A2cError {
  const known = all.flatMap((tool) => ('original' in tool ? [tool.name, tool.original] : [tool.name]));
  const message = `No server and no tool is called '${name}'`;
  const list = typedHere(options, 'tools');
  return unknown(message, { tool_name: name }, nearest(name, known), list, wireCodes.toolNotFound);
}

export const resources = (
  context: CommandContext,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> =>
  listOfServers(context, name, options, (computer) => computer.resources(), resourceLines);
function resourceLines(
  { server, resources: plain, templates, failure }: ServerResources,
  options: OneShotOptions,
): string[] {
  const count = `${plain.length} resources${templates.length > 0 ? `, ${templates.length} templates` : ''}`;
  const rows = [
    ...plain.map((each) => [each.uri, inOneLine(each.title ?? each.name, 40), each.mimeType ?? '']),
    ...templates.map((each) => [each.uriTemplate, inOneLine(each.title ?? each.name, 40), 'template']),
  ];
  const [first] = plain;
  return [
    listedLine(server, count, failure),
    ...rowsOf(rows).map((row) => `  ${row}`),
    ...(first ? [`  read one: ${typedHere(options, 'read', first.uri, '--server', server)}`] : []),
  ];
}

export const prompts = (
  context: CommandContext,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> =>
  listOfServers(context, name, options, (computer) => computer.prompts.list(), promptLines);
const parametersOf = (prompt: Prompt): string =>
  (prompt.arguments ?? []).map(({ name, required }) => `${name}${required === true ? '' : '?'}`).join(', ');
function promptLines({ server, prompts: some, failure }: ServerPrompts, options: OneShotOptions): string[] {
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
    ...(first ? [`  get one: ${typedHere(options, 'prompt', server, first.name, ...values)}`] : []),
  ];
}

export async function prompt(
  context: CommandContext,
  first: string,
  more: readonly string[],
  options: OneShotOptions & SaveOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const all = await configOf(context, options);
  const names = all.servers.map((server) => server.name);
  const { target, rest } = targetIn([first, ...more], names);
  const words = await readArguments(rest, readText);
  const config = target.server === undefined ? all : onlyServer(all, target.server);
  const { filled, owner } = await withComputer(context, options, config, (computer) =>
    orClosed(signal, computer, async () => {
      const listed = await computer.prompts.list();
      const asked = ownerOf(listed, target.tool, options);
      const values = textsOf(argumentsFor(words, schemaOfPrompt(listed, asked, target.tool)));
      return { filled: await computer.prompts.get(asked, target.tool, values), owner: asked };
    }),
  );
  if (options.json) terminal.out(JSON.stringify(filled));
  else for (const text of textsIn(filled, readingFrom(options, owner))) terminal.outText(text);
  await saved(context, options, target.tool, filled);
  return exitCodeOf(signal);
}
/** MCP allows only texts: other values are written as JSON. */
const textsOf = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
function schemaOfPrompt(listed: readonly ServerPrompts[], server: string, name: string): object {
  const prompts = listed.find((each) => each.server === server)?.prompts ?? [];
  const given = prompts.find((each) => each.name === name)?.arguments ?? [];
  return { properties: Object.fromEntries(given.map((each) => [each.name, { type: 'string' }])) };
}
const textsIn = ({ description, messages }: PromptFilled, reading: ReadCommand): string[] => [
  ...(typeof description === 'string' && description !== '' ? [description, ''] : []),
  ...messages.map(({ role, content }) => `${role}: ${itemText(content, reading)}`),
];
function ownerOf(listed: readonly ServerPrompts[], name: string, options: OneShotOptions): string {
  const owners = listed.filter((each) => each.prompts.some((one) => one.name === name));
  const [owner, other] = owners;
  const known = listed.flatMap((each) => each.prompts.map((one) => one.name));
  if (!owner) {
    const list = typedHere(options, 'prompts');
    throw unknown(`No server has a prompt '${name}'`, { prompt: name }, nearest(name, known), list);
  }
  if (other)
    throw new A2cError({
      code: wireCodes.conflict,
      message: `Several servers have a prompt '${name}': ${owners.map(({ server }) => server).join(', ')}`,
      details: { prompt: name },
      remedy: `Name the server: ${typedHere(options, 'prompt', owner.server, name)}`,
    });
  return owner.server;
}

/** As JSON, or as a few lines each. */
async function listOfServers<T>(
  context: CommandContext,
  name: string | undefined,
  options: OneShotOptions,
  ask: (computer: Computer) => Promise<readonly T[]>,
  linesOf: (server: T, options: OneShotOptions) => readonly string[],
): Promise<number> {
  const { signal, terminal } = context;
  const all = await configOf(context, options);
  const config = name === undefined ? all : onlyServer(all, name);
  const { listed, isUsable } = await withComputer(
    context,
    options,
    config,
    async (computer) => ({
      listed: await orClosed(signal, computer, () => ask(computer)),
      isUsable: hasUsable(context, computer.status().servers),
    }),
    { isPartial: true },
  );
  if (options.json) terminal.out(JSON.stringify({ servers: listed }));
  else
    for (const line of listed.flatMap((each, n) => [...(n > 0 ? [''] : []), ...linesOf(each, options)]))
      terminal.out(line);
  return exitCodeOf(signal, isUsable);
}
