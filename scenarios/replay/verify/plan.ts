import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';
import { isCrossing, type Trace } from '../../../machines/trace/reading.ts';
import { outcomesOf, recordedMoments } from '../outcomes.ts';
import { keptFor } from '../report/outcome.ts';
import { requestText, subjectOf } from '../world/matching.ts';
import type { RecordedRequest, RecordedServer } from '../world/recorded.ts';
import { recordedServers } from '../world/recorded-server.ts';
import type { Path } from './shape.ts';
import { recordedDeath, seenOf, type ListedTool, type Seen } from './seen.ts';

/** Error for a trace from which nothing can be sent. The message lists what is missing, one line each, and how to provide it. */
export class CannotVerify extends Error {
  /** Name of the error, always `CannotVerify`. */
  override readonly name = 'CannotVerify';
}
/** Value that an answer must have at a place. */
export interface Expectation {
  readonly path: Path;
  readonly value: unknown;
}
/** `wanted` did not reach the server (tool gone or server away); `idle` waits for a death nobody asked for. */
export interface Row {
  readonly what: 'start' | 'request' | 'wanted' | 'idle';
  /** Number of the record of the request, and of its answer (Infinity without one). */
  readonly s: number;
  readonly answeredAt: number;
  /** Time in ms of the request and of its answer since the beginning of the trace; of `idle` that of the death. */
  readonly t: number;
  readonly endedAt: number;
  readonly session: number;
  readonly method: string;
  readonly params: unknown;
  readonly req: string | undefined;
  readonly was: Seen;
  readonly isFailure: boolean;
  readonly silenceMs?: number;
  /** Result of the list before, in place of the recorded one in which a wanted tool was missing. */
  readonly list?: unknown;
  /** Names of the tools that are called later, and had left this list. */
  readonly wanted: readonly string[];
  readonly expected?: readonly Expectation[];
  readonly hasChanged?: true;
  /** Method of a question of the server to its host while it worked on this request. */
  readonly asked?: string;
}
export interface VerifyPlan {
  readonly server: RecordedServer;
  readonly rows: readonly Row[];
  /** Failure that the report is about: the one asked for, that of the trace's reason, or the first. */
  readonly failure: Row | undefined;
  /** Other recorded failures do not count, because one was asked for. */
  readonly isAlone: boolean;
  readonly notes: readonly string[];
}
export const rowText = ({ what, method, params }: Row): string =>
  what === 'request' || what === 'wanted'
    ? requestText({ method, params })
    : what === 'idle'
      ? 'lives on'
      : method;

/** A host sends all other requests by itself. */
const ofCallers: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
const awayCodes: ReadonlySet<unknown> = new Set(['ServerNotActive', 'ServerLost', 'ToolExecutionTimeout']);
interface HostCall {
  readonly s: number;
  readonly t: number;
  readonly req: string;
  readonly tool: string;
  readonly params: unknown;
}
const callsIn = ({ lines }: Trace): readonly HostCall[] =>
  lines.flatMap(({ record, s, t }) => {
    const { type, reqId, tool, arguments: given, params = given } = fieldsOf(isCrossing(record) && record.ev);
    const isCall = record.k === 'in' && (type === 'callTool' || type === 'agent.called');
    return isCall ? [{ s, t, req: String(reqId), tool: String(tool), params }] : [];
  });
export const toolsIn = (list: unknown): readonly ListedTool[] => {
  const { tools } = fieldsOf(list);
  return Array.isArray(tools) ? tools.filter(isObject) : [];
};
export const toolIn = (list: unknown, name: unknown): ListedTool | undefined =>
  toolsIn(list).find((tool) => tool['name'] === name);

const row = (of: Pick<Row, 'what' | 's' | 't' | 'session' | 'method' | 'was'> & Partial<Row>): Row => ({
  answeredAt: of.s,
  endedAt: of.t,
  params: {},
  req: undefined,
  isFailure: true,
  wanted: [],
  ...of,
});
function deathIn({ sessions, requests }: RecordedServer, n: number) {
  const places = [sessions[n], ...requests.filter(({ session }) => session === n)];
  const all = places.flatMap((place) =>
    (place?.unasked ?? []).flatMap((each) =>
      each.type === 'death' ? [{ death: each.death, t: (place?.t ?? 0) + each.ms }] : [],
    ),
  );
  return all.find(({ death }) => !death.isOutputOnly) ?? all[0];
}
/** Of starts that failed in a row only the first is asked. */
function startRows(server: RecordedServer, n: number): Row[] {
  const session = server.sessions[n];
  if (!session) return [];
  const { s, t, info, failure, process, ms } = session;
  const start = { what: 'start', s, t, endedAt: t + ms, session: n, method: 'initialize' } as const;
  if (info) return [row({ ...start, was: seenOf('', { type: 'result', result: info }), isFailure: false })];
  const death = deathIn(server, n)?.death;
  const message = process?.failed?.message ?? failure?.message;
  if ((message === undefined && !death) || (n > 0 && !server.sessions[n - 1]?.info)) return [];
  const known = death && !death.isOutputOnly ? recordedDeath(server.name, death).text : message;
  return [row({ ...start, was: { kind: 'start', text: known ?? 'it ended' } })];
}
function idleRows(server: RecordedServer, n: number): Row[] {
  const { name, sessions, requests } = server;
  const found = deathIn(server, n);
  const isAsked = requests.some(({ session, answer }) => session === n && answer.type === 'lost');
  if (!found || isAsked || !sessions[n]?.process || !sessions[n]?.info) return [];
  const { t, death } = found;
  return [row({ what: 'idle', method: 'idle', s: death.s, t, session: n, was: recordedDeath(name, death) })];
}

