import { isObject, type Fields } from '../../machines/protocol/json.ts';
import { A2cError } from '../kernel/errors.ts';
import { tellListener } from '../kernel/listeners.ts';
import { isTold, logLevels, shortened, type Log, type LogEntry, type LogLevel } from './log-entry.ts';
import type { Observer } from '../runtime/tap.ts';
import { systemClock } from '../../adapters/index.ts';
import type { AgentNews } from '../../machines/agent/agent.machine.ts';
import type { CallSettled } from '../../machines/call/messages.ts';
import { stateWords, type ServerState } from '../../machines/facts.ts';
import { nameOf, type Address } from '../../machines/kernel/address.ts';
import type { OfficeFact } from '../../machines/kernel/ports.ts';
import type { SeatChanged } from '../../machines/office/office.machine.ts';
import { isAbandoned } from '../../machines/office/rooms/pending.ts';
import { isUnknown } from '../../machines/process/server-failure.ts';
import { events } from '../../machines/protocol/events.ts';
import {
  wireCodes,
  type Failure,
  failureIn,
  readAnswer,
  readToolResult,
} from '../../machines/protocol/index.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

type AskedRequest = { readonly reqId: string; readonly tool?: string; readonly server?: string };
const mostRemembered = 10_000;

/** Warnings about servers that are up, and not as they should be. */
const warnings: ReadonlySet<string> = new Set(['tools.refused', 'name.shared', 'list.restless']);
/**
 * Name of the server at an address, whichever actor lives there. Characters that names of actors cannot hold are
 * written otherwise in it.
 */
