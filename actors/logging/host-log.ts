/** The log of a host: one line for each thing that happens at a layer. */
import { isObject, type Fields } from '../../machines/protocol/json.ts';
import { tellListener } from '../kernel/listeners.ts';
import { isLogged, shortened, type Log, type LogEntry, type LogLevel } from './log-entry.ts';
import type { Observer } from '../runtime/directory.ts';
import { systemClock } from '../../adapters/clock.ts';
import type { CallSettled } from '../../machines/call/call.rules.ts';
import { stateWords } from '../../machines/server-states.ts';
import { nameOf, partIn, type Address } from '../../machines/kernel/effects.ts';
import { isAnswer } from '../../machines/kernel/ports.ts';
import { isAbandoned } from '../../machines/office/rooms/pending.ts';
import { isUnknown, codeNameOf, wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { failureIn, readAnswer, readToolResult, toolErrorText } from '../../machines/protocol/reading.ts';
import type { ServerState } from '../../machines/server-state.ts';
import type { SeatChanged } from '../../machines/office/office.machine.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';

type AskedRequest = { readonly reqId: string; readonly tool?: string; readonly server?: string };
const mostRemembered = 10_000;

/** Log of what happens at each layer of a host; made only when a host logs. `req_id` joins the lines of a call. */
export class HostLog implements Observer {
  readonly #log: Log;
  readonly #level: LogLevel;
  readonly isTelling: boolean;
  readonly #redact: <T>(value: T) => T;
  /** By the address of their actor, because the address names neither the call nor its server. */
  readonly #calls = new Map<Address, AskedRequest>();
  /** By the asking actor and the id of the question. */
  readonly #asked = new Map<string, string>();
  /** Kept only from level `info` on, so that a log of failures does not read the clock. */
  readonly #began = new Map<string, number>();
  /** Last logged state of each server and link, so that a repeated state is not logged again. */
  readonly #stages = new Map<string, string>();

  constructor(log: Log, redact: <T>(value: T) => T, level: LogLevel = 'warn') {
    this.#log = log;
    this.#redact = redact;
    this.#level = level;
    this.isTelling = isLogged('info', level);
  }
  record(record: DirectoryRecord): void {
    switch (record.k) {
      case 'open':
        if (record.kind === 'call') this.#opened(record);
        if (record.kind === 'read') this.#remember(this.#calls, record.a, record.input as AskedRequest);
        return;
      case 'end':
        // Keeps a finished call until its answer is logged, because the answer comes later and tells the duration.
        if (!this.isTelling || this.#calls.get(record.a)?.tool === undefined) this.#calls.delete(record.a);
        if (record.why === 'failed') this.#machine('machine.failed', `${record.a}: ${record.error ?? ''}`);
        return;
      case 'defect':
        return this.#machine('defect', `${record.a}: ${record.what}`);
      case 'out':
        return this.#out(record);
      case 'in':
        return this.#in(record);
      case 'post':
        return this.#post(record);
      case 'draw':
      case 'timer':
    }
  }
  answered(event: string, payload: unknown, ack: readonly unknown[], ms?: number): void {
    const failure = failureInAck(ack);
    if (!failure && !this.isTelling) return;
    const { req_id, computer, tool_name: tool } = isObject(payload) ? payload : {};
    const named = {
      ...textAs('req_id', req_id),
      ...textAs('computer', computer),
      ...textAs('tool', tool),
      ...roundedMs(ms),
    };
    if (!failure) return this.#answeredWell('office', event, named);
    this.#tell('office', event, failure, named, isExpected(event, failure) ? 'debug' : 'error');
  }
  news(
    level: 'warn' | 'info' | 'debug',
    layer: LogEntry['layer'],
    event: string,
    message: string,
    named = {},
  ): void {
    if (isLogged(level, this.#level)) this.#write(level, layer, event, message, named);
  }

  #opened({ a, input }: Extract<DirectoryRecord, { k: 'open' }>): void {
    const { reqId, tool } = input as Required<AskedRequest>;
    this.#remember(this.#calls, a, { reqId, tool });
    this.#begin(a);
    if (this.#level === 'debug' && !tool.includes(':'))
      this.news(
        'debug',
        rootOf(a) === 'agent' ? 'agent' : 'computer',
        'call.started',
        'begun',
        this.#named(a),
      );
  }
  #out({ a, ev }: Extract<DirectoryRecord, { k: 'out' }>): void {
    const { type, id, method } = ev as Fields & { readonly type: string };
    if (type !== 'ask') return;
    const key = `${a} ${String(id)}`;
    this.#remember(this.#asked, key, String(method));
    this.#begin(key);
  }
  #in({ via, a, id, ev }: Extract<DirectoryRecord, { k: 'in' }>): void {
    const { type = '', failure, result } = (ev ?? {}) as Fields & { readonly type?: string };
    // Logs only events of sockets here, because a link also gets orders of its owner.
    if (via === 'leaf' && this.isTelling && type.startsWith('socket.')) this.#newsOf(a, ev as Fields);
    if (via !== 'ask' || !isAnswer(type)) return;
    const key = `${a} ${id ?? ''}`;
    const method = this.#asked.get(key) ?? '';
    this.#asked.delete(key);
    const took = this.#since(key);
    if (method === 'finish') return this.#finished(a, result);
    // Skips questions that are not MCP requests, because the actor that asks reports them.
    if (!/^[a-z]+\//i.test(method)) return;
    const found = type === 'ask.refused' ? (failure as Failure) : ofTool(method, result);
    const named = { ...this.#named(a), ...took };
    if (found) this.#tell('server', method, found, named, isExpected(method, found) ? 'debug' : 'error');
    else if (type === 'ask.answered') this.news('debug', 'server', method, 'answered', named);
  }
  #finished(call: Address, found: unknown): void {
    const warnings =
      isObject(found) && Array.isArray(found['warnings']) ? (found['warnings'] as unknown[]) : [];
    for (const warning of warnings)
      this.#tell(
        'computer',
        'call.settled',
        { code: wireCodes.internal, message: String(warning) },
        this.#named(call),
        'warn',
      );
  }
  #named(address: Address): Partial<LogEntry> {
    const call = this.#calls.get(address);
    const server = call?.server ?? partIn(address, 'client');
    return {
      ...(call && { req_id: call.reqId, ...textAs('tool', call.tool) }),
      ...(server !== '' && { server }),
    };
  }
  #post({ from, a, ev }: Extract<DirectoryRecord, { k: 'post' }>): void {
    if (ev.type === 'call.settled') this.#settled(from, a, ev as unknown as CallSettled);
    else if (a.startsWith('host:')) this.#newsOf(from, ev);
  }
  #newsOf(from: Address, event: Fields): void {
    const line = newsOf[String(event['type'])]?.(event, rootOf(from));
    if (!line) return;
    const { level = 'info', layer, event: told, message, named = {}, of } = line;
    const isRepeated = level === 'info' && of !== undefined && this.#stages.get(of) === message;
    if (of !== undefined) this.#stages.set(of, message);
    if (message !== '' && !isRepeated && isLogged(level, this.#level))
      this.#write(level, layer, told, message, named);
  }
  #settled(from: Address, to: Address, settled: CallSettled): void {
    const { reqId, server, tool, phase, outcome, result, failure } = settled;
    const isAgent = rootOf(from) === 'agent';
    // Logs the answer only where it reaches the host of the agent, because it passes several machines on the way.
    if (isAgent && !to.startsWith('host:')) return;
    const found = failure ?? failureInAnswer(isAgent ? result : (result ?? {}));
    if (!found && !this.isTelling) return;
    if (this.isTelling) this.#calls.delete(from);
    // Leaves out the outcome unless the call failed, because the answer is not read here, and only it shows the effect.
    const known = failure ? { outcome, ...(phase && { phase }) } : {};
    const isQuestion = tool.includes(':');
    const named = {
      req_id: reqId,
      ...known,
      ...(!isQuestion && { tool }),
      ...textAs('server', server || serverIn(result)),
      ...this.#since(from),
    };
    const event = isAgent ? (isQuestion ? tool : events.toolCall) : 'call.settled';
    if (found) return this.#tell(isAgent ? 'agent' : 'computer', event, found, named);
    this.#answeredWell(isAgent ? 'agent' : 'computer', event, named);
  }
  /** Logs calls at level `info` and other questions at `debug`, because questions are many. */
  #answeredWell(layer: LogEntry['layer'], event: string, named: Partial<LogEntry>): void {
    const isCall = event === events.toolCall || event === 'call.settled';
    this.news(isCall ? 'info' : 'debug', layer, event, isCall ? 'succeeded' : 'answered', {
      ...named,
      ...(isCall && { outcome: 'succeeded' }),
    });
  }
  #machine(event: string, message: string): void {
    this.#tell('machine', event, { code: wireCodes.internal, message }, {});
  }
  #begin(key: string): void {
    if (this.isTelling) this.#remember(this.#began, key, systemClock.now());
  }
  #since(key: string): { readonly ms?: number } {
    const began = this.#began.get(key);
    if (began === undefined) return {};
    this.#began.delete(key);
    return roundedMs(systemClock.now() - began);
  }
  #remember<K, V>(held: Map<K, V>, key: K, value: V): void {
    held.set(key, value);
    // Forgets the oldest remembered call or question when there are too many, because an answer to it never came.
    for (const oldest of held.keys()) {
      if (held.size <= mostRemembered) break;
      held.delete(oldest);
    }
  }
  #tell(
    layer: LogEntry['layer'],
    event: string,
    { code, message }: Failure,
    named: Partial<LogEntry>,
    level: LogLevel = 'error',
  ): void {
    if (isLogged(level, this.#level))
      this.#write(level, layer, event, message, { ...named, code: codeNameOf(code) });
  }
  #write(
    level: LogLevel,
    layer: LogEntry['layer'],
    event: string,
    message: string,
    { code, ms, ...named }: Partial<LogEntry>,
  ): void {
    const time = new Date().toISOString();
    const texts = this.#redact({ event, ...named, message });
    const numbers = { ...(ms !== undefined && { ms }), ...(code !== undefined && { code }) };
    const entry = { time, level, layer, ...texts, ...numbers } as LogEntry;
    tellListener('log', this.#log, shortened(entry));
  }
}
const rootOf = (address: Address): string => nameOf(address).split('/')[0] ?? '';
const roundedMs = (ms: number | undefined): { readonly ms?: number } =>
  ms === undefined ? {} : { ms: Math.round(ms) };
const textAs = <K extends string>(key: K, value: unknown): { readonly [P in K]?: string } =>
  (typeof value === 'string' ? { [key]: value } : {}) as { readonly [P in K]?: string };
interface Line extends Pick<LogEntry, 'layer' | 'event' | 'message'> {
  /** Default: `info`. */
  readonly level?: LogLevel;
  readonly named?: Partial<LogEntry>;
  /** Two equal lines in a row for one subject are logged once, and an empty one never. */
  readonly of?: string;
}
type LineOf = (event: Fields, root: string) => Line | undefined;

const failed = (
  level: LogLevel,
  event: string,
  { failure, server }: Fields,
  of?: string,
): Line | undefined => {
  if (!isObject(failure)) return undefined;
  const { code, message } = failure as unknown as Failure;
  const named = { ...textAs('server', server), code: codeNameOf(code) };
  return { level, layer: 'computer', event, message, named, ...(of !== undefined && { of }) };
};
const lacking =
  (event: string): LineOf =>
  (told) =>
    failed('warn', event, told);
const linkWords: Readonly<Record<string, string>> = {
  joined: 'joined its office',
  closed: 'its seat is given up',
};
const computerNews =
  (event: string, message: string): LineOf =>
  ({ computer }, root) =>
    root === 'agent' ? { layer: 'agent', event, message, named: textAs('computer', computer) } : undefined;
const newsOf: Readonly<Record<string, LineOf>> = {
  'socket.opened': ({ socket }) => ({
    layer: 'office',
    event: 'peer.connected',
    message: 'connected',
    named: textAs('peer', socket),
  }),
  'socket.closed': ({ socket, reason }) => ({
    layer: 'office',
    event: 'peer.disconnected',
    message: String(reason),
    named: textAs('peer', socket),
  }),
  'seat.changed': ({ seat, stage }) => {
    const { role, name, office } = seat as SeatChanged['seat'];
    const named = { office, [role]: name };
    return { layer: 'office', event: 'seat.changed', message: `${role} ${String(stage)}`, named };
  },
  'client.changed': (told) => {
    const { server, stage } = told as { readonly server: string; readonly stage: ServerState };
    const event = 'server.changed';
    const of = `server ${server}`;
    // Logs a failing server only when it waits for the next attempt or gives up; states in between add nothing.
    if (stage === 'recovering') return failed('warn', event, told, of);
    if (stage === 'open') return failed('error', event, told, of);
    const message = stage === 'waiting' ? '' : stateWords[stage];
    return { layer: 'computer', event, message, named: { server }, of };
  },
  'link.changed': ({ stage, reason }, root) => {
    const at = { layer: 'link', event: 'link.changed', of: `link ${root}` } as const;
    if (stage !== 'waiting') return { ...at, message: linkWords[String(stage)] ?? '' };
    const why = typeof reason === 'string' ? reason : 'no reason given';
    return { ...at, level: 'warn', message: why, named: { code: 'LinkLost' } };
  },
  'tools.refused': lacking('tools.refused'),
  'name.shared': lacking('name.shared'),
  'list.restless': lacking('list.restless'),
  'computer.entered': computerNews('computer.entered', 'a computer sits in the office'),
  'computer.left': computerNews('computer.left', 'a computer has left'),
};

function failureInAnswer(answer: unknown): Failure | undefined {
  const read = readAnswer(answer);
  if (!read.ok) return read.failure;
  if (!isObject(read.body) || read.body['isError'] !== true) return undefined;
  const result = readToolResult(answer);
  const said = result.ok ? failureIn(result.result) : undefined;
  return said ?? { code: wireCodes.toolFailed, message: toolErrorText(answer) };
}
const ofTool = (method: string, result: unknown): Failure | undefined =>
  method === 'tools/call' ? failureInAnswer(result) : undefined;
const serverIn = (result: unknown): unknown =>
  (result as { readonly meta?: { readonly a2c_server?: unknown } } | null)?.meta?.a2c_server ?? null;

/** Names of methods that a person or a model asks for. Other requests only find out what a server has. */
const wanted: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** A call whose asker left remains a failure, because its effect is unknown. */
const isExpected = (method: string, failure: Failure): boolean =>
  (isUnknown(failure) && !wanted.has(method)) || (isAbandoned(failure) && method !== events.toolCall);
/** Joins and leaves are answered by `(ok, text)`, everything else by one argument. */
const failureInAck = ([first, text]: readonly unknown[]): Failure | undefined =>
  typeof first !== 'boolean'
    ? failureInAnswer(first)
    : first
      ? undefined
      : { code: wireCodes.conflict, message: String(text) };
