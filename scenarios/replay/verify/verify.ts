import type { Trace } from '../../../machines/trace/reading.ts';
import { isObject } from '../../../machines/protocol/json.ts';
import { comparable } from '../world/matching.ts';
import { traceOf, type ReadTrace } from '../world/world.ts';
import { HiddenValues, type GivenValues } from './hidden-values.ts';
import { expectedRow, judge, worst, type Judged, type VerifyVerdict } from './judge.ts';
import {
  CannotVerify,
  planOf,
  rowAt,
  rowText,
  writingCalls,
  type Expectation,
  type Row,
  type VerifyPlan,
} from './plan.ts';
import { openServer, Play, type Played, type PlayOptions } from './play.ts';
import { isSameFailure, type FailureKind } from './seen.ts';
import type { Path } from './shape.ts';
import { targetOf, type Target } from './target.ts';

export { CannotVerify } from './plan.ts';
export type { VerifyVerdict } from './judge.ts';
/** Selection of the server to verify, of the requests it may get, and of what counts as equal. */
export interface VerifyInput {
  /** Name of the recorded server; by default the one for whose failure the trace was written, else the one that failed first. */
  readonly server?: string;
  /**
   * Number of a record, as `a2c replay --inputs` prints it: the failure to verify, alone. By default the failure that the trace
   * was written for is reported first, and all failures count.
   */
  readonly record?: number;
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
  /** Compares answers by value; false by default, which compares types and keys, and names and schemas of tools. */
  readonly exact?: boolean;
  /** Places of answers that are not compared, such as `result.structuredContent.time`; `*` is any key or number. */
  readonly ignore?: readonly string[];
  /**
   * Values that answers must have, by record and place: `{ '25:result.content.0.text': '30' }`, or `{ '25:error.code': -32602 }` for
   * an error that is wanted.
   */
  readonly expect?: Readonly<Record<string, unknown>>;
  /** Time limit in ms for each request that was answered in the recording, and for the start; 60,000 by default. */
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
  /** Verdict about this answer. */
  readonly verdict: VerifyVerdict;
  /** Recorded answer in one line. */
  readonly was: string;
  /** Answer in one line. */
  readonly text: string;
  /** Differences from the recorded answer, one line each. */
  readonly differences: readonly string[];
}
/** Result of verifying a real server. */
export interface VerifyReport {
  /**
   * Verdict. `green`: everything is answered as it should be. `red`: a recorded failure comes again. `other`: the server fails in
   * another way, or an answer differs. `unsure`: what was recorded could not be asked, so nothing is known.
   */
  readonly verdict: VerifyVerdict;
  /** Name of the server in the trace. */
  readonly server: string;
  /**
   * Request that decides the verdict: the failure that the trace was written for, or the first with this verdict. `kind` is that
   * of the recorded failure, null for a request that was answered well. Null when nothing has failed, then or now.
   */
  readonly failure: {
    readonly kind: FailureKind | null;
    readonly record: number;
    readonly request: string;
    readonly was: string;
    readonly now: string;
  } | null;
  /** All requests in order, the start of the server included, with their answers. */
  readonly answers: readonly VerifiedAnswer[];
  /** Notes that do not change the verdict, one line each. */
  readonly notes: readonly string[];
  /** Report for people; the first line has the verdict. */
  readonly text: string;
}

const pathOf = (text: string): Path => {
  const path = text.split('.');
  return path[0] === 'result' || path[0] === 'error' ? path : ['result', ...path];
};
function expecting(plan: VerifyPlan, expect: Readonly<Record<string, unknown>>, trace: Trace): VerifyPlan {
  const byRow = new Map<Row, Expectation[]>();
  for (const [place, value] of Object.entries(expect)) {
    const [, record, path] = /^(\d+):(.+)$/s.exec(place) ?? [];
    if (record === undefined || path === undefined)
      throw new CannotVerify(
        `--expect takes N:PATH=VALUE, such as 25:result.content.0.text=30, not ${place}`,
      );
    const row = rowAt(plan.rows, Number(record), trace);
    byRow.set(row, [...(byRow.get(row) ?? []), { path: pathOf(path), value }]);
  }
  const expected = (row: Row): Row => (byRow.has(row) ? expectedRow(row, byRow.get(row) ?? []) : row);
  const rows = plan.rows.map(expected);
  const named = rows[plan.rows.findIndex((row) => row === plan.failure)];
  return { ...plan, rows, failure: named?.isFailure ? named : rows.find(({ isFailure }) => isFailure) };
}
interface Prepared {
  readonly plan: VerifyPlan;
  readonly target: Target;
  readonly paramsOf: (row: Row) => unknown;
}
const withoutMeta = (params: unknown): unknown => {
  if (!isObject(params)) return params;
  const { _meta: _, ...rest } = params;
  return rest;
};
/** Finds all missing values before anything is started. */
function prepare(trace: Trace, input: VerifyInput): Prepared {
  const { server, record, command = [], set = {}, yes = false, expect = {} } = input;
  const plan = expecting(planOf(trace, server, record), expect, trace);
  const values = new HiddenValues(set);
  for (const row of plan.rows) values.learn(comparable(row), row.s);
  const filled = new Map(plan.rows.map((row) => [row, values.fill(withoutMeta(row.params))]));
  const target = targetOf(trace, plan, command, values, set);
  const { missing } = values;
  if (missing.size > 0)
    throw new CannotVerify(
      `hidden in the trace: give ${[...missing].map((path) => `--set ${path}=…`).join(' and ')}`,
    );
  const writing = writingCalls(plan);
  if (writing.length > 0 && !yes)
    throw new CannotVerify(`not marked read-only, so it needs --yes: ${writing.join('; ')}`);
  return { plan, target, paramsOf: (row) => filled.get(row) };
}

