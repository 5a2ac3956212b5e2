/** Command `a2c call`: one call, here or in an office, and what is told of its end. */
import type { CallWords } from './options.ts';
import type { CallHost } from '../door/caller.ts';
import type { CallOutcome, CallSucceeded, CallToolError, CallOptions } from '../api/call-outcome.ts';
import { isArgument, readArguments, type Argument, targetIn, type Target } from './arguments.ts';
import { mustBeOne, toolIn } from './named-tool.ts';
import { onlyServer } from './named-server.ts';
import type { OneShotOptions } from './one-shot.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { calledOf, progressReporter, withProgress } from './printing/call-progress.ts';
import { adviceAt, logsOf, readingFrom, typedHere } from './printing/hints.ts';
import { besideFailure, callJson, ownFailure, showFailure } from './printing/failures.ts';
import { readFor, signatureText } from './printing/signature.ts';
import { lentFor } from './lent.ts';
import { mustBeFiles, putOn, saved, withPutFiles } from './files.ts';
import { configOf } from './source.ts';
import { hasStarted, hasTool, startedFor, usualMs } from './starting.ts';
import { A2cError, failureOf, badRequest } from '../kernel/errors.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { stateWords } from '../../machines/server-states.ts';
import { readText } from '../../adapters/terminal/terminal.ts';
import type { Config } from '../../machines/config/parse.ts';
import { hostFailure, type Failure, type HostFailure } from '../../machines/protocol/failure.ts';
import { nearest } from '../../machines/text.ts';

export type CallCommandOptions = OneShotOptions & CallWords;
interface Order {
  readonly target: Target;
  readonly words: readonly Argument[];
  /** The limit counts from the start of the command, except `apartMs` for sending files. */
  readonly how: (apartMs?: number) => CallOptions;
  /** In ms, 0 = none; undefined: the usual one, which is for the start and then for the call. */
  readonly limitMs: number | undefined;
}
/** Before the config tells which of its words names a server. */
type TypedCall = Omit<Order, 'target'>;

export async function call(
  context: CommandContext,
  first: string,
  more: readonly string[],
  options: CallCommandOptions,
): Promise<number> {
  const { signal } = context;
  const read = await orderOf(context, first, more, options).catch((error: unknown) => {
    showFailure(context, failureOf(error), options.json);
  });
  if (!read) return exitCodes.usage;
  const config = options.url === undefined ? await configOf(context, options) : undefined;
  const names = config?.servers.map(({ name }) => name) ?? [];
  if (more.every(isArgument)) mustBeTool(options, first, names);
  const { target, rest } = targetIn([first, ...more], names);
  // Removes the tool name from the arguments where it was typed as a word of its own (`SERVER TOOL`).
  const words = read.words.slice(more.length - rest.length);
  const order = { ...read, target, words };
  const outcome = await (config
    ? callHere(context, options, config, order)
    : callAfar(context, options, order));
  return exitCodeOf(signal, codeOf(outcome));
}
/** What a script may do next: `notSent` may be repeated. */
function codeOf({ outcome, phase, toolError }: CallOutcome): number {
  if (outcome !== 'failed') return outcome === 'succeeded' ? exitCodes.done : exitCodes.unknown;
  return toolError || phase === 'running' ? exitCodes.failed : exitCodes.notSent;
}
/** Before the servers are stopped, so that the reader need not wait for that. */
async function tell(
  context: CommandContext,
  options: CallCommandOptions,
  ended: CallOutcome,
): Promise<CallOutcome> {
  const outcome = ended.failure ? { ...ended, failure: adviceAt(options, ended.failure) } : ended;
  if (options.json) context.terminal.out(JSON.stringify(callJson(outcome)));
  else show(context, options, outcome);
  if (outcome.outcome === 'succeeded')
    await saved(context, options, outcome.tool, outcome.result, outcome.blobs);
  return outcome;
}
/** Rejects typing mistakes before a config is read or a server is started. */
async function orderOf(
  { signal }: CommandContext,
  first: string,
  more: readonly string[],
  { timeout, reqId, url }: CallCommandOptions,
): Promise<TypedCall> {
  const limitMs = timeout === undefined ? undefined : timeout * 1_000;
  const startedAt = performance.now();
  const how = (apartMs = 0): CallOptions => {
    // Counts time spent waiting for the server against the time limit of the call.
    const spentMs = performance.now() - startedAt - apartMs;
    const left = limitMs === 0 ? 0 : Math.max(1, Math.round((limitMs ?? 0) - spentMs));
    return {
      signal,
      ...(limitMs !== undefined && { timeoutMs: left }),
      ...(reqId !== undefined && { reqId }),
    };
  };
  if (isArgument(first) || /\([^]*\)$/.test(first)) throw noTool(first);
  const words = await readArguments(more, readText);
  if (url !== undefined) mustBeFiles(words);
  return { words, how, limitMs };
}
const noTool = (word: string): A2cError =>
  badRequest(`the name of a tool comes first, not ${word}`, 'a2c call TOOL key=value …');