interface Unsent {
  readonly row: Row;
  readonly list?: { readonly s: number };
  readonly before?: unknown;
}
export const goneFrom = (tools: readonly string[]): Seen => ({
  kind: 'gone',
  text: `the list has no ${tools.join(' and no ')}`,
});
/** `reasons` are the tools and servers for which the trace was written. */
function rowsOf(server: RecordedServer, trace: Trace, reasons: readonly unknown[]): Row[] {
  const { name, sessions, requests } = server;
  const calls = callsIn(trace);
  const outcomes = outcomesOf(recordedMoments(trace)).calls;
  const lists = requests.flatMap(({ method, s, session, answer }) =>
    method === 'tools/list' && answer.type === 'result' ? [{ s, session, list: answer.result }] : [],
  );
  const unsentIn = ({ s, t, tool, req, params }: HostCall): Unsent[] => {
    const known = lists.filter((each) => each.s < s);
    const has = known.findLastIndex(({ list }) => toolIn(list, tool));
    const { code, text, server: of } = outcomes[req] ?? {};
    if (has < 0 || requests.some((request) => request.req === req)) return [];
    const call = { what: 'wanted', s, t, req, method: 'tools/call' } as const;
    const asked = { ...call, params: { name: tool, arguments: params ?? {} } };
    const list = known[has + 1];
    if (code === '4001' && list) {
      const gone = row({ ...asked, session: list.session, was: goneFrom([tool]) });
      return [{ row: gone, list, before: known[has]?.list }];
    }
    const session = sessions.findLastIndex((each) => each.s < s);
    const isAway = (deathIn(server, session)?.death.s ?? Infinity) < s || !sessions[session]?.info;
    if (of !== name || !isAway || !awayCodes.has(code)) return [];
    return [{ row: row({ ...asked, session, was: { kind: 'unasked', text: `it was not sent: ${text}` } }) }];
  };
  const unsent = calls.flatMap(unsentIn);
  const requestRow = ({ answer, ms, ...request }: RecordedRequest): Row => {
    const { method, s, session, req, params } = request;
    const subject = subjectOf(request);
    const list = lists.findLast((each) => each.s < s)?.list;
    const called = calls.find((call) => call.req === req)?.tool;
    const isNamed = reasons.includes(subject) || (called !== undefined && reasons.includes(called));
    const causes = unsent.filter((each) => each.list?.s === s);
    // Takes a call that was taken back for a failure only when the trace was written for it.
    const isSilent = answer.type === 'timedOut' || answer.type === 'withdrawn';
    const read = answer.type === 'withdrawn' && isNamed ? ({ ...answer, type: 'timedOut' } as const) : answer;
    const died = recordedDeath(name, deathIn(server, session)?.death);
    const was = seenOf(method, read, toolIn(list, subject), died);
    const missing = causes.map((each) => String(subjectOf(each.row)));
    const asked = request.unasked.find((each) => each.type === 'question');
    const change = `notifications/${method.replace('/list', '')}/list_changed`;
    const hasChanged = requests
      .filter((each) => each.session === session && each.s >= s)
      .some(({ unasked }) => unasked.some((each) => each.type === 'notification' && each.method === change));
    // An error to a list or a subscription of the host only says that the server has none.
    const isOwn = !ofCallers.has(method) && method !== 'tools/list';
    const isWanted = was.kind === 'error' && (isOwn || (reasons.length > 0 && !isNamed));
    return row({
      ...{ what: 'request', method, s, session: Math.max(0, session), t: request.t, req, params },
      answeredAt: request.answeredAt,
      endedAt: request.t + ms,
      wanted: missing,
      was: causes[0] ? goneFrom(missing) : was,
      isFailure: causes.length > 0 || (was.kind !== 'good' && was.kind !== 'open' && !isWanted),
      ...(isSilent && { silenceMs: Math.max(1, Math.round(answer.ms)) }),
      ...(causes[0] && { list: causes[0].before }),
      ...(asked && { asked: asked.method }),
      ...(hasChanged && { hasChanged }),
    });
  };
  const rows = [
    ...sessions.flatMap((_, n) => [...startRows(server, n), ...idleRows(server, n)]),
    ...requests.filter(({ method }) => method !== 'ping').map(requestRow),
    ...unsent.map((each) => each.row),
  ];
  return rows.toSorted((a, b) => a.session - b.session || a.s - b.s);
}

