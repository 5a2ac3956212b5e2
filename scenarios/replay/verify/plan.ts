import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';
import { isCrossing, type Trace } from '../../../machines/trace/index.ts';
import { outcomesOf, recordedMoments, type Outcomes } from '../outcomes.ts';
import { keptFor } from '../report/outcome.ts';
import { requestText, subjectOf } from '../world/matching.ts';
import type { RecordedDeath, RecordedRequest, RecordedServer } from '../world/recorded.ts';
import { recordedServers } from '../world/recorded-server.ts';
import { recordedDeath, seenOf, type ListedTool, type Seen } from './seen.ts';

/** Error for a trace from which nothing can be sent. The message lists what is missing, one line each, and how to provide it. */
export class CannotVerify extends Error {
  /** Name of the error, always `CannotVerify`. */
  override readonly name = 'CannotVerify';
}
/**
 * One thing to ask: `start` starts the server and initializes it, `request` sends a request, `wanted` is a call that its host
 * refused because the tool had left the list, and `idle` waits for a death that nobody had asked for.
 */
export interface Row {
  readonly what: 'start' | 'request' | 'wanted' | 'idle';
  /** Number of the record of the request, and of its answer (Infinity without one). */
  readonly s: number;
  readonly answeredAt: number;
  /** Time in ms of the request and of its answer since the beginning of the trace; of `idle` that of the death. */
  readonly t: number;
  readonly endedAt: number;
  /** Number of the run of the server, counted from 0. */
  readonly session: number;
  readonly method: string;
  readonly params: unknown;
  readonly req: string | undefined;
  readonly was: Seen;
  /** Tells that the end is a failure, which must not come again. */
  readonly isFailure: boolean;
  /** Time in ms for which the caller had waited in vain. */
  readonly silenceMs?: number;
  /** Result of the list before, in place of the recorded one in which a wanted tool was missing. */
  readonly list?: unknown;
  /** Names of the tools that are called later, and had left this list. */
  readonly wanted: readonly string[];
  /** Tells that the server has changed this list later, and was not asked again. */
  readonly hasChanged?: true;
  /** Method of a question of the server to its host while it worked on this request. */
  readonly asked?: string;
}
export interface VerifyPlan {
  readonly server: RecordedServer;
  readonly rows: readonly Row[];
  /** Failure that the report is about: the one asked for, that of the trace's reason, or the first. */
  readonly failure: Row | undefined;
  /** Tells that other recorded failures do not count, because one was asked for. */
  readonly isAlone: boolean;
  readonly notes: readonly string[];
}
export const rowText = ({ what, method, params }: Row): string =>
  what === 'request' || what === 'wanted'
    ? requestText({ method, params })
    : what === 'idle'
      ? 'lives on'
      : method;

/** Methods that a host sends for a caller. All other requests it sends by itself. */
const ofCallers: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** Call as its caller made it: at the host, or from an agent. */
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

const subjectsOf = (trace: Trace): readonly string[] => keptFor(trace).map(({ subject }) => subject);
/** Makes the rows of one server. */
class Rows {
  readonly #server: RecordedServer;
  readonly #calls: readonly HostCall[];
  /** Tools and servers for which the trace was written. */
  readonly #reasons: readonly unknown[];
  readonly #lists: readonly { readonly s: number; readonly list: unknown }[];
  readonly #outcomes: Outcomes['calls'];

