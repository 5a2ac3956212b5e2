import type { Terminal } from '../../../adapters/index.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';
import { nearest } from '../../../machines/text.ts';
import type { RunningCall } from '../../api/computer-calls.ts';
import type { Computer } from '../../api/computer-handle.ts';
import { A2cError, notFound } from '../../kernel/errors.ts';
import { cannotOrder, notServing } from '../../api/computer-status.ts';
import type { ToolInfo } from '../../servers/server-handle.ts';
import { readArguments, targetIn, type Target } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { bytesOf, historyText, inOneLine, resultText } from '../printing/contents.ts';
import { calledOf, progressFact, progressLine, withProgress } from '../printing/call-progress.ts';
import { failureFact, tellFact, besideFailure, ownFailure } from '../printing/failures.ts';
import { readFor, signatureText } from '../printing/signature.ts';
import { hasStarted } from '../starting.ts';
import { readNamed, usage, type PromptCommand, type PromptCommands } from './commands.ts';

interface CallCommandOptions {
  readonly facts?: boolean;
  readonly fail: (failure: Failure) => void;
}

const readHere = (uri: string): string => `read ${uri}`;

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
    add(
      ['tools call', 'call'],
      'call a tool: call read_file path=README.md, or {"path": "README.md"}; SERVER TOOL where several have it',
    )
      .argument('<tool...>', 'its name, or SERVER.TOOL; then its arguments')
      .does((words: readonly string[]) => this.#call(words));
    add(
      ['calls'],
      'what waits or runs now, of agents, too: req_id, server, tool, where it is, since when, on what',
    )
      .is({ isImmediate: true })
      .does(() => {
        const calls = computer.calls();
        lines(runningText(calls));
        return calls;
      });
    add(['cancel'], 'cancel one of these')
      .argument('<req_id>')
      .is({ isImmediate: true, isVerbatim: true })
      .does((reqId: string) => this.#cancel(reqId));
    add(['history'], 'the last calls, the newest first')
      .argument('[n]', 'at most so many')
      .is({ isVerbatim: true })
      .does((n = '') => {
        const all = computer.history();
        const some = /^[1-9]\d*$/.test(n) ? all.slice(0, Number(n)) : all;
        lines(historyText(some));
        return some;
      });
    add(['result'], 'the whole of a result that was cut, under the name that its notice says')
      .argument('<handle>')
      .is({ isVerbatim: true })
      .does((handle: string) => this.#result(handle));
    add(['tc'], 'call a tool with the request of an agent: {"tool_name": …, "params": …}')
      .argument('<request>', 'JSON, or @FILE')
      .is({ isVerbatim: true })
      .does((request: string) => this.#asAgent(request));
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
    const runs = this.#computer.calls().some((call) => call.reqId === reqId);
    this.#computer.cancelCall(reqId);
    this.#terminal.out(runs ? `cancelled ${reqId}` : `no call ${reqId} runs`);
    return { req_id: reqId, cancelled: runs };
  }
  #result(handle: string): unknown {
    const result = this.#computer.cachedResult(handle);
    if (result === undefined)
      throw notFound(
        `No result is kept as '${handle}'`,
        'Only what was cut is kept, and the oldest go first.',
      );
    this.#terminal.outText(resultText(result, readHere));
    return result;
  }
  async #call(words: readonly string[]): Promise<void> {
    const servers = this.#computer.servers().map(({ name }) => name);
    const { target, rest } = targetIn(words, servers);
    const read = await readArguments(rest, readNamed);
    const { tools } = await this.#computer.tools();
    const isMeant = (tool: (typeof tools)[number]): boolean =>
      target.server === undefined
        ? tool.name === target.tool
        : tool.server === target.server && [tool.name, tool.original].includes(target.tool);
    const info = tools.find(isMeant);
    if (!info) this.#sayUnknown(target, tools);
    await this.#run(info?.name ?? target.tool, info ? readFor(info, read) : {});
  }
  /** Which tool may be meant, and which servers the call waits for. Throws for an unknown server. */
  #sayUnknown({ server, tool }: Target, tools: readonly ToolInfo[]): void {
    if (tool.includes('(')) throw usage('call TOOL key=value …');
    const servers = this.#computer.servers();
    const word = server === undefined ? /^([^./ ]+)[./]./.exec(tool)?.[1] : undefined;
    if (word !== undefined) {
      const names = servers.map(({ name }) => name);
      throw cannotOrder(word, undefined, names);
    }
    const starting = servers.filter(
      (one) => !hasStarted(one) && (server === undefined || one.name === server),
    );
    // Throws rather than call the tool of the same name on another server.
    if (server !== undefined && starting.length === 0) throw this.#notOf(server, tool, tools);
    if (starting.length === 0) return;
    const meant = meantBy(tool, tools);
    const names = starting.map(({ name }) => name).join(', ');
    this.#terminal.err(
      `no list of tools has ${tool} yet; waiting for ${names}; Ctrl-C ends the call${meant && `. ${meant}`}`,
    );
  }
  #notOf(server: string, tool: string, tools: readonly ToolInfo[]): A2cError {
    const state = this.#computer.servers().find(({ name }) => name === server);
    if (state && state.state !== 'ready' && state.state !== 'standby') return notServing(server, state, []);
    const meant = meantBy(
      tool,
      tools.filter((one) => one.server === server),
    );
    return new A2cError({
      code: wireCodes.toolNotFound,
      message: `Server '${server}' offers no tool '${tool}'`,
      details: { tool_name: tool, server_name: server },
      remedy: `${meant}${meant && ' '}What it has: tools ${server}; names that were refused: tools conflicts`,
    });
  }
  async #asAgent(rest: string): Promise<void> {
    const [asked] = await readArguments([rest], readNamed);
    const request = asked?.kind === 'object' ? asked.value : {};
    const { tool_name: tool, params = {} } = request;
    if (typeof tool !== 'string' || typeof params !== 'object' || params === null)
      throw usage('tc {"tool_name": "echo", "params": {"text": "hi"}}');
    await this.#run(tool, { ...params });
  }
  async #run(name: string, params: Readonly<Record<string, unknown>>): Promise<void> {
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
    if (bytesOf(result).length > 0)
      this.#terminal.err('a2c call … --save FOLDER in a shell writes it to a file');
    const known = { req_id: reqId, server, tool, outcome: outcome.outcome, result };
    const why = failure && { failure: failureFact(failure) };
    tellFact(this.#context, this.#how, { type: 'tool_call_result', ...known, ...why });
    if (failure) this.#how.fail(await this.#explained(failure, name));
    if (outcome.outcome !== 'succeeded')
      this.#terminal.err(`(${outcome.outcome} after ${outcome.durationMs} ms)`);
  }
  async #explained(failure: Failure, name: string): Promise<Failure> {
    const { code } = failure;
    const isStarting = code === 'ServerNotActive' && failure.details?.['servers'] !== undefined;
    if (code !== 'ArgumentsInvalid' && code !== wireCodes.toolNotFound && !isStarting) return failure;
    const { tools } = await this.#computer.tools();
    const info = tools.find((tool) => tool.name === name);
    if (info) return { ...failure, remedy: signatureText(info.name, info.inputSchema) };
    const meant = meantBy(name, tools);
    return meant === '' ? failure : { ...failure, remedy: `${meant} List the tools: tools list` };
  }
}

function meantBy(name: string, tools: readonly { readonly name: string }[]): string {
  const close = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  return close.length === 0 ? '' : `Did you mean ${close.join(', ')}?`;
}

const runningText = (calls: readonly RunningCall[]): string[] =>
  calls.length === 0
    ? ['no call runs']
    : calls.map(({ reqId, server, tool, phase, since, reason, progress }) => {
        const told = progress ? `  ${progressLine({ tool: '', ...progress }).trimStart()}` : '';
        const why = reason === null ? '' : `  ${inOneLine(reason, 120)}`;
        return `${reqId}  ${server || '-'}  ${tool}  ${phase}  since ${since}${why}${told}`;
      });