/** The record is the request, its answer, or the call of its caller; throws `CannotVerify` without a row. */
export function rowAt(rows: readonly Row[], n: number, { lines }: Trace): Row {
  const { req } = fieldsOf(lines.find(({ s }) => s === n)?.record);
  const found =
    rows.find(({ s }) => s === n) ??
    rows.find((each) => each.answeredAt === n || (each.req !== undefined && each.req === req));
  if (found) return found;
  const known = rows.map((each) => `${each.s} ${rowText(each)}`).join(', ');
  throw new CannotVerify(`record ${n} is no request to the server; these are: ${known}`);
}
interface Chosen {
  readonly server: RecordedServer;
  readonly rows: readonly Row[];
  readonly failure: Row | undefined;
  readonly rank: number;
}
function chosenOf(server: RecordedServer, trace: Trace, reasons: readonly string[]): Chosen {
  const rows = rowsOf(server, trace, reasons);
  const failing = rows.filter(({ isFailure }) => isFailure);
  // Takes the last failure of a name, because a trace is written just after it.
  const named = reasons.map((reason) =>
    failing.findLast((each) => server.name === reason || subjectOf(each) === reason),
  );
  const found = named.findIndex((each) => each !== undefined);
  const isNamed = found >= 0;
  return {
    server,
    rows,
    failure: isNamed ? named[found] : failing[0],
    rank: isNamed ? found : reasons.length,
  };
}
/**
 * Chooses the server and its failure: the record that was asked for, else what the trace was written for, else what came first.
 * Throws `CannotVerify` when that cannot be decided.
 */
export function planOf(trace: Trace, name: string | undefined, record: number | undefined): VerifyPlan {
  const servers = [...recordedServers(trace).values()].filter(({ sessions }) => sessions.length > 0);
  const chosen = name === undefined ? servers : servers.filter((server) => server.name === name);
  const names = servers.map((server) => server.name).join(', ') || 'none';
  if (chosen.length === 0)
    throw new CannotVerify(
      name === undefined ? 'the trace has no server' : `no server '${name}' in the trace, which has ${names}`,
    );
  const reasons = keptFor(trace).map(({ subject }) => subject);
  const all = chosen.map((server) => chosenOf(server, trace, reasons));
  const notes = [
    ...(trace.facts ? ['the trace begins later than its host, so requests from before are not asked'] : []),
    ...(trace.tail ? [] : ['the recording has no end: its host died, or it was cut']),
  ];
  if (record !== undefined) return { ...recordedPlan(all, record, trace), isAlone: true, notes };
  const failed = all
    .filter(({ failure }) => failure)
    .toSorted((a, b) => a.rank - b.rank || (a.failure?.s ?? 0) - (b.failure?.s ?? 0));
  const [found = all.length === 1 ? all[0] : undefined] = failed;
  if (!found)
    throw new CannotVerify(`no failure is recorded, so say which server is meant with --server: ${names}`);
  return { ...found, isAlone: false, notes };
}
function recordedPlan(all: readonly Chosen[], record: number, trace: Trace) {
  const named = rowAt(
    all.flatMap(({ rows }) => rows),
    record,
    trace,
  );
  const { server, rows } = all.find((each) => each.rows.includes(named)) as Chosen;
  const until = Number.isFinite(named.answeredAt) ? Math.max(named.s, named.answeredAt) : named.s;
  // Takes a request that nobody waited for any longer as one without an answer.
  const { was, silenceMs } = named;
  const isSilent = was.kind === 'open' && silenceMs !== undefined;
  const silent = isSilent && seenOf(named.method, { type: 'timedOut', ms: silenceMs });
  const failure: Row = { ...named, isFailure: was.kind !== 'good', ...(silent && { was: silent }) };
  const asked = rows.filter(
    ({ session, s }) => session < named.session || (session === named.session && s <= until),
  );
  return { server, rows: asked.map((each) => (each === named ? failure : each)), failure };
}

/** Their tools are not marked as read-only in the recorded list. */
export function writingCalls({ server, rows }: VerifyPlan): readonly string[] {
  const lists = server.requests.flatMap(({ answer }) =>
    answer.type === 'result' ? toolsIn(answer.result) : [],
  );
  const reads = lists.filter(({ annotations }) => fieldsOf(annotations)['readOnlyHint'] === true);
  const names = new Set<unknown>(reads.map(({ name }) => name));
  return rows
    .filter((row) => row.method === 'tools/call' && !names.has(subjectOf(row)))
    .map((row) => `${rowText(row)} (record ${row.s})`);
}

interface Given {
  readonly servers?: readonly Fields[];
  readonly inputs?: readonly Fields[];
  readonly a2c?: unknown;
}
export function givenConfig(
  { lines, facts }: Trace,
  { server, failure }: VerifyPlan,
): { readonly entry: Fields; readonly inputs: readonly Fields[]; readonly a2c: unknown } | undefined {
  const until = failure?.s ?? Infinity;
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