  constructor(server: RecordedServer, trace: Trace) {
    this.#server = server;
    this.#calls = callsIn(trace);
    this.#reasons = subjectsOf(trace);
    this.#lists = server.requests.flatMap(({ method, s, answer }) =>
      method === 'tools/list' && answer.type === 'result' ? [{ s, list: answer.result }] : [],
    );
    this.#outcomes = outcomesOf(recordedMoments(trace)).calls;
  }
  all(): Row[] {
    const { sessions, requests } = this.#server;
    const gone = this.#gone();
    const rows = [
      ...sessions.flatMap((_, n) => [...this.#start(n), ...this.#idle(n)]),
      ...requests.filter(({ method }) => method !== 'ping').map((request) => this.#request(request, gone)),
      ...gone.map((row) => row.row),
    ];
    return rows.toSorted((a, b) => a.session - b.session || a.s - b.s);
  }
  /** Tells whether the trace was written for this request or server. */
  #isNamed(subjects: readonly unknown[]): boolean {
    return this.#reasons.some((reason) => subjects.includes(reason));
  }
  #start(n: number): Row[] {
    const { sessions, name } = this.#server;
    const { s, t, info, failure, process, unasked, ms } = sessions[n] as (typeof sessions)[number];
    const base = {
      what: 'start',
      s,
      t,
      session: n,
      method: 'initialize',
      params: {},
      req: undefined,
    } as const;
    const more = { answeredAt: s, endedAt: t + ms, wanted: [] };
    if (info)
      return [{ ...base, ...more, was: seenOf('', { type: 'result', result: info }), isFailure: false }];
    const death = unasked.flatMap((each) => (each.type === 'death' ? [each.death] : []))[0];
    const message = process?.failed?.message ?? failure?.message;
    if (message === undefined && !death) return [];
    // Asks a start once that had failed several times in a row.
    if (n > 0 && !sessions[n - 1]?.info) return [];
    const known = death && !death.isOutputOnly ? recordedDeath(name, death) : undefined;
    return [
      {
        ...base,
        ...more,
        was: { kind: 'start', text: known?.text ?? message ?? 'it ended' },
        isFailure: true,
      },
    ];
  }
  #deaths(n: number): readonly { readonly death: RecordedDeath; readonly t: number }[] {
    const { sessions, requests } = this.#server;
    const places = [sessions[n], ...requests.filter(({ session }) => session === n)];
    const all = places.flatMap((place) =>
      (place?.unasked ?? []).flatMap((each) =>
        each.type === 'death' ? [{ death: each.death, t: (place?.t ?? 0) + each.ms }] : [],
      ),
    );
    return all.toSorted((a, b) => Number(a.death.isOutputOnly) - Number(b.death.isOutputOnly));
  }
  /** Death of a process that left no request unanswered. */
  #idle(n: number): Row[] {
    const { name, sessions, requests } = this.#server;
    const [found] = this.#deaths(n);
    const isAsked = requests.some(({ session, answer }) => session === n && answer.type === 'lost');
    if (!found || isAsked || !sessions[n]?.process || !sessions[n]?.info) return [];
    const { t, death } = found;
    const place = { s: death.s, answeredAt: death.s, t, endedAt: t, session: n, req: undefined, wanted: [] };
    const was = recordedDeath(name, death);
    return [{ what: 'idle', method: 'idle', params: {}, ...place, was, isFailure: true }];
  }
  #request({ answer, ms, ...request }: RecordedRequest, gone: readonly Gone[]): Row {
    const { method, s, session, t, req, params, answeredAt } = request;
    const subject = subjectOf(request);
    const list = this.#lists.findLast((each) => each.s < s)?.list;
    const died = recordedDeath(this.#server.name, this.#deaths(session)[0]?.death);
    const isNamed = this.#isNamed([subject, this.#calls.find((call) => call.req === req)?.tool ?? subject]);
    const causes = gone.filter((each) => each.list.s === s);
    // Takes a call that was taken back for a failure only when the trace was written for it.
    const isSilent = answer.type === 'timedOut' || answer.type === 'withdrawn';
    const read = answer.type === 'withdrawn' && isNamed ? ({ ...answer, type: 'timedOut' } as const) : answer;
    const was = seenOf(method, read, toolIn(list, subject), died);
    const missing = causes.map(({ row }) => String(subjectOf(row)));
    const asked = request.unasked.find((each) => each.type === 'question');
    const hasChanged = this.#server.requests.some(
      (each) =>
        each.session === session &&
        each.s >= s &&
        each.unasked.some(
          (one) =>
            one.type === 'notification' &&
            one.method === `notifications/${method.replace('/list', '')}/list_changed`,
        ),
    );
    // Takes an error for a failure unless the trace was written for something else. An error to a list or a subscription of the
    // host only says that the server has none.
    const isOwn = !ofCallers.has(method) && method !== 'tools/list';
    const isWanted = was.kind === 'error' && (isOwn || (this.#reasons.length > 0 && !isNamed));
    const place = { s, session: Math.max(0, session), t, req, params, answeredAt, endedAt: t + ms };
    return {
      what: 'request',
      method,
      ...place,
      wanted: missing,
      was: causes[0] ? goneFrom(missing) : was,
      isFailure: causes.length > 0 || (was.kind !== 'good' && was.kind !== 'open' && !isWanted),
      ...(isSilent && { silenceMs: Math.max(1, Math.round(answer.ms)) }),
      ...(causes[0] && { list: causes[0].before }),
      ...(asked && { asked: asked.method }),
      ...(hasChanged && { hasChanged }),
    };
  }
  /** Calls that the host refused, because their tool had left the list. */
  #gone(): readonly Gone[] {
    return this.#calls.flatMap((call): readonly Gone[] => {
      const { s, t, tool, req, params } = call;
      const lists = this.#lists.filter((each) => each.s < s);
      const has = lists.findLastIndex(({ list }) => toolIn(list, tool));
      const list = lists[has + 1];
      if (this.#outcomes[req]?.code !== '4001' || has < 0 || !list) return [];
      const session = this.#server.requests.find((request) => request.s === list.s)?.session ?? 0;
      const place = { s, answeredAt: s, t, endedAt: t, session, req, wanted: [] };
      const asked = { method: 'tools/call', params: { name: tool, arguments: params ?? {} } };
      const row = { what: 'wanted', ...place, ...asked, was: goneFrom([tool]), isFailure: true } as const;
      return [{ row, list, before: lists[has]?.list }];
    });
  }
}
interface Gone {
  readonly row: Row;
  readonly list: { readonly s: number };
  readonly before: unknown;
}
export const goneFrom = (tools: readonly string[]): Seen => ({
  kind: 'gone',
  text: `the list has no ${tools.join(' and no ')}`,
});

