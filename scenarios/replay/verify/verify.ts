import { createComputer } from '../../../actors/api/computer.ts';
import type { Computer } from '../../../actors/api/computer-handle.ts';
import type { CallOutcome } from '../../../actors/api/call-outcome.ts';
import { A2cError, failureOf } from '../../../actors/kernel/errors.ts';
import type { ServerStatus } from '../../../actors/servers/server-handle.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import { comparable, requestText } from '../world/matching.ts';
import type { RecordedRequest } from '../world/recorded.ts';
import { traceOf, type ReadTrace } from '../world/world.ts';
import { HiddenValues, type GivenValues } from './hidden-values.ts';
import { CannotVerify, errorWords, planOf, writingCalls, type FailureKind, type VerifyPlan } from './plan.ts';
import { answerDifferences } from './shape.ts';
import { targetOf, type Target } from './target.ts';

export { CannotVerify } from './plan.ts';
/** Selection of the server to verify, and of the requests it may get. */
export interface VerifyInput {
  /** Name of the recorded server; by default the one whose failure was recorded. */
  readonly server?: string;
  /**
   * Command and arguments that start the server, with the whole environment of this process; by default those of the recorded
   * config.
   */
  readonly command?: readonly string[];
  /**
   * Values that are hidden in the trace, by their paths: `arguments.pin`, or `28.arguments.pin` for the request in record 28;
   * `env.TOKEN`, `headers.Authorization`, `args.1` and `url` of the recorded config; `input.ID` of an input.
   */
  readonly set?: GivenValues;
  /** Allows calls of tools that are not marked read-only; false by default. */
  readonly yes?: boolean;
  /** Compares the other answers by value; false by default, which compares types and keys. */
  readonly exact?: boolean;
  /** Time limit in ms for each request that did not fail by time-out; 60,000 by default. */
  readonly timeoutMs?: number;
  /** Signal that ends the server and makes `verify` reject. */
  readonly signal?: AbortSignal;
  /** Called before each action with a few words about it. */
  readonly onStep?: (text: string) => void;
}
/** Request that was sent, with the answer of the real server. */
export interface VerifiedAnswer {
  /** Number of the request's record in the trace. */
  readonly s: number;
  /** Request in one line. */
  readonly request: string;
  /** Answer in one line. */
  readonly text: string;
  /** Differences from the recorded answer; empty for the request that had failed. */
  readonly differences: readonly string[];
}
/** Result of verifying a real server. */
export interface VerifyReport {
  /**
   * Verdict. `red`: the recorded failure came again, or the server died or took too long. `green`: the request that had failed is
   * answered, and all other answers are as recorded. `changed`: that request is answered, but another answer differs.
   */
  readonly verdict: 'red' | 'green' | 'changed';
  /** Name of the server in the trace. */
  readonly server: string;
  /** Recorded failure, and the current result of the same request. */
  readonly failure: {
    readonly kind: FailureKind;
    readonly request: string;
    readonly was: string;
    readonly now: string;
  };
  /** All requests that were sent, in order, with their answers. */
  readonly answers: readonly VerifiedAnswer[];
}
/** End of a request. */
type Ended =
  | { readonly type: 'death' | 'timeOut'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: RecordedRequest['answer']; readonly text: string };

const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 300);
function endOf(failure: Failure | null, result: unknown): Ended {
  const text = inLine(failure?.message ?? '');
  if (failure?.code === 'ServerLost') return { type: 'death', text };
  if (failure && [408, 4004].includes(Number(failure.code))) return { type: 'timeOut', text };
  const answer: RecordedRequest['answer'] = failure ? { type: 'error', failure } : { type: 'result', result };
  return { type: 'answer', answer, text: inLine(errorWords(answer) ?? 'answered') };
}
const endOfCall = ({ failure, result, end, toolError }: CallOutcome): Ended =>
  end === 'timedOut'
    ? { type: 'timeOut', text: inLine(failure?.message ?? '') }
    : endOf(toolError ? null : failure, result);

