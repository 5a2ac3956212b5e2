import type { Computer } from '../api/computer-handle.ts';
import type { CallOutcome, CallSucceeded, CallToolError } from '../api/call-outcome.ts';
import type { CallOptions } from '../api/pending-calls.ts';
import {
  argumentForms,
  argumentsFor,
  isArgument,
  readArguments,
  type Argument,
  targetIn,
  type Target,
} from './arguments.ts';
import { neededFor, withAgent, withComputer, type OneShotOptions } from './one-shot.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { callJson, conflictSummary, notReadyLines } from './printing/servers.ts';
import { calledOf, progressTold, shown } from './printing/call-progress.ts';
import { resultText, saved, type SaveOptions } from './printing/contents.ts';
import { besideFailure, ownFailure, showFailure } from './printing/failures.ts';
import { signatureText } from './printing/signature.ts';
import { configOf } from './source.ts';
import { hasTool } from './starting.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import type { ToolInfo, ToolListing } from '../servers/server-handle.ts';
import { readText } from '../../adapters/index.ts';
import type { Config } from '../../machines/config/parse.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';
import { nearest } from '../../machines/text.ts';

/** Options of `a2c call`, which calls one tool on the servers of a config or on a computer in an office. */
export interface CallCommandOptions extends OneShotOptions, SaveOptions {
  /** Time limit of the call in seconds; 0 = none. */
  readonly timeout?: number;
  readonly reqId?: string;
  readonly facts?: boolean;
}
/** Tool call planned from the command line, made once its servers are up. */
interface Order {
  readonly target: Target;
  readonly words: readonly Argument[];
  readonly how: () => CallOptions;
  readonly limitMs: number | undefined;
}

export async function call(
  context: CommandContext,
  first: string,
  more: readonly string[],
  options: CallCommandOptions,
): Promise<number> {
  const { signal } = context;
  const order = await orderOf(context, first, more, options).catch((error: unknown) => {
    showFailure(context, failureOf(error), options.json);
  });
  if (!order) return exitCodes.usage;
  const config = options.url === undefined ? await configOf(context, options) : undefined;
  const names = config?.servers.map(({ name }) => name) ?? [];
  const { target, rest } = targetIn([first, ...more], names);
  const [stray] = rest;
  if (stray !== undefined && !isArgument(stray)) {
    showFailure(context, noServer(first, stray, names), options.json);
    return exitCodes.usage;
  }
  const outcome = await (config
    ? callHere(context, options, config, { ...order, target })
    : callAfar(context, options, { ...order, target }));
  return exitCodeOf(signal, outcome.outcome === 'succeeded');
}
/** Prints the result of a call before its servers are stopped, so that the reader need not wait for that. */
async function tell(
  context: CommandContext,
  options: CallCommandOptions,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  if (options.json) context.terminal.out(JSON.stringify(callJson(outcome)));
  else show(context, outcome);
  if (outcome.outcome === 'succeeded') await saved(context, options, outcome.tool, outcome.result);
  return outcome;
}
/** Reads a tool call from the command line. Rejects typing mistakes before a config is read or a server is started. */
async function orderOf(
  { signal }: CommandContext,
  first: string,
  more: readonly string[],
  { timeout, reqId }: CallCommandOptions,
): Promise<Omit<Order, 'target'>> {
  const limitMs = timeout === undefined || timeout === 0 ? undefined : timeout * 1_000;
  const startedAt = performance.now();
  const how = (): CallOptions => {
    // Time spent waiting for the server counts against the time limit of the call.
    const left =
      limitMs === undefined ? 0 : Math.max(1, Math.round(limitMs - (performance.now() - startedAt)));
    return {
      signal,
      ...(timeout !== undefined && { timeoutMs: left }),
      ...(reqId !== undefined && { reqId }),
    };
  };
  if (isArgument(first)) throw noTool(first);
  const [second] = more;
  const isTool = second !== undefined && !isArgument(second);
  const words = await readArguments(isTool ? more.slice(1) : more, readText);
  return { words, how, limitMs };
}
const noTool = (word: string): A2cError =>
  new A2cError({
    code: 400,
    message: `the name of a tool comes first, not ${word}`,
    remedy: 'a2c call TOOL key=value …',
  });
function noServer(word: string, stray: string, names: readonly string[]): Failure {
  const close = nearest(word, names);
  return {
    code: 400,
    message: `'${stray}' is not an argument, and the config has no server '${word}'`,
    remedy: close.length > 0 ? `Did you mean ${close.join(', ')}?` : argumentForms,
  };
}