function mustBeTool(options: OneShotOptions, word: string, servers: readonly string[]): void {
  if (!servers.includes(word)) return;
  throw badRequest(
    `${word} is a server: name one of its tools`,
    `List them: ${typedHere(options, 'tools', word)}`,
  );
}
async function callHere(
  context: CommandContext,
  options: CallCommandOptions,
  config: Config,
  order: Order,
): Promise<CallOutcome> {
  const { target } = order;
  const { server, tool } = target;
  const known = server === undefined ? undefined : { config: onlyServer(config, server), tool };
  const needed = known ?? (await (await import('./last-lists.ts')).neededFor(options, config, target));
  if (needed)
    return callBy(context, options, needed.config, { ...order, target: { tool: needed.tool } }, true);
  context.terminal.err(`no list of tools has ${tool} yet; starting all servers`);
  return callBy(context, options, config, order, false);
}
async function callBy(
  context: CommandContext,
  options: CallCommandOptions,
  config: Config,
  order: Order,
  isAiming: boolean,
): Promise<CallOutcome> {
  const { target, limitMs } = order;
  const use = (host: CallHost): Promise<CallOutcome> =>
    callOn(context, options, host, { ...order, isAiming });
  // Waits for all servers where any of them may have the tool, so that the result does not depend on the fastest.
  const ms = limitMs === 0 ? Infinity : (limitMs ?? usualMs);
  const patience = { ...(isAiming && { isEnough: hasTool(target.tool) }), ms, isAiming };
  const lent = isAiming ? await lentFor(context, options, config) : undefined;
  // Loaded only where no other host has the server, because it needs all of a computer.
  if (!lent) return (await import('./one-shot.ts')).withComputer(context, options, config, use, patience);
  const { kind, name = '', pid } = lent.host ?? {};
  // A host of `a2c keep` is not named: it runs in the background and nobody works at it.
  if (context.terminal.isWatched && kind !== 'keep')
    context.terminal.err(
      `${config.servers[0]?.name} of the host ${name} (a2c ${kind}, pid ${pid}) is used; --alone starts another`,
    );
  try {
    await startedFor(context, options, { computer: lent, config }, patience);
    return await use(lent);
  } finally {
    lent.close();
  }
}
interface Calling extends Order {
  readonly isAiming: boolean;
}
async function callOn(
  context: CommandContext,
  options: CallCommandOptions,
  host: CallHost,
  { target, words, how, isAiming }: Calling,
): Promise<CallOutcome> {
  const { tool } = target;
  const late = host.status().servers.find((server) => !hasStarted(server));
  const listing = await host.tools();
  const info = toolIn(listing, target);
  if (late && (isAiming || !info)) throw new A2cError(notStarted(options, late, { tool_name: tool }));
  if (info && !isAiming) mustBeOne(options, info, tool, listing.refused);
  const params = info ? readFor(info, words) : {};
  const called = host.callTool(info?.call ?? tool, params, { ...how(), confirmed: true });
  const outcome = await withProgress(context, called, calledOf(host), progressReporter(context, options));
  return tell(context, options, await explained(context, options, host, outcome));
}
/** Facts that only an open computer knows: the full text, advice on arguments, the tool probably meant. */
async function explained(
  { terminal }: CommandContext,
  options: OneShotOptions,
  computer: CallHost,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  if (outcome.outcome === 'succeeded' || outcome.toolError) return whole(computer, outcome);
  const listing = await computer.tools();
  const { failure } = outcome;
  const [server, other] = listing.servers;
  const isUnknown = failure.code === 'ToolNotFound' || failure.code === 'ServerNotActive';
  if (isUnknown && server && !other && !['ready', 'standby'].includes(server.state))
    return { ...outcome, failure: hostFailure(notStarted(options, server, failure.details)) };
  if (failure.code === 'ToolNotFound') {
    const { conflictSummary, notReadyLines } = await import('./printing/servers.ts');
    for (const line of [...conflictSummary(listing), ...notReadyLines(listing, options)]) terminal.err(line);
    const names = listing.tools.flatMap(({ name, original }) => [name, original]);
    const asked = String(failure.details?.['tool_name']);
    return { ...outcome, failure: { ...failure, remedy: remedyFor(options, asked, names) } };
  }
  const info = toolIn(listing, { tool: outcome.tool });
  if (failure.code !== 'ArgumentsInvalid' || !info) return outcome;
  return {
    ...outcome,
    failure: {
      ...failure,
      remedy: `${signatureText(info.name, info.inputSchema)}  (more: ${typedHere(options, 'tools', info.name)})`,
    },
  };
}
/** States of a server in which a person has to act, such as to log in; the output of its program explains nothing there. */
const isForPerson: ReadonlySet<ServerStatus['state']> = new Set([
  'needsInput',
  'unauthorized',
  'unsupported',
]);
/** Failures whose own remedy says more than the output of the program, or that have no program. */
const isExplained = ({ code, details }: HostFailure): boolean =>
  code === 'NotStartable' || code === 'TooMany' || details?.['cause'] !== undefined;
