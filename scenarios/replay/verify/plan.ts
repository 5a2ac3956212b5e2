import { explained } from '../../../machines/process/stderr.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import { isCrossing, type Trace } from '../../../machines/trace/index.ts';
import { requestText, subjectOf } from '../world/matching.ts';
import type { RecordedRequest, RecordedServer } from '../world/recorded.ts';
import { recordedServers } from '../world/recorded-server.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

/** Error for a trace from which nothing can be sent. The message lists what is missing, one line each, and how to provide it. */
export class CannotVerify extends Error {
  /** Name of the error, always `CannotVerify`. */
  override readonly name = 'CannotVerify';
}
/**
 * Kind of a recorded failure: `death` of the server, `timeOut`, `error` in the answer, or `start` when the server did not come
 * up.
 */
export type FailureKind = 'death' | 'timeOut' | 'error' | 'start';
export interface RecordedFailure {
  readonly kind: FailureKind;
  /** Request that failed; null when the server did not come up. */
  readonly request: RecordedRequest | null;
  /** Recorded failure in one line. */
  readonly text: string;
}
export interface VerifyPlan {
  readonly server: RecordedServer;
  readonly failure: RecordedFailure;
  /** Requests of the same session up to and including the one that failed. */
  readonly requests: readonly RecordedRequest[];
}

/** Methods that a host sends for a caller. All other requests it sends by itself, as the real host will too. */
const ofCallers: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** Tells whether a tool reports an error in its result. */
export const isToolError = (result: unknown): boolean => (result as Fields | null)?.['isError'] === true;
const firstText = (result: unknown): string => {
  const content = (result as { readonly content?: unknown }).content;
  const texts = Array.isArray(content) ? content.map((each) => (each as Fields | null)?.['text']) : [];
  return (texts.find((text) => typeof text === 'string') ?? '').slice(0, 200);
};
/** JSON-RPC error code of a failure, where it is known. */
const codeOf = ({ code, details }: Failure): string | number => {
  const { code: own } = details ?? {};
  return typeof own === 'number' ? own : code;
};
/** Error of an answer as text, for comparison; undefined when the answer is not an error. */
export function errorWords(answer: RecordedRequest['answer']): string | undefined {
  if (answer.type === 'error') return `error ${codeOf(answer.failure)}: ${answer.failure.message}`;
  return answer.type === 'result' && isToolError(answer.result)
    ? `isError: ${firstText(answer.result)}`
    : undefined;
}

function deathOf({ sessions }: RecordedServer, request: RecordedRequest): string {
  const places = [request.unasked, sessions[request.session]?.unasked ?? []].flat();
  const died = places.find((each) => each.type === 'death');
  if (died?.type !== 'death' || died.death.isOutputOnly) return 'its connection ended before it answered';
  const { code, signal, stderr } = died.death;
  const how = signal === null ? `exit code ${code}` : signal;
  const { headline } = explained(stderr);
  return `it ended with ${how}${headline === '' ? '' : `; stderr: ${headline}`}`;
}
function failureOf(server: RecordedServer, request: RecordedRequest): RecordedFailure | undefined {
  const { answer } = request;
  if (answer.type === 'lost') return { kind: 'death', request, text: deathOf(server, request) };
  if (answer.type === 'timedOut')
    return { kind: 'timeOut', request, text: `no answer within ${Math.round(answer.ms)} ms` };
  const text = errorWords(answer);
  return text === undefined ? undefined : { kind: 'error', request, text };
}
function failedStart({ sessions }: RecordedServer): RecordedFailure | undefined {
  const last = sessions.findLast(
    ({ info, unasked, failure, process }) => !info && (failure ?? process?.failed ?? unasked[0]),
  );
  if (!last) return undefined;
  const died = last.unasked.find((each) => each.type === 'death');
  const text =
    last.process?.failed?.message ?? last.failure?.message ?? (died && 'it ended before it had answered');
  return text === undefined ? undefined : { kind: 'start', request: null, text };
}
/**
 * Failure to verify: the first death or time-out, else a failed start, else the last error, because an error may be intended by
 * the server.
 */
function failureIn(server: RecordedServer): RecordedFailure | undefined {
  const asked = server.requests.filter(({ method }) => ofCallers.has(method));
  const all = asked.flatMap((request) => failureOf(server, request) ?? []);
  return all.find(({ kind }) => kind !== 'error') ?? failedStart(server) ?? all.at(-1);
}

/** Chooses the failure and the requests to send. Throws `CannotVerify` when the trace has no failure. */
export function planOf(trace: Trace, name: string | undefined): VerifyPlan {
  const servers = [...recordedServers(trace).values()];
  const chosen = name === undefined ? servers : servers.filter((server) => server.name === name);
  const names = servers.map((server) => server.name).join(', ') || 'none';
  if (chosen.length === 0)
    throw new CannotVerify(`no server '${name ?? ''}' in the trace, which has ${names}`);
  const found = chosen.flatMap((server) => {
    const failure = failureIn(server);
    return failure ? [{ server, failure }] : [];
  });
  const worst = found.find(({ failure }) => failure.kind !== 'error') ?? found[0];
  if (!worst)
    throw new CannotVerify(
      `no failure of ${name === undefined ? 'a server' : `'${name}'`} is recorded: nothing ended, took too long, or answered with an error`,
    );
  const { server, failure } = worst;
  const { request } = failure;
  const requests = server.requests.filter(
    ({ method, session, s }) =>
      request && ofCallers.has(method) && session === request.session && s <= request.s,
  );
  return { server, failure, requests };
}

/** Calls of tools that the recorded list does not mark as read-only, one text each. */
export function writingCalls({ server, requests }: VerifyPlan): readonly string[] {
  const lists = server.requests.filter(({ method }) => method === 'tools/list');
  const tools = lists.flatMap(({ answer }) =>
    answer.type === 'result' ? ((answer.result as { readonly tools?: readonly Fields[] }).tools ?? []) : [],
  );
  const reads = tools.filter(
    ({ annotations }) => (annotations as Fields | null | undefined)?.['readOnlyHint'] === true,
  );
  const names = new Set(reads.map(({ name }) => name));
  return requests
    .filter((request) => request.method === 'tools/call' && !names.has(subjectOf(request)))
    .map((request) => `${requestText(request)} (record ${request.s})`);
}

interface Given {
  readonly servers?: readonly Fields[];
  readonly inputs?: readonly Fields[];
  readonly a2c?: unknown;
}
/** Last recorded config entry of a server before a record, with its inputs; undefined when none is recorded. */
export function givenConfig(
  { lines, facts }: Trace,
  { server, failure }: VerifyPlan,
): { readonly entry: Fields; readonly inputs: readonly Fields[]; readonly a2c: unknown } | undefined {
  const until = failure.request?.s ?? Infinity;
  const given = lines.flatMap(({ record, s }) =>
    s <= until && isCrossing(record) && record.k === 'in' ? [record] : [],
  );
  for (const { ch, ev } of [...(facts?.facts.orders ?? []), ...given].toReversed()) {
    const { config } = (ev ?? {}) as { readonly config?: Given };
    const entry = ch.startsWith('host:') && config?.servers?.find(({ name }) => name === server.name);
    if (entry) return { entry, inputs: config?.inputs ?? [], a2c: config?.a2c };
  }
  return undefined;
}