interface Params {
  readonly name?: string;
  readonly uri?: string;
  readonly arguments?: Readonly<Record<string, string>>;
}
const onTheWay: ReadonlySet<string> = new Set(['connecting', 'recovering', 'closing']);
/** Real computer with only this server. */
class Asker {
  readonly #computer: Computer;
  readonly #server: string;
  readonly #timeoutMs: number;
  constructor(computer: Computer, server: string, timeoutMs: number) {
    this.#computer = computer;
    this.#server = server;
    this.#timeoutMs = timeoutMs;
  }
  /** Resolves when the server is ready or cannot become ready. */
  async ready(): Promise<ServerStatus | undefined> {
    const status = (): ServerStatus | undefined =>
      this.#computer.servers().find(({ name }) => name === this.#server);
    const isOnTheWay = (): boolean => onTheWay.has(status()?.state ?? 'closed');
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isOnTheWay()) resolve();
      };
      this.#computer.on('server.changed', look);
      this.#computer.on('computer.changed', ({ state }) => state === 'closed' && resolve());
      look();
    });
    return status();
  }
  async ask({ method, answer }: RecordedRequest, params: Record<string, unknown>): Promise<Ended> {
    const timeoutMs = answer.type === 'timedOut' ? Math.max(1, Math.round(answer.ms)) : this.#timeoutMs;
    const { name = '', uri = '', arguments: given = {} } = params as Params;
    if (method === 'tools/call')
      return endOfCall(await this.#computer.callTool(name, given, { timeoutMs, confirmed: true }));
    try {
      const result =
        method === 'resources/read'
          ? { contents: await this.#computer.readResource(uri, { server: this.#server }) }
          : await this.#computer.getPrompt(this.#server, name, given);
      return endOf(null, result);
    } catch (error) {
      if (error instanceof A2cError) return endOf(failureOf(error), null);
      throw error;
    }
  }
}

/** Sends requests with the recorded overlap: each after those that had been answered before it. */
async function inRecordedOrder(
  requests: readonly RecordedRequest[],
  ask: (request: RecordedRequest) => Promise<Ended>,
): Promise<readonly Ended[]> {
  const asked: Promise<Ended>[] = [];
  for (const request of requests) {
    const before = asked.filter((_, n) => (requests[n]?.answeredAt ?? Infinity) < request.s);
    const ends = await Promise.all(before);
    // Stops after the server has died.
    if (ends.some(({ type }) => type === 'death')) break;
    asked.push(ask(request));
  }
  return Promise.all(asked);
}

/** Replaces numbers in a text, because ports, times and addresses differ from run to run. */
const masked = (text: string): string => text.replaceAll(/0x[0-9a-f]+|\d+/gi, '#');
function isRed({ failure: { kind } }: VerifyPlan, request: RecordedRequest, end: Ended | undefined): boolean {
  if (!end || end.type !== 'answer') return true;
  if (kind !== 'error') return false;
  const [was, now] = [errorWords(request.answer), errorWords(end.answer)];
  return was !== undefined && now !== undefined && masked(was) === masked(now);
}
const apart = ({ answer }: RecordedRequest, end: Ended, isExact: boolean): readonly string[] => {
  if (answer.type === 'none') return [];
  if (end.type !== 'answer')
    return [`it was ${answer.type === 'result' ? 'answered' : answer.type}: ${end.text}`];
  const [was, now] = [errorWords(answer), errorWords(end.answer)];
  if ((was === undefined) !== (now === undefined))
    return [`it was ${was ?? 'answered well'}, is ${now ?? 'answered well'}`];
  if (answer.type !== 'result' || end.answer.type !== 'result') return [];
  return answerDifferences(answer.result, end.answer.result, isExact);
};

interface Prepared {
  readonly plan: VerifyPlan;
  readonly target: Target;
  readonly paramsOf: (request: RecordedRequest) => Record<string, unknown>;
}
/** Prepares everything, and finds all missing values before anything is started. */
function prepare(trace: Trace, { server, command = [], set = {}, yes = false }: VerifyInput): Prepared {
  const plan = planOf(trace, server);
  const values = new HiddenValues(set);
  for (const request of plan.requests) values.learn(comparable(request), request.s);
  const filled = new Map(plan.requests.map((request) => [request.s, values.fill(comparable(request))]));
  const target = targetOf(trace, plan, command, values, set);
  const { missing } = values;
  if (missing.size > 0)
    throw new CannotVerify(
      `hidden in the trace: give ${[...missing].map((path) => `--set ${path}=…`).join(' and ')}`,
    );
  const writing = writingCalls(plan);
  if (writing.length > 0 && !yes)
    throw new CannotVerify(`not marked read-only, so it needs --yes: ${writing.join('; ')}`);
  return { plan, target, paramsOf: ({ s }) => filled.get(s) as Record<string, unknown> };
}

/**
 * Sends a real server the requests of the recorded session (calls, reads and prompts), up to the one that failed, over this
 * package's own launcher and transports. The server is ended in any case. Takes a file or a trace that was read. Rejects with
 * `CannotVerify` when no failure is recorded, or a value or `yes` is missing; then nothing was started.
 * @example
 * const { verdict } = await verify('acme.trace.ndjson', { command: ['node', 'server.mjs'], yes: true });
 * expect(verdict).toBe('green');
 */
export async function verify(of: ReadTrace | string, input: VerifyInput = {}): Promise<VerifyReport> {
  const { plan, target, paramsOf } = prepare(traceOf(of).trace, input);
  const { signal, onStep = () => {}, timeoutMs = 60_000, exact = false } = input;
  const { name } = plan.server;
  signal?.throwIfAborted();
  onStep(`starting '${name}'`);
  const computer = await createComputer({
    name: 'verify',
    config: target.config,
    input: async ({ id }) => target.inputs[id],
    autoReconnect: false,
    stateDir: false,
    record: false,
    timing: { callIdleMs: 0 },
    ...(signal && { signal }),
  });
  const stop = (): void => void computer.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const asker = new Asker(computer, name, timeoutMs);
    const status = await asker.ready();
    signal?.throwIfAborted();
    if (status?.state !== 'ready') return reportOfStart(plan, status?.reason ?? status?.state ?? 'closed');
    const total = plan.requests.length;
    const ends = await inRecordedOrder(plan.requests, (request) => {
      onStep(`request ${plan.requests.indexOf(request) + 1} of ${total}: ${requestText(request)}`);
      return asker.ask(request, paramsOf(request));
    });
    signal?.throwIfAborted();
    return reportOf(plan, ends, exact);
  } finally {
    signal?.removeEventListener('abort', stop);
    await computer.close();
  }
}
const requestOf = ({ failure: { request } }: VerifyPlan): string =>
  request ? requestText(request) : 'its start';