function notStarted(
  options: OneShotOptions,
  server: ServerStatus,
  details: Failure['details'] = {},
): Failure {
  const { name, state, reason = stateWords[state], failure: why } = server;
  const longer = hasStarted(server) ? '' : '; -t SECONDS waits longer';
  const logs = `See what it writes: ${logsOf(options, name)}${longer}`;
  const own = why && (isForPerson.has(state) || isExplained(why)) ? why.remedy : undefined;
  return {
    code: 'ServerNotActive',
    message:
      why?.message.replace(/^the server\b/, `Server '${name}'`) ??
      `Server '${name}' has not started: ${reason}`,
    details: { ...details, server_name: name, state, ...(why && { because: why.code }) },
    remedy: own ?? logs,
  };
}
/** The computer keeps the whole result until it closes. */
function whole<Ended extends CallSucceeded | CallToolError>(computer: CallHost, outcome: Ended): Ended {
  const { a2c_cut: cut } = outcome.result._meta ?? {};
  const handle = (cut as { readonly handle?: string } | undefined)?.handle;
  return { ...outcome, result: (handle && computer.debug.cachedResult(handle)) || outcome.result };
}
function remedyFor(options: OneShotOptions, tool: string, names: readonly string[]): string {
  const close = nearest(tool, names);
  const listThem = `List the tools: ${typedHere(options, 'tools')}`;
  return close.length === 0 ? listThem : `Did you mean ${close.join(', ')}? ${listThem}`;
}

async function callAfar(
  context: CommandContext,
  options: CallCommandOptions,
  { target, words, how }: Order,
): Promise<CallOutcome> {
  const { withAgent } = await import('./one-shot.ts');
  return withAgent(context, options, async (agent, computer) => {
    const needsSchema = words.some(({ kind }) => kind !== 'object');
    const { tools } = needsSchema ? await agent.tools(computer) : { tools: [] };
    const { tool } = target;
    const info = tools.find(({ name }) => name === tool);
    const paramsOf = (given: readonly Argument[]): Record<string, unknown> =>
      info || !needsSchema ? readFor(info ?? { name: tool, inputSchema: {} }, given) : {};
    // Finds mistakes in the words before a file is sent.
    paramsOf(words);
    const put = putOn(context, agent, computer);
    const beganAt = performance.now();
    const params = paramsOf(await withPutFiles(words, put));
    const called = agent.callTool(computer, tool, params, how(performance.now() - beganAt));
    const about = { server: computer, tool };
    const outcome = await withProgress(context, called, () => about, progressReporter(context, options));
    if (outcome.outcome === 'succeeded') return tell(context, options, outcome);
    const { failure } = outcome;
    // Adds advice only where nobody could be asked; a person who said no has decided.
    if (failure.code === 'NotConfirmed' && failure.remedy !== undefined && !outcome.toolError)
      return tell(context, options, { ...outcome, failure: { ...failure, remedy: whoConfirms(computer) } });
    if (failure.code !== 'ToolNotFound') return tell(context, options, outcome);
    const names = (await agent.tools(computer)).tools.map(({ name }) => name);
    const known = { ...outcome, failure: { ...failure, remedy: remedyFor(options, tool, names) } };
    return tell(context, options, known);
  });
}
/** The person of the other host is asked there, not the caller. */
const whoConfirms = (computer: string): string =>
  `Its computer decides: run '${computer}' at a terminal, where its person is asked, or name the tool in autoApprove of its config.`;
function show(context: CommandContext, options: OneShotOptions, outcome: CallOutcome): void {
  const { terminal } = context;
  const { server, result } = outcome;
  const failure = ownFailure(outcome);
  const isGood = outcome.outcome === 'succeeded';
  const text = besideFailure(result, failure, readingFrom(options, server));
  if (text !== undefined) (isGood ? terminal.outText : terminal.errText).call(terminal, text);
  if (failure) showFailure(context, failure, false);
}