/** A recorded failure of two requests at the same time may come at the other one. */
const hasMoved = (failed: Row, { row, now }: Played): boolean =>
  failed.isFailure &&
  failed.s < row.answeredAt &&
  row.s < failed.answeredAt &&
  isSameFailure(failed.was, now);

/**
 * Asks a real server everything that was recorded, in the recorded order and overlap, over this package's own launcher and
 * transports: each failure of the recording, and each answer that was good. After a death the server is started again. It is
 * ended in any case. Takes a file or a trace that was read. Rejects with `CannotVerify` when a value or `yes` is missing; then
 * nothing was started.
 * @example
 * const { verdict, text } = await verify('acme.trace.ndjson', { command: ['node', 'server.mjs'], yes: true });
 * expect(verdict, text).toBe('green');
 */
export const verify = async (of: ReadTrace | string, input: VerifyInput = {}): Promise<VerifyReport> =>
  (await verified(of, input)).report;
export async function verified(
  of: ReadTrace | string,
  input: VerifyInput,
): Promise<{ readonly report: VerifyReport; readonly trace: Trace; readonly played: readonly Played[] }> {
  const { trace } = traceOf(of);
  const { plan, target, paramsOf } = prepare(trace, input);
  const { onStep = () => {}, timeoutMs = 60_000, exact = false, ignore = [] } = input;
  const signal = input.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const options: PlayOptions = { timeoutMs, paramsOf, onStep, signal };
  const { server, close } = await openServer(plan.server.name, target, options);
  try {
    const played = await new Play(server, options).all(plan.rows);
    signal.throwIfAborted();
    const rules = { exact, ignore: ignore.map(pathOf) };
    const judged = played.map((each) => {
      const { differences, verdict } = judge(each, rules);
      const isMoved = verdict === 'other' && plan.rows.some((row) => hasMoved(row, each));
      return { ...each, differences, verdict: isMoved ? 'red' : verdict };
    });
    return { report: reportOf(plan, judged), trace, played };
  } finally {
    await close();
  }
}

type JudgedRow = Played & Judged;
const mostShown = 20;
const answerText = ({ s, verdict, request, text, differences }: VerifiedAnswer): readonly string[] => [
  `  record ${s}  ${verdict === 'green' ? '' : `${verdict}  `}${request}: ${text}`,
  ...differences.map((line) => `      ${line}`),
];
function reportOf(plan: VerifyPlan, judged: readonly JudgedRow[]): VerifyReport {
  const { isAlone, server, notes } = plan;
  // Lets other failures pass where one was asked for.
  const isCounted = ({ row }: JudgedRow): boolean => !isAlone || !row.isFailure || row === plan.failure;
  const counted = judged.filter(isCounted);
  const verdict = worst(counted.map((each) => each.verdict));
  const answers = judged.map((each): VerifiedAnswer => {
    const { row, now, differences, verdict: of } = each;
    const about = { s: row.s, request: rowText(row), was: row.was.text, text: now.text, differences };
    return { ...about, verdict: isCounted(each) ? of : 'green' };
  });
  // Reports about the answer that decides, and about the failure of the trace where that is one of several.
  const deciding = counted.filter(
    (each) => each.verdict === verdict && (verdict !== 'green' || each.row.isFailure),
  );
  const told = deciding.find(({ row, now }) => row === plan.failure && now.kind !== 'unasked') ?? deciding[0];
  const kind = told?.row.was.kind;
  const failure = told && {
    kind: kind === 'good' || kind === 'open' || kind === 'unasked' ? null : (kind as FailureKind),
    record: told.row.s,
    request: rowText(told.row),
    was: told.row.was.text,
    now: [told.now.text, ...told.differences.filter((line) => !line.startsWith('was: '))].join('; '),
  };
  const wrong = answers.filter((each) => each.verdict !== 'green');
  const shown = answers.length > mostShown ? wrong : answers;
  const rest = answers.length - shown.length;
  const isError = verdict === 'red' && kind === 'error';
  const hint = `if that error is wanted: --expect ${told?.row.s}:${told?.now.value?.['error'] ? 'error.code=CODE' : 'result.isError=true'}`;
  const text = [
    `${verdict.toUpperCase()}  '${server.name}'  ${failure?.request ?? `${answers.length} requests are answered as recorded`}`,
    ...(failure ? [`    recorded: ${failure.was}`, `    now: ${failure.now}`] : []),
    ...shown.flatMap(answerText),
    ...(rest > 0 ? [`  ${rest} more are answered as recorded`] : []),
    ...[...notes, ...(isError ? [hint] : [])].map((note) => `  note: ${note}`),
  ].join('\n');
  return { verdict, server: server.name, failure: failure ?? null, answers, notes, text };
}