const isOf =
  (n: number) =>
  ({ s, answeredAt, req }: Row, trace: Trace): boolean => {
    const line = trace.lines.find((each) => each.s === n);
    return (
      s === n ||
      answeredAt === n ||
      (req !== undefined && line !== undefined && fieldsOf(line.record)['req'] === req)
    );
  };
/** Finds the row of a record: of the request, its answer, or the call of its caller. Throws `CannotVerify` when there is none. */
export function rowAt(rows: readonly Row[], n: number, trace: Trace): Row {
  const row = rows.find((each) => each.s === n) ?? rows.find((each) => isOf(n)(each, trace));
  if (row) return row;
  const known = rows.map((each) => `${each.s} ${rowText(each)}`).join(', ');
  throw new CannotVerify(`record ${n} is no request to the server; these are: ${known}`);
}
interface Chosen {
  readonly server: RecordedServer;
  readonly rows: readonly Row[];
  readonly failure: Row | undefined;
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
  const reasons = subjectsOf(trace);
  const all = chosen.map((server): Chosen => {
    const rows = new Rows(server, trace).all();
    const failing = rows.filter(({ isFailure }) => isFailure);
    const isReason = (row: Row): boolean =>
      reasons.some((each) => [server.name, subjectOf(row)].includes(each));
    return { server, rows, failure: failing.findLast(isReason) ?? failing[0] };
  });
  if (record !== undefined) return recordedPlan(all, record, trace);
  const failed = all
    .filter(({ failure }) => failure)
    .toSorted((a, b) => rankOf(a, reasons) - rankOf(b, reasons));
  const [found = all.length === 1 ? all[0] : undefined] = failed;
  if (!found)
    throw new CannotVerify(`no failure is recorded, so say which server is meant with --server: ${names}`);
  return { ...found, isAlone: false, notes: notesOf(trace) };
}
/** Place of a failed server: one that the trace was written for first, then the one that failed first. */
const rankOf = ({ server, failure }: Chosen, reasons: readonly string[]): number => {
  const isReason = reasons.some((each) => [server.name, failure && subjectOf(failure)].includes(each));
  return (failure?.s ?? 0) + (isReason ? 0 : 1e12);
};
function recordedPlan(all: readonly Chosen[], record: number, trace: Trace): VerifyPlan {
  const row = rowAt(
    all.flatMap(({ rows }) => rows),
    record,
    trace,
  );
  const { server, rows } = all.find((each) => each.rows.includes(row)) as Chosen;
  const until = Math.max(row.s, Math.min(row.answeredAt, 1e12));
  // Takes a request that nobody waited for any longer as one without an answer.
  const { was, silenceMs } = row;
  const isSilent = was.kind === 'open' && silenceMs !== undefined;
  const silent = isSilent && seenOf(row.method, { type: 'timedOut', ms: silenceMs });
  const failure = { ...row, isFailure: was.kind !== 'good', ...(silent && { was: silent }) };
  const asked = rows.filter(
    ({ session, s }) => session < row.session || (session === row.session && s <= until),
  );
  return {
    server,
    rows: asked.map((each) => (each === row ? failure : each)),
    failure,
    isAlone: true,
    notes: notesOf(trace),
  };
}
const notesOf = ({ facts, tail }: Trace): readonly string[] => [
  ...(facts ? ['the trace begins later than its host, so requests from before are not asked'] : []),
  ...(tail ? [] : ['the recording has no end: its host died, or it was cut']),
];

/** Calls of tools that the recorded list does not mark as read-only, one text each. */
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
/** Last recorded config entry of a server before a record, with its inputs; undefined when none is recorded. */
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
