import type { Terminal } from '../../../adapters/terminal/terminal.ts';
import { wireCodes, type HostFailure } from '../../../machines/protocol/failure.ts';
import { nearest } from '../../../machines/text.ts';
import type { KnownCall } from '../../../machines/call/history.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { A2cError, badRequest, notFound } from '../../kernel/errors.ts';
import type { ToolInfo } from '../../servers/server-handle.ts';
import { isArgument, readArguments, targetIn } from '../arguments.ts';
import { mustBeOne, toolIn } from '../named-tool.ts';
import { words } from '../words.ts';
import type { CommandContext } from '../context.ts';
import { readingFrom } from '../printing/hints.ts';
import { historyText, inOneLine, resultText } from '../printing/contents.ts';
import { calledOf, progressFact, progressLine, withProgress } from '../printing/call-progress.ts';
import { failureFact, tellFact, besideFailure, ownFailure } from '../printing/failures.ts';
import { readFor, signatureText } from '../printing/signature.ts';
import { readNamed, type PromptCommand, type PromptCommands } from './commands.ts';

interface CallCommandOptions {
  readonly facts?: boolean;
  readonly fail: (failure: HostFailure) => void;
}

const readHere = readingFrom('prompt');

export class CallCommands {
  readonly #context: CommandContext;
  readonly #computer: Computer;
  readonly #how: CallCommandOptions;
  readonly #calling = new Set<AbortController>();

  constructor(context: CommandContext, computer: Computer, how: CallCommandOptions) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
  }
  addTo(commands: PromptCommands): void {
    const computer = this.#computer;
    const lines = (some: readonly string[]): void => some.forEach((line) => this.#terminal.out(line));
    const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
      commands.add('Calls', names, description);
    add(['call', 'tools call'], words.call)
      .argument(
        '<tool...>',
        'its name, or SERVER.TOOL where several have it; then its arguments: key=value, or JSON',
      )
      .does((typed: readonly string[]) => this.#call(typed));
    add(
      ['calls'],
      'what waits or runs now, of agents, too: req_id, server, tool, where it is, since when, on what',
    )
      .is({ isImmediate: true })
      .does(() => {
        const calls = computer.calls().filter(isOpen);
        lines(runningText(calls));
        return calls;
      });
    add(['cancel'], 'cancel one of these')
      .argument('<req_id>')
      .is({ isImmediate: true })
      .does((reqId: string) => this.#cancel(reqId));
    add(['history'], 'the last calls, the newest first')
      .argument('[n]', 'at most so many')
      .does((n = '') => {
        const all = computer.calls();
        const some = /^[1-9]\d*$/.test(n) ? all.slice(0, Number(n)) : all;
        lines(historyText(some));
        return some;
      });
    add(['result'], 'the whole of a result that was cut, under the name that its notice says')
      .argument('<handle>')
      .does((handle: string) => this.#result(handle));
  }
  get #terminal(): Terminal {
    return this.#context.terminal;
  }
  interrupt(): boolean {
    for (const calling of this.#calling) calling.abort(new Error('Ctrl-C'));
    return this.#calling.size > 0;
  }
  #cancel(reqId: string): unknown {
    // Tells a person when no such call runs; cancelling a finished call is no error.
    const runs = this.#computer.calls().some((call) => call.reqId === reqId && isOpen(call));
    this.#computer.cancel(reqId);
    this.#terminal.out(runs ? `cancelled ${reqId}` : `no call ${reqId} runs`);
    return { req_id: reqId, cancelled: runs };
  }
  #result(handle: string): unknown {
    const result = this.#computer.debug.cachedResult(handle);
    if (result === undefined)
      throw notFound(
        `No result is kept as '${handle}'`,
        'Only what was cut is kept, and the oldest go first.',
      );
    this.#terminal.outText(resultText(result, readHere));
    return result;
  }
  async #call(typed: readonly string[]): Promise<void> {
    const servers = this.#computer.status().servers.map(({ name }) => name);
    const { target, rest } = targetIn(typed, servers);
    if (servers.includes(typed[0] ?? '') && typed.slice(1).every(isArgument))
      throw badRequest(`${typed[0]} is a server: name one of its tools`, `List them: tools ${typed[0]}`);
    const read = await readArguments(rest, readNamed);
    const listing = await this.#computer.tools();
    const info = toolIn(listing, target);
    if (!info && target.server !== undefined) throw this.#notOf(target.server, target.tool, listing.tools);
    if (info && target.server === undefined) mustBeOne('prompt', info, target.tool, listing.refused);
    await this.#run(info?.call ?? target.tool, info ? readFor(info, read) : {}, info);
  }
  /** Throws rather than call the tool of the same name on another server. */
  #notOf(server: string, tool: string, tools: readonly ToolInfo[]): A2cError {
    const meant = nearest(
      tool,
      tools.filter((one) => one.server === server).map(({ name }) => name),
    );
    return new A2cError({
      code: wireCodes.toolNotFound,
      message: `Server '${server}' offers no tool '${tool}'`,
      details: { tool_name: tool, server_name: server, nearest: meant },
      remedy: `${meant.length > 0 ? `Did you mean ${meant.join(', ')}? ` : ''}What it has: tools ${server}`,
    });
  }
  async #run(
    name: string,
    params: Readonly<Record<string, unknown>>,
    info: ReturnType<typeof toolIn>,
  ): Promise<void> {
    const calling = new AbortController();
    this.#calling.add(calling);
    // Marks the call as confirmed, because a person typed it.
    const call = this.#computer.callTool(name, params, { confirmed: true, signal: calling.signal });
    const outcome = await withProgress(this.#context, call, calledOf(this.#computer), (told) =>
      tellFact(this.#context, this.#how, progressFact(told)),
    ).finally(() => this.#calling.delete(calling));
    const { reqId, server, tool, result } = outcome;
    const failure = ownFailure(outcome);
    const text = besideFailure(result, failure, readHere);
    if (text !== undefined) this.#terminal.outText(text);
    const known = { req_id: reqId, server, tool, outcome: outcome.outcome, result };
    const why = failure && { failure: failureFact(failure) };
    tellFact(this.#context, this.#how, { type: 'tool_call_result', ...known, ...why });
    if (failure) this.#how.fail(explained(failure, info));
    if (outcome.outcome !== 'succeeded')
      this.#terminal.err(`(${outcome.outcome} after ${outcome.durationMs} ms)`);
  }
}
const explained = (failure: HostFailure, info: ReturnType<typeof toolIn>): HostFailure =>
  info && failure.code === 'ArgumentsInvalid'
    ? { ...failure, remedy: signatureText(info.name, info.inputSchema) }
    : failure;

const isOpen = ({ state }: KnownCall): boolean => state !== 'ended';
const runningText = (calls: readonly KnownCall[]): string[] =>
  calls.length === 0
    ? ['no call runs']
    : calls.map(({ reqId, server, tool, phase, at, reason, progress }) => {
        const told = progress ? `  ${progressLine({ tool: '', ...progress }).trimStart()}` : '';
        const why = reason === null ? '' : `  ${inOneLine(reason, 120)}`;
        return `${reqId}  ${server || '-'}  ${tool}  ${phase}  since ${at}${why}${told}`;
      });
