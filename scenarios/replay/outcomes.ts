import type { EventObject } from 'xstate';
import { isCrossing, type Trace } from '../../machines/trace/index.ts';
import type { TapeMoment } from './tape.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

/** Outcome of a call of the host, or of an agent at its computer. */
export interface CallOutcome {
  /** Name of the tool, as its caller asked for it. */
  readonly tool: string;
  /** Name of its server in the config; null: unknown. */
  readonly server: string | null;
  /** Effect of the call: `succeeded`, `failed` or `unknown`. Null: its caller was never answered. */
  readonly outcome: string | null;
  /** How it ended: `succeeded`, `failed`, `timedOut`, `cancelled`, `refused` or `unknown`; null as above. */
  readonly end: string | null;
  /** Code of its failure, such as `ServerLost`, or of its answer at an office, such as `4003`; null: it has none. */
  readonly code: string | null;
  /** Message of its failure, or the texts of its result, a line each. */
  readonly text: string;
  /** When it came, in ms since the beginning of the trace. */
  readonly startedMs: number;
  /** When its caller was answered, in ms since the beginning of the trace; null: never. */
  readonly settledMs: number | null;
  /** How often its caller was answered: 1. */
  readonly answers: number;
}
/** A failure as a host hears it: a code such as `ServerLost`, and a sentence. */
export interface FailureOutcome {
  /** Such as `ServerLost`, or as text one of the protocol, such as `4003`. */
  readonly code: string;
  /** A sentence for people, with nothing secret. */
  readonly message: string;
}
/** Outcome of a server. */
export interface ServerOutcome {
  /** The last of its states, such as `ready` or `waiting`. */
  readonly state: string;
  /** All of them in order, each once in a row. */
  readonly states: readonly string[];
  /** Why it is in its last state; null: nothing is wrong. */
  readonly failure: FailureOutcome | null;
}
/** Outcome of a seat in an office. */
export interface SeatOutcome {
  /** The last of its states, such as `joined` or `closed`. */
  readonly state: string;
  /** All of them in order, each once in a row. */
  readonly states: readonly string[];
  /** Why it has no connection, or was refused; null: nothing is wrong. */
  readonly reason: string | null;
}
/** Outcome of a child process. */
export interface ProcessOutcome {
  /** Null: it never ran. */
  readonly pid: number | null;
  /** Exit code; null: the process lives, never ran, or a signal ended it. */
  readonly code: number | null;
  /** Name of the signal that ended it, such as `SIGKILL`; null: none did. */
  readonly signal: string | null;
  /** When it ran, in ms since the beginning of the trace; null: it never did. */
  readonly startedMs: number | null;
  /** When it ended, or could not be started, in ms since the beginning of the trace; null: it lives. */
  readonly endedMs: number | null;
}
/** Outcomes of everything that a user would ask about. */
export interface Outcomes {
  /** Calls by `req_id`; an id that is used again is `ID/2`. */
  readonly calls: Readonly<Record<string, CallOutcome>>;
  /** Servers by the name in the config; those of a second computer in one trace are `NAME of computer/2`. */
  readonly servers: Readonly<Record<string, ServerOutcome>>;
  /** Seats by role and name: `computer:c1`. */
  readonly seats: Readonly<Record<string, SeatOutcome>>;
  /** Processes by server and number of the launch: `files/1`. */
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
type Settled = Pick<CallOutcome, 'outcome' | 'end' | 'code' | 'text'> & { readonly server: string | null };
const settledAtHost = ({ end, outcome, server, failure, result }: Word): Settled => {
  const why = failureOf(failure);
  return {
    outcome: textOr(outcome, null),
    end: textOr(end, null),
    server: server === '' ? null : textOr(server, null),
    code: why?.code ?? null,
    text: why?.message ?? textsIn(result),
  };
};
/** From the answer that goes to an agent. */
function settledAtLink(body: unknown): Settled {
  const { meta, isError, structuredContent } = fieldsOf(body);
  const { a2c_outcome, a2c_server, a2c_timeout, a2c_cancelled } = fieldsOf(meta);
  const outcome = textOr(a2c_outcome, isError === true ? 'failed' : 'succeeded');
  const why = failureOf(fieldsOf(structuredContent)['error']);
  const end = a2c_timeout === true ? 'timedOut' : a2c_cancelled === true ? 'cancelled' : outcome;
  return { outcome, end, server: textOr(a2c_server, null), code: why?.code ?? null, text: textsIn(body) };
}

/** Takes what crosses the boundary, in order. */
class OutcomesSoFar implements Outcomes {
  readonly calls: Record<string, CallOutcome> = {};
  readonly servers: Record<string, ServerOutcome> = {};
  readonly seats: Record<string, SeatOutcome> = {};
  readonly processes: Record<string, ProcessOutcome> = {};
  /** Calls that are open, by the channel that they came by and their ticket: their names. */
  readonly #open = new Map<string, string>();
  /** Origin of each call, by its name. */
  readonly #from = new Map<string, string>();
  /** Seats of hosts, by their channels. */
  readonly #seats = new Map<string, string>();

  take({ t, crossing: { k, ch, ev } }: TapeMoment): void {
    if (ev === undefined) return;
    const word = ev as Word;
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
        this.#settled(ch, word, settledAtHost(word), t);
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
        // The computer tells more of it, where it is in the same trace.
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
    // The agent may be in the same trace, and has counted the call already.
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
    // The first answer is what its caller has.
    else if (call.answers > 0) this.calls[name] = { ...call, answers: call.answers + 1 };
    else this.calls[name] = { ...call, ...settled, server, settledMs: t, answers: 1 };
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
/** Outcomes, from crossings alone. */
export function outcomesOf(moments: Iterable<TapeMoment>): Outcomes {
  const soFar = new OutcomesSoFar();
  for (const moment of moments) soFar.take(moment);
  const { calls, servers, seats, processes } = soFar;
  return { calls, servers, seats, processes };
}
/** Crossings before the beginning of a trace that still hold. */
export const momentsBefore = (trace: Pick<Trace, 'facts'>): TapeMoment[] => {
  const { t = 0, facts } = trace.facts ?? {};
  const events = facts ? [...facts.orders, ...facts.told, ...facts.open] : [];
  return events.map((event) => ({ t, crossing: { k: 'in', ...event } }));
};
/** Crossings when it was recorded. */
export const recordedMoments = (trace: Trace): TapeMoment[] => [
  ...momentsBefore(trace),
  ...trace.lines.flatMap(({ t, record }) => (isCrossing(record) ? [{ t, crossing: record }] : [])),
];
