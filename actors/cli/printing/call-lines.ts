import type { Failure } from '../../../machines/protocol/index.ts';
import type { RunningCall } from '../../api/computer/call-history.ts';
import type { Computer } from '../../api/computer/computer-handle.ts';
import { resultText } from './contents.ts';
import { historyText } from './answers-collections.ts';
import { progressFact, progressLine, shown } from './call-progress.ts';
import { tellFact } from './facts.ts';
import { usage } from './show-failure.ts';
import type { Context } from '../context.ts';

export const callsHelp = `tools call NAME JSON   call a tool: tools call read_file {"path": "README.md"}
calls                  what runs now, of agents, too: req_id, server, tool, where it is, since when
cancel REQ_ID          cancel one of these
history                the last calls, the newest first
result HANDLE          the whole of a result that was cut, under the name that its notice says`;

interface How {
  readonly facts?: boolean;
  /** Says what went wrong, to persons and programs. */
  readonly fail: (failure: Failure) => void;
}

/** What the prompt takes of calls. */
export class CallLines {
  readonly #context: Context;
  readonly #computer: Computer;
  readonly #how: How;
  #calling: AbortController | undefined;

  constructor(context: Context, computer: Computer, how: How) {
    this.#context = context;
    this.#computer = computer;
    this.#how = how;
  }
  /** False: it is no command of these. */
  take(verb: string, rest: string): boolean {
    const { terminal } = this.#context;
    const lines = (some: readonly string[]): void => some.forEach((line) => terminal.out(line));
    if (verb === 'calls') lines(runningText(this.#computer.calls()));
    else if (verb === 'history') lines(historyText(this.#computer.history()));
    else if (verb === 'cancel') this.#cancel(rest);
    else if (verb === 'result') this.#result(rest);
    else return false;
    return true;
  }
  /** Ctrl-C. False: there was nothing to cancel. */
  interrupt(): boolean {
    this.#calling?.abort();
    return this.#calling !== undefined;
  }
  #cancel(reqId: string): void {
    const { terminal } = this.#context;
    if (reqId === '') throw usage('cancel REQ_ID');
    // What is over needs no cancel: not an error, but worth a word.
    const runs = this.#computer.calls().some((call) => call.reqId === reqId);
    this.#computer.cancelCall(reqId);
    terminal.out(runs ? `cancelled ${reqId}` : `no call ${reqId} runs`);
  }
  #result(handle: string): void {
    const { terminal } = this.#context;
    if (handle === '') throw usage('result HANDLE');
    const result = this.#computer.cachedResult(handle);
    if (result !== undefined) return terminal.outText(resultText(result));
    this.#how.fail({
      code: 404,
      message: `No result is kept as '${handle}'`,
      remedy: 'Only what was cut is kept, and the oldest go first.',
    });
  }
  async call(rest: string): Promise<void> {
    const { terminal } = this.#context;
    const [name = ''] = rest.split(/\s+/);
    const json = rest.slice(name.length).trim();
    const params = paramsOf(json === '' ? '{}' : json);
    if (name === '') throw usage('tools call NAME JSON');
    if (!params.ok) return this.#how.fail({ code: 400, message: params.message });
    const { signal } = (this.#calling = new AbortController());
    // Whoever types it has thereby confirmed it.
    const call = this.#computer.callTool(name, params.value, { confirmed: true, signal });
    const outcome = await shown(this.#context, this.#computer, call, (told) =>
      tellFact(this.#context, this.#how, progressFact(told)),
    );
    this.#calling = undefined;
    if (outcome.result !== null) terminal.outText(resultText(outcome.result));
    const { reqId, server, tool, result } = outcome;
    const known = { req_id: reqId, server, tool, outcome: outcome.outcome, result };
    tellFact(this.#context, this.#how, { type: 'tool_call_result', ...known });
    if (outcome.failure) this.#how.fail(outcome.failure);
    if (outcome.outcome !== 'succeeded') terminal.err(`(${outcome.outcome} after ${outcome.durationMs} ms)`);
  }
}

/** A line for each. */
const runningText = (calls: readonly RunningCall[]): string[] =>
  calls.length === 0
    ? ['no call runs']
    : calls.map(({ reqId, server, tool, phase, since, progress }) => {
        const told = progress ? `  ${progressLine({ tool: '', ...progress }).trimStart()}` : '';
        return `${reqId}  ${server}  ${tool}  ${phase}  since ${since}${told}`;
      });

export type Params =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };
/** The parameters of a call, or why the text is none; `hint` stands behind that. */
export function paramsOf(json: string, hint = ''): Params {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, value: { ...value } };
    return { ok: false, message: 'the parameters are a JSON object, such as {"path": "README.md"}' };
  } catch (error) {
    return { ok: false, message: `the parameters are no JSON: ${(error as Error).message}.${hint}` };
  }
}
