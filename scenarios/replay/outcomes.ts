import type { EventObject } from 'xstate';
import { interpreted, type ToldOutcome } from '../../actors/api/call-outcome.ts';
import { mismatchIn } from '../../actors/recording/reasons.ts';
import { unreadableIn } from '../../machines/protocol/tool-result.ts';
import { isCrossing, type Trace } from '../../machines/trace/reading.ts';
import type { TapeMoment } from './tape.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Outcome of one tool call, made by the host itself or by an agent at its computer. */
export interface CallOutcome {
  /** Name of the tool, as the caller gave it. */
  readonly tool: string;
  /** Name of the server in the config; null when unknown. */
  readonly server: string | null;
  /** Knowledge about the effect of the call: `succeeded`, `failed` or `unknown`. Null when the caller got no answer. */
  readonly outcome: string | null;
  /**
   * End of the call: `succeeded`, `failed`, `timedOut`, `cancelled`, `refused` or `unknown`; null when the caller got no answer.
   */
  readonly end: string | null;
  /** Code of the failure, such as `ServerLost`, or of the office's answer, such as `4003`; null when there is none. */
  readonly code: string | null;
  /** Message of the failure, or the texts of the result, one line each. */
  readonly text: string;
  /** Ways in which the result breaks MCP or the output schema of its tool; absent when there are none. */
  readonly mismatch?: string;
  /** Time of the call in ms since the beginning of the trace. */
  readonly startedMs: number;
  /** Time of the answer in ms since the beginning of the trace; null when there was none. */
  readonly settledMs: number | null;
  /** Number of answers that the caller got; 1 unless something is wrong. */
  readonly answers: number;
}
/** Failure as a host gets it: a code such as `ServerLost` and a sentence. */
export interface FailureOutcome {
  /** Code of the failure, such as `ServerLost`; a code of the protocol, such as `4003`, is given as text. */
  readonly code: string;
  /** Sentence about the failure for people, without secrets. */
  readonly message: string;
}
/** Outcome of one MCP server. */
export interface ServerOutcome {
  /** Last state of the server, such as `ready` or `waiting`. */
  readonly state: string;
  /** All states of the server in order, without repeating one that follows itself. */
  readonly states: readonly string[];
  /** Failure that explains the last state; null when nothing is wrong. */
  readonly failure: FailureOutcome | null;
}
/** Outcome of one seat in an office. */
export interface SeatOutcome {
  /** Last state of the seat, such as `joined` or `closed`. */
  readonly state: string;
  /** All states of the seat in order, without repeating one that follows itself. */
  readonly states: readonly string[];
  /** Reason why the seat has no connection or was refused; null when nothing is wrong. */
  readonly reason: string | null;
}
/** Outcome of one child process. */
export interface ProcessOutcome {
  /** Process id; null when the process could not be started. */
  readonly pid: number | null;
  /** Exit code; null when the process still runs, never ran or was ended by a signal. */
  readonly code: number | null;
  /** Signal that ended the process, such as `SIGKILL`; null when none did. */
  readonly signal: string | null;
  /** Time of the start in ms since the beginning of the trace; null when the process never ran. */
  readonly startedMs: number | null;
  /** Time of the end, or of the failed start, in ms since the beginning of the trace; null when the process still runs. */
  readonly endedMs: number | null;
}
/** Outcomes of the calls, servers, seats and processes of a trace. */
export interface Outcomes {
  /** Outcomes of calls by `req_id`; an id that is used again is listed as `ID/2`. */
  readonly calls: Readonly<Record<string, CallOutcome>>;
  /**
   * Outcomes of servers by their name in the config; servers of a second computer in one trace are named `NAME of computer/2`.
   */
  readonly servers: Readonly<Record<string, ServerOutcome>>;
  /** Outcomes of seats by role and name, such as `computer:c1`. */
  readonly seats: Readonly<Record<string, SeatOutcome>>;
  /** Outcomes of processes by server and number of the launch, such as `files/1`. */
  readonly processes: Readonly<Record<string, ProcessOutcome>>;
}