const serverAt = (address: Address): string | undefined => {
  const key = /\/client:([^/#]+)/.exec(address)?.[1];
  return key?.replaceAll(/%(25|2F|23)/g, (code) => decodeURIComponent(code));
};

/**
 * Log of what happens at each layer, in which one call can be followed by its `req_id`. Reads what the directory
 * reports, and what the office answers past the machines; made only when a host logs.
 */
export class HostLog implements Observer {
  readonly #log: Log;
  readonly #level: LogLevel;
  /** Also what is no failure. */
  readonly isTelling: boolean;
  readonly #redact: <T>(value: T) => T;
  /** Calls, and reads with their server: neither stands at its address. */
  readonly #calls = new Map<Address, AskedRequest>();
  /** Names of open requests, by the root that asks and the id of its question. */
  readonly #asked = new Map<string, string>();
  /** Times at which calls and questions began. A log of failures alone does not read the clock. */
  readonly #began = new Map<string, number>();
  /** Questions of agents at the door of a computer, by ticket. */
  readonly #tickets = new Map<string, { readonly reqId: string; readonly event: string }>();
  /** Last state that was told of each server and seat. */
  readonly #stages = new Map<string, string>();

  constructor(log: Log, redact: <T>(value: T) => T, level: LogLevel = 'warn') {
    if (!logLevels.includes(level))
      throw new A2cError({
        code: wireCodes.badRequest,
        message: `'${level}' is no level of a log`,
        remedy: `logLevel is one of ${logLevels.join(', ')}.`,
      });
    this.#log = log;
    this.#redact = redact;
    this.#level = level;
    this.isTelling = isTold('info', level);
  }
  record(record: DirectoryRecord): void {
    switch (record.k) {
      case 'open':
        if (record.kind === 'call') this.#opened(record);
        if (record.kind === 'read') this.#remember(this.#calls, record.a, record.input as AskedRequest);
        return;
      case 'end':
        // How long it took is told with its answer, which comes after its end.
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
  /** Logs the answer of an office to an event of one of its sockets, with its ms. */
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
  /** Logs an event that is no failure here. */
  news(
    level: 'warn' | 'info' | 'debug',
    layer: LogEntry['layer'],
    event: string,
    message: string,
    named = {},
  ): void {
    if (isTold(level, this.#level)) this.#write(level, layer, event, message, named);
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
  #out({ port, a, ev }: Extract<DirectoryRecord, { k: 'out' }>): void {
    const { type, id, method, ticket, body } = ev as Fields & { readonly type: string };
    if (type === 'ask') {
      const key = `${a} ${String(id)}`;
      this.#remember(this.#asked, key, String(method));
      this.#begin(key);
    }
    if (port !== 'link' || type !== 'link.answer') return;
    const asked = this.#tickets.get(String(ticket));
    this.#tickets.delete(String(ticket));
    const failure = failureInAnswer(body);
    if (asked && failure) this.#tell('link', asked.event, failure, { req_id: asked.reqId });
  }
  #in({ via, a, id, ev }: Extract<DirectoryRecord, { k: 'in' }>): void {
    const {
      type = '',
      ticket,
      reqId,
      collection,
      failure,
      result,
    } = (ev ?? {}) as Fields & { readonly type?: string };
    if (via === 'leaf' && typeof ticket === 'string' && typeof reqId === 'string')
      this.#remember(this.#tickets, ticket, { reqId, event: methodOf(type, collection) });
    // A link also hears orders of its owner.
    if (via === 'leaf' && this.isTelling && type.startsWith('socket.')) this.#newsOf(a, ev as Fields);
    if (via !== 'ask' || type === 'ask.progress') return;
    const key = `${a} ${id ?? ''}`;
    const method = this.#asked.get(key) ?? '';
    this.#asked.delete(key);
    const took = this.#since(key);
    if (method === 'finish') return this.#finished(a, result);
    // Everything else that is asked is a matter of its asker, who tells of it.
    if (!/^[a-z]+\//i.test(method)) return;
    const found = type === 'ask.refused' ? (failure as Failure) : ofTool(method, result);
    const named = { ...this.#named(a), ...took };
    if (found) this.#tell('server', method, found, named, isExpected(method, found) ? 'debug' : 'error');
    else if (type === 'ask.answered') this.news('debug', 'server', method, 'answered', named);
  }
  /** Logs the warnings about the result of a call that stays as it is. */
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
    return {
      ...(call && { req_id: call.reqId, ...textAs('tool', call.tool) }),
      ...textAs('server', call?.server ?? serverAt(address)),
    };
  }
  #post({ from, a, ev }: Extract<DirectoryRecord, { k: 'post' }>): void {
    if (ev.type === 'call.settled') return this.#settled(from, a, ev as unknown as CallSettled);
    if (!a.startsWith('host:')) return;
    const { failure, server, stage, reason } = ev as Fields;
    // While it waits and is tried again it says no more than that.
    if (ev.type === 'client.changed' && isObject(failure) && (stage === 'recovering' || stage === 'open'))
      this.#tell(
        'computer',
        'server.changed',
        failure as never,
        textAs('server', server),
        stage === 'open' ? 'error' : 'warn',
      );
    if (ev.type === 'link.changed' && stage === 'waiting')
      this.#tell(
        'link',
        ev.type,
        { code: 'LinkLost', message: typeof reason === 'string' ? reason : 'no reason given' },
        {},
        'warn',
      );
    if (warnings.has(ev.type) && isObject(failure))
      this.#tell('computer', ev.type, failure as never, textAs('server', server), 'warn');
    if (this.isTelling) this.#newsOf(from, ev);
  }
  #newsOf(from: Address, event: Fields): void {
    const news = newsIn(event, rootOf(from));
    if (!news) return;
    const { layer, event: told, message, named = {}, of } = news;
    // A server says at each step where it stands.
    if (of !== undefined && this.#stages.get(of) === message) return;
    if (of !== undefined) this.#stages.set(of, message);
    if (message !== '') this.news('info', layer, told, message, named);
  }
  #settled(from: Address, to: Address, settled: CallSettled): void {
    const { reqId, server, tool, phase, outcome, result, failure } = settled;
    const isAgent = rootOf(from) === 'agent';
    // Within an agent the answer passes several machines; its host is the one who called.
    if (isAgent && !to.startsWith('host:')) return;
    const found = failure ?? failureInAnswer(isAgent ? result : (result ?? {}));
    if (!found && !this.isTelling) return;
    if (this.isTelling) this.#calls.delete(from);
    // An answer that is not read yet tells nothing of the effect.
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
  /** Calls are what a host is for; questions beside them are many. */
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
    // The oldest entry goes: its answer never came.
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
    if (isTold(level, this.#level)) this.#write(level, layer, event, message, { ...named, code });
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
/** Facts of a link, by the events of the wire. */
const methods: Readonly<Record<string, string>> = {
  'agent.called': events.toolCall,
  'agent.repeated': events.toolCall,
  'agent.askedTools': events.getTools,
  'agent.askedConfig': events.getConfig,
  'agent.askedResource': events.readResource,
};
const methodOf = (type: string, collection: unknown): string =>
  methods[type] ?? (collection === 'finder' ? events.getFinder : events.getDesktop);

/** Events that are no failures and worth a line: peers that come and go, and states of servers. */

interface News {
  readonly layer: LogEntry['layer'];
  readonly event: string;
  /** Empty: it is to be remembered, not told. */
  readonly message: string;
  readonly named?: Partial<LogEntry>;
  /** Subject of the line, where the same line may come again. */
  readonly of?: string;
}
type ToldEvent = Readonly<Record<string, unknown>>;

/** States of a server that are logged as failures. */
const isFailing = (stage: unknown): boolean =>
  stage === 'recovering' || stage === 'open' || stage === 'waiting';
const linkWords: Readonly<Record<string, string>> = {
  joined: 'joined its office',
  closed: 'its seat is given up',
};

/** News in what a machine tells its host, or a port tells a machine. `root`: the kind of the host's machine. */
function newsIn(event: ToldEvent, root: string): News | undefined {
  switch (event['type']) {
    case 'socket.opened': {
      const { socket } = event as unknown as Extract<OfficeFact, { type: 'socket.opened' }>;
      return { layer: 'office', event: 'peer.connected', message: 'connected', named: { peer: socket } };
    }
    case 'socket.closed': {
      const { socket, reason } = event as unknown as Extract<OfficeFact, { type: 'socket.closed' }>;
      return { layer: 'office', event: 'peer.disconnected', message: reason, named: { peer: socket } };
    }
    case 'seat.changed': {
      const { seat, stage } = event as unknown as SeatChanged;
      const named = { office: seat.office, [seat.role]: seat.name };
      return { layer: 'office', event: 'seat.changed', message: `${seat.role} ${stage}`, named };
    }
    case 'client.changed': {
      const { server, stage } = event as { readonly server: string; readonly stage: ServerState };
      const message = isFailing(stage) ? '' : stateWords[stage];
      return {
        layer: 'computer',
        event: 'server.changed',
        message,
        named: { server },
        of: `server ${server}`,
      };
    }
    case 'link.changed': {
      const message = linkWords[String(event['stage'])] ?? '';
      return { layer: 'link', event: 'link.changed', message, of: `link ${root}` };
    }
    case 'computer.entered':
    case 'computer.left': {
      if (root !== 'agent') return undefined;
      const { type, computer } = event as Extract<AgentNews, { type: 'computer.entered' | 'computer.left' }>;
      const message = type === 'computer.entered' ? 'a computer sits in the office' : 'a computer has left';
      return { layer: 'agent', event: type, message, named: { computer } };
    }
    default:
      return undefined;
  }
}

/** Failures in answers of the wire or of MCP. */

const textsIn = (content: unknown): string =>
  (Array.isArray(content) ? (content as unknown[]) : [])
    .flatMap((item) => (isObject(item) && typeof item['text'] === 'string' ? [item['text']] : []))
    .join('\n');
/** Why the first argument of an ack is no good answer; undefined: it is one. */
function failureInAnswer(answer: unknown): Failure | undefined {
  const read = readAnswer(answer);
  if (!read.ok) return read.failure;
  if (!isObject(read.body) || read.body['isError'] !== true) return undefined;
  const result = readToolResult(answer);
  const message = textsIn(read.body['content']) || 'The tool says that it failed';
  return (result.ok ? failureIn(result.result) : undefined) ?? { code: wireCodes.toolFailed, message };
}
const ofTool = (method: string, result: unknown): Failure | undefined =>
  method === 'tools/call' ? failureInAnswer(result) : undefined;
/** The server of which the answer to an agent's call says that it has the tool. */
const serverIn = (result: unknown): unknown =>
  (result as { readonly meta?: { readonly a2c_server?: unknown } } | null)?.meta?.a2c_server ?? null;

/** Methods that a person or a model asks for. All other requests find out what a server has. */
const wanted: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/**
 * Tells whether a failure is normal: a server does not know a method that it need not have, or the asker of a
 * question has left. A call whose asker left remains a failure, because its effect is unknown.
 */
const isExpected = (method: string, failure: Failure): boolean =>
  (isUnknown(failure) && !wanted.has(method)) || (isAbandoned(failure) && method !== events.toolCall);
/** Joins and leaves are answered by `(ok, text)`, everything else by one argument. */
const failureInAck = ([first, text]: readonly unknown[]): Failure | undefined =>
  typeof first !== 'boolean'
    ? failureInAnswer(first)
    : first
      ? undefined
      : { code: wireCodes.conflict, message: String(text) };