const reportOfStart = (plan: VerifyPlan, now: string): VerifyReport => ({
  verdict: 'red',
  server: plan.server.name,
  failure: {
    kind: plan.failure.kind,
    request: requestOf(plan),
    was: plan.failure.text,
    now: `it did not start: ${inLine(now)}`,
  },
  answers: [],
});
function reportOf(plan: VerifyPlan, ends: readonly Ended[], isExact: boolean): VerifyReport {
  const { failure, requests, server } = plan;
  const answers = ends.map((end, n): VerifiedAnswer => {
    const request = requests[n] as RecordedRequest;
    const isFailed = request === failure.request;
    const differences = isFailed ? [] : apart(request, end, isExact);
    return { s: request.s, request: requestText(request), text: end.text, differences };
  });
  const last = failure.request && ends[requests.indexOf(failure.request)];
  const dead = ends.find((end) => end.type === 'death');
  const isFailing = failure.request !== null && isRed(plan, failure.request, last ?? dead);
  const isOther = answers.some(({ differences }) => differences.length > 0);
  return {
    verdict: isFailing ? 'red' : isOther ? 'changed' : 'green',
    server: server.name,
    failure: {
      kind: failure.kind,
      request: requestOf(plan),
      was: failure.text,
      now: failure.request === null ? 'it started' : ((last ?? dead)?.text ?? 'it was not asked'),
    },
    answers,
  };
}