/** Calls a tool on servers started for this call: only the one known to have the tool, or all of them. */
async function callHere(
  context: CommandContext,
  options: CallCommandOptions,
  config: Config,
  order: Order,
): Promise<CallOutcome> {
  const { target } = order;
  const needed = await neededFor(config, target);
  if (needed) {
    const isOld = ({ failure }: CallOutcome): boolean =>
      needed.isRemembered && failure?.code === wireCodes.toolNotFound;
    const aimed = { ...order, target: { tool: needed.tool } };
    const outcome = await callBy(context, options, needed.config, aimed, isOld, true);
    if (!isOld(outcome)) return outcome;
    context.terminal.err(
      `${needed.config.servers[0]?.name} has no ${target.tool} any more; starting all servers`,
    );
  } else context.terminal.err(`no list of tools has ${target.tool} yet; starting all servers`);
  return callBy(context, options, config, order);
}
function callBy(
  context: CommandContext,
  options: CallCommandOptions,
  config: Config,
  { target: { tool }, words, how, limitMs }: Order,
  isTriedAgain: (outcome: CallOutcome) => boolean = () => false,
  isAiming = false,
): Promise<CallOutcome> {
  return withComputer(
    context,
    options,
    config,
    async (computer) => {
      const listing = await computer.tools();
      const info = infoOf(listing, tool);
      tellTwins(context, listing, tool);
      const params = argumentsFor(words, info?.inputSchema);
      const called = computer.callTool(tool, params, { ...how(), confirmed: true });
      const outcome = await shown(context, called, calledOf(computer), progressTold(context, options));
      const known = explained(context, computer, outcome, await computer.tools());
      return isTriedAgain(known) ? known : tell(context, options, known);
    },
    { isEnough: hasTool(tool), ms: limitMs, isAiming },
  );
}
const infoOf = ({ tools }: Pick<ToolListing, 'tools'>, name: string): ToolInfo | undefined =>
  tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.original === name);
/** Tells a person when another server has a tool of the same name, and how to call that one. */
function tellTwins({ terminal }: CommandContext, listing: ToolListing, tool: string): void {
  const called = infoOf(listing, tool);
  for (const { name, server } of listing.refused)
    if (name === tool && called && called.server !== server)
      terminal.err(`${tool} of ${called.server} is called; that of ${server}: a2c call ${server}.${tool}`);
}

/**
 * Adds what the computer knows before it closes: the full text of a shortened result, advice on wrong arguments, and
 * the tool that was probably meant.
 */
function explained(
  { terminal }: CommandContext,
  computer: Computer,
  outcome: CallOutcome,
  listing: ToolListing,
): CallOutcome {
  if (outcome.outcome === 'succeeded' || outcome.toolError) return whole(computer, outcome);
  const { failure } = outcome;
  if (failure.code === wireCodes.toolNotFound) {
    for (const line of [...conflictSummary(listing), ...notReadyLines(listing)]) terminal.err(line);
    const names = listing.tools.flatMap(({ name, original }) => [name, original]);
    return {
      ...outcome,
      failure: { ...failure, remedy: remedyFor(String(failure.details?.['tool_name']), names) },
    };
  }
  const info = infoOf(listing, outcome.tool);
  if (failure.code !== 'ArgumentsInvalid' || !info) return outcome;
  return {
    ...outcome,
    failure: { ...failure, remedy: `${usageOf(info)}  (more: a2c tools ${info.name})` },
  };
}
/** Replaces a result that was cut by the whole, which the computer keeps until it closes. */
function whole<Ended extends CallSucceeded | CallToolError>(computer: Computer, outcome: Ended): Ended {
  const { a2c_cut: cut } = outcome.result._meta ?? {};
  const handle = (cut as { readonly handle?: string } | undefined)?.handle;
  return { ...outcome, result: (handle && computer.cachedResult(handle)) || outcome.result };
}
const usageOf = ({ name, inputSchema }: ToolInfo): string => signatureText(name, inputSchema);
const listThem = 'List the tools: a2c tools';
function remedyFor(tool: string, names: readonly string[]): string {
  const close = nearest(tool, names);
  return close.length === 0 ? listThem : `Did you mean ${close.join(', ')}? ${listThem}`;
}

/** Calls a tool of a computer in an office, as the agent of that office. */
function callAfar(
  context: CommandContext,
  options: CallCommandOptions,
  { target, words, how }: Order,
): Promise<CallOutcome> {
  return withAgent(context, options, async (agent, computer) => {
    const needsSchema = words.some(({ kind }) => kind === 'text');
    const tools = needsSchema ? await agent.tools(computer) : [];
    const { inputSchema } = tools.find(({ name }) => name === target.tool) ?? {};
    const { tool } = target;
    const called = agent.callTool(computer, tool, argumentsFor(words, inputSchema), how());
    const about = { server: computer, tool };
    const outcome = await shown(context, called, () => about, progressTold(context, options));
    if (outcome.outcome === 'succeeded' || outcome.failure.code !== wireCodes.toolNotFound)
      return tell(context, options, outcome);
    const { failure } = outcome;
    const names = (await agent.tools(computer)).map(({ name }) => name);
    const known = { ...outcome, failure: { ...failure, remedy: remedyFor(tool, names) } };
    return tell(context, options, known);
  });
}
function show(context: CommandContext, outcome: CallOutcome): void {
  const { terminal } = context;
  const { server, result } = outcome;
  const failure = ownFailure(outcome);
  const isGood = outcome.outcome === 'succeeded';
  const text = result === null ? undefined : besideFailure(resultText(result, server), failure);
  if (text !== undefined) (isGood ? terminal.outText : terminal.errText).call(terminal, text);
  if (failure) showFailure(context, failure, false);
}