type Word = EventObject & Readonly<Record<string, unknown>>;
const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;
const textIn = (value: unknown): string => (typeof value === 'number' ? String(value) : textOr(value, ''));
const failureOf = (value: unknown): FailureOutcome | null => {
  const { code, message } = fieldsOf(value);
  const isNone = code === undefined || code === null;
  return isNone ? null : { code: textIn(code), message: textIn(message) };
};
const appended = (states: readonly string[] = [], state: string): readonly string[] =>
  states.at(-1) === state ? states : [...states, state];
const textsIn = (result: unknown): string => {
  const { content } = fieldsOf(result);
  const blocks = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return blocks.flatMap((block) => textOr(fieldsOf(block)['text'], [])).join('\n');
};
const mismatchOf = (result: unknown): Pick<CallOutcome, 'mismatch'> => {
  const mismatch = mismatchIn(result);
  return mismatch === undefined ? {} : { mismatch };
};
type Settled = Pick<CallOutcome, 'outcome' | 'end' | 'code' | 'text' | 'mismatch'> & {
  readonly server: string | null;
};
const settledAtHost = ({ end, outcome, server, failure, result }: Word): Settled => {
  const why = failureOf(failure);
  return {
    outcome: textOr(outcome, null),
    end: textOr(end, null),
    server: server === '' ? null : textOr(server, null),
    code: why?.code ?? null,
    text: why?.message ?? textsIn(result),
    ...mismatchOf(result),
  };
};
/** As the handle of the agent does: its machine only knows that an answer came. */
const asAgentReads = (word: Word): Word => ({ ...word, ...interpreted(word as unknown as ToldOutcome) });
function settledAtLink(body: unknown): Settled {
  const { meta, isError, structuredContent } = fieldsOf(body);
  const { a2c_outcome, a2c_server, a2c_timeout, a2c_cancelled } = fieldsOf(meta);
  const outcome = textOr(a2c_outcome, isError === true ? 'failed' : 'succeeded');
  const why = failureOf(fieldsOf(structuredContent)['error']);
  const end = a2c_timeout === true ? 'timedOut' : a2c_cancelled === true ? 'cancelled' : outcome;
  return {
    outcome,
    end,
    server: textOr(a2c_server, null),
    code: why?.code ?? null,
    text: why?.message || textsIn(body),
    ...mismatchOf(body),
  };
}

class OutcomesSoFar implements Outcomes {
  readonly calls: Record<string, CallOutcome> = {};
  readonly servers: Record<string, ServerOutcome> = {};
  readonly seats: Record<string, SeatOutcome> = {};
  readonly processes: Record<string, ProcessOutcome> = {};
  readonly #open = new Map<string, string>();
  /** Ways in which the last result of each call breaks MCP, by its `req_id`. */
  readonly #unreadable = new Map<string, string | undefined>();
  readonly #from = new Map<string, string>();
  readonly #seats = new Map<string, string>();

  take({ t, crossing: { k, ch, ev, req = '' } }: TapeMoment): void {
    if (ev === undefined) return;
    const word = ev as Word;
    if (ev.type === 'ask.answered' && ch.startsWith('ask tools/call '))
      this.#unreadable.set(req, unreadableIn(word['result']));
    if (ch.startsWith('host:')) this.#host(k, ch, word, t);
    else if (ch.startsWith('link:')) this.#link(k, ch, word, t);
    else if (ch.startsWith('process:')) this.#process(ch.slice('process:'.length), word, t);
  }
  #host(k: string, ch: string, word: Word, t: number): void {
    if (k === 'in') {
      if (word.type === 'callTool') this.#began(ch, word, t);
      const { role = 'agent', name } = fieldsOf(word['link']);
      if (word.type.startsWith('create') && name !== undefined)
        this.#seats.set(ch, `${role as string}:${name as string}`);
    } else if (k === 'said') this.#said(ch, word, t);
  }
  #said(ch: string, word: Word, t: number): void {
    switch (word.type) {
      case 'call.settled':
        this.#settled(ch, word, settledAtHost(ch.startsWith('host:agent') ? asAgentReads(word) : word), t);
        return;
      case 'server.changed':
      case 'server.removed': {
        const key =
          ch === 'host:computer'
            ? String(word['name'])
            : `${String(word['name'])} of ${ch.slice('host:'.length)}`;
        const state = textOr(word['state'], 'removed');
        const states = appended(this.servers[key]?.states, state);
        this.servers[key] = { state, states, failure: failureOf(word['failure']) };
        return;
      }
      case 'link.changed': {
        const key = this.#seats.get(ch);
        if (key !== undefined)
          this.#seat(key, String(word['state']), textOr(word['refusal'], textOr(word['reason'], null)));
        return;
      }
      case 'seat.changed': {
        const { role, name } = fieldsOf(word['seat']);
        const key = `${role as string}:${name as string}`;
        // Prefers the computer's own news about the seat when the computer is in the same trace.
        if (![...this.#seats.values()].includes(key)) this.#seat(key, String(word['stage']), null);
        return;
      }
    }
  }
  #seat(key: string, state: string, reason: string | null): void {
    this.seats[key] = { state, states: appended(this.seats[key]?.states, state), reason };
  }
  #link(k: string, ch: string, word: Word, t: number): void {
    if (k === 'in' && word.type === 'agent.called') this.#began(ch, word, t);
    if (k === 'out' && word.type === 'link.answer') this.#settled(ch, word, settledAtLink(word['body']), t);
  }
  #began(ch: string, { reqId, ticket, tool, type }: Word, t: number): void {
    const id = String(reqId);
    // Avoids counting a call twice when the agent that made it is in the same trace.
    const isKnown = type === 'agent.called' && this.#from.get(id)?.startsWith('host:agent') === true;
    let name = id;
    if (!isKnown) for (let n = 2; name in this.calls; n += 1) name = `${id}/${n}`;
    this.#open.set(`${ch} ${String(ticket ?? reqId)}`, name);
    if (isKnown) return;
    this.#from.set(name, ch);
    const nothing = {
      server: null,
      outcome: null,
      end: null,
      code: null,
      text: '',
      settledMs: null,
      answers: 0,
    };
    this.calls[name] = { tool: String(tool), ...nothing, startedMs: t };
  }
  #settled(ch: string, { reqId, ticket }: Word, settled: Settled, t: number): void {
    const name = this.#open.get(`${ch} ${String(ticket ?? reqId)}`);
    const call = name === undefined ? undefined : this.calls[name];
    if (name === undefined || !call) return;
    const server = settled.server ?? call.server;
    if (this.#from.get(name) !== ch) this.calls[name] = { ...call, server };
    // Keeps the first answer, which is the one the caller has, and only counts the others.
    else if (call.answers > 0) this.calls[name] = { ...call, answers: call.answers + 1 };
    else {
      const mismatch = settled.outcome === 'succeeded' ? this.#unreadable.get(String(reqId)) : undefined;
      const broken = mismatch === undefined ? {} : { mismatch };
      this.calls[name] = { ...call, ...broken, ...settled, server, settledMs: t, answers: 1 };
    }
  }
  #process(key: string, word: Word, t: number): void {
    const now = this.processes[key] ?? {
      pid: null,
      code: null,
      signal: null,
      startedMs: null,
      endedMs: null,
    };
    const { pid, code, signal } = word as unknown as {
      pid: number;
      code: number | null;
      signal: string | null;
    };
    if (word.type === 'open') this.processes[key] = now;
    if (word.type === 'child.started') this.processes[key] = { ...now, pid, startedMs: t };
    if (word.type === 'child.exited') this.processes[key] = { ...now, code, signal, endedMs: t };
    if (word.type === 'child.failed') this.processes[key] = { ...now, endedMs: t };
  }
}
export function outcomesOf(moments: Iterable<TapeMoment>): Outcomes {
  const soFar = new OutcomesSoFar();
  for (const moment of moments) soFar.take(moment);
  const { calls, servers, seats, processes } = soFar;
  return { calls, servers, seats, processes };
}
export const momentsBefore = (trace: Pick<Trace, 'facts'>): TapeMoment[] => {
  const { t = 0, facts } = trace.facts ?? {};
  const events = facts ? [...facts.orders, ...facts.told, ...facts.open] : [];
  return events.map((event) => ({ t, crossing: { k: 'in', ...event } }));
};
export const recordedMoments = (trace: Trace): TapeMoment[] => [
  ...momentsBefore(trace),
  ...trace.lines.flatMap(({ t, record }) => (isCrossing(record) ? [{ t, crossing: record }] : [])),
];
