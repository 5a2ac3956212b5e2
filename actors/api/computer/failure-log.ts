import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { CallPhase, CallSettled, Outcome } from '../../../machines/call/settlement.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { events } from '../../../machines/protocol/events.ts';
import {
  failureIn,
  readAnswer,
  readToolResult,
  wireCodes,
  type Failure,
} from '../../../machines/protocol/index.ts';
import { tellListener } from '../listeners.ts';
import type { Observer } from '../../runtime/observer.ts';

/** One failure, seen by one layer. Secrets are hidden in it, and its texts have at most 1,000 characters. */
export interface LogEntry {
  /** When it was seen: ISO 8601, UTC. */
  readonly time: string;
  /** `warn`: it is tried again by itself. */
  readonly level: 'warn' | 'error';
  /**
   * Who saw it: the agent, the office that relays, the computer's seat in an office (`link`), the computer with its
   * policy and its calls, the session with an MCP server, a machine of ours.
   */
  readonly layer: 'agent' | 'office' | 'link' | 'computer' | 'server' | 'machine';
  /** What failed: a method of the wire or of MCP (`client:tool_call`, `tools/call`), or what was told (`call.settled`). */
  readonly event: string;
  /** The call or question, by the name that it has at every layer; none where no question was under way. */
  readonly req_id?: string;
  /** Of the config. */
  readonly server?: string;
  /** The name by which the tool was called; none where no call failed. */
  readonly tool?: string;
  /** The name of the computer in its office; the office alone says it. */
  readonly computer?: string;
  /** Where the call stood, and what is known of its effect. */
  readonly phase?: CallPhase;
  /** What is known of the effect of the call: `unknown` when it was sent and never answered. */
  readonly outcome?: Outcome;
  /** As in `A2cError`: a number of the protocol, or a name of our own. */
  readonly code: Failure['code'];
  /** What happened, in one sentence for a person. */
  readonly message: string;
}
/** Takes one failure. What it throws, or rejects, is a warning of the process and disturbs nothing else. */
export type Log = (entry: LogEntry) => void;

type Fields = Readonly<Record<string, unknown>>;
const mostCharacters = 1_000;
const mostRemembered = 10_000;
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const textsIn = (content: unknown): string =>
  (Array.isArray(content) ? (content as unknown[]) : [])
    .flatMap((item) => (isRecord(item) && typeof item['text'] === 'string' ? [item['text']] : []))
    .join('\n');
/** Why the first argument of an ack is no good answer; undefined: it is one. */
function failureInAnswer(answer: unknown): Failure | undefined {
  const read = readAnswer(answer);
  if (!read.ok) return read.failure;
  if (!isRecord(read.body) || read.body['isError'] !== true) return undefined;
  const result = readToolResult(answer);
  const message = textsIn(read.body['content']) || 'The tool says that it failed';
  return (result.ok ? failureIn(result.result) : undefined) ?? { code: wireCodes.toolFailed, message };
}
/** Joins and leaves are answered by `(ok, text)`, everything else by one argument. */
const failureInAck = ([first, text]: readonly unknown[]): Failure | undefined =>
  typeof first !== 'boolean'
    ? failureInAnswer(first)
    : first
      ? undefined
      : { code: wireCodes.conflict, message: String(text) };

/** Of one address, whoever lives there. Only what names of servers may hold is written otherwise there. */
const serverAt = (address: Address): string | undefined => {
  const key = /\/client:([^/#]+)/.exec(address)?.[1];
  return key?.replaceAll(/%(25|2F|23)/g, (code) => decodeURIComponent(code));
};

/**
 * Tells of failures at each layer, so that one can be followed by its `req_id`. It reads what the directory reports, and
 * what the office answers past the machines; while nobody logs there is none.
 */
export class FailureLog implements Observer {
  readonly #log: Log;
  readonly #redact: <T>(value: T) => T;
  readonly #calls = new Map<Address, { readonly reqId: string; readonly tool: string }>();
  /** By the root that asks and the id of its question. */
  readonly #asked = new Map<string, string>();
  /** Questions of agents at the door of a computer, by ticket. */
  readonly #tickets = new Map<string, { readonly reqId: string; readonly event: string }>();

  constructor(log: Log, redact: <T>(value: T) => T) {
    this.#log = log;
    this.#redact = redact;
  }
  record(record: DirectoryRecord): void {
    switch (record.k) {
      case 'open':
        if (record.kind === 'call') this.#remember(this.#calls, record.a, record.input as never);
        return;
      case 'end':
        this.#calls.delete(record.a);
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
  /** What an office answers to an event of one of its sockets. */
  answered(event: string, payload: unknown, ack: readonly unknown[]): void {
    const failure = failureInAck(ack);
    if (!failure) return;
    const { req_id, computer, tool_name: tool } = isRecord(payload) ? payload : {};
    const named = { ...textAs('req_id', req_id), ...textAs('computer', computer), ...textAs('tool', tool) };
    this.#tell('office', event, failure, named);
  }

  #out({ port, a, ev }: Extract<DirectoryRecord, { k: 'out' }>): void {
    const { type, id, method, ticket, body } = ev as Fields & { readonly type: string };
    if (type === 'ask') this.#remember(this.#asked, `${a} ${String(id)}`, String(method));
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
    if (via !== 'ask' || type === 'ask.progress') return;
    const key = `${a} ${id ?? ''}`;
    const method = this.#asked.get(key) ?? '';
    this.#asked.delete(key);
    // Everything else that is asked is a matter of its asker, who tells of it.
    if (!/^[a-z]+\//i.test(method)) return;
    const found = type === 'ask.refused' ? (failure as Failure) : ofTool(method, result);
    if (found) this.#tell('server', method, found, this.#named(a));
  }
  #named(address: Address): Partial<LogEntry> {
    const call = this.#calls.get(address);
    return {
      ...(call && { req_id: call.reqId, tool: call.tool }),
      ...textAs('server', serverAt(address)),
    };
  }
  #post({ from, a, ev }: Extract<DirectoryRecord, { k: 'post' }>): void {
    if (ev.type === 'call.settled') return this.#settled(from, a, ev as unknown as CallSettled);
    if (!a.startsWith('host:')) return;
    const { failure, server, stage, reason } = ev as Fields;
    // While it waits and is tried again it says no more than that.
    if (ev.type === 'client.changed' && isRecord(failure) && (stage === 'recovering' || stage === 'open'))
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
  }
  #settled(from: Address, to: Address, settled: CallSettled): void {
    const { reqId, server, tool, phase, outcome, result, failure } = settled;
    const isAgent = nameOf(from).split('/')[0] === 'agent';
    // Within an agent the answer passes several machines; its host is the one who called.
    if (isAgent && !to.startsWith('host:')) return;
    const found = failure ?? failureInAnswer(isAgent ? result : (result ?? {}));
    if (!found) return;
    // What nobody has interpreted yet says nothing of its effect.
    const known = failure ? { outcome, ...(phase && { phase }) } : {};
    const isQuestion = tool.includes(':');
    const named = {
      req_id: reqId,
      ...known,
      ...(!isQuestion && { tool }),
      ...textAs('server', server || null),
    };
    const event = isAgent ? (isQuestion ? tool : events.toolCall) : 'call.settled';
    this.#tell(isAgent ? 'agent' : 'computer', event, found, named);
  }
  #machine(event: string, message: string): void {
    this.#tell('machine', event, { code: wireCodes.internal, message }, {});
  }
  #remember<K, V>(held: Map<K, V>, key: K, value: V): void {
    held.set(key, value);
    // What is never answered is forgotten some day.
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
    level: LogEntry['level'] = 'error',
  ): void {
    const time = new Date().toISOString();
    const texts = this.#redact({ event, ...named, message });
    const entry = { time, level, layer, ...texts, code } as LogEntry;
    tellListener('log', this.#log, shortened(entry));
  }
}
const shortened = (entry: LogEntry): LogEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      typeof value === 'string' && value.length > mostCharacters
        ? `${value.slice(0, mostCharacters - 1)}…`
        : value,
    ]),
  ) as unknown as LogEntry;
const textAs = <K extends string>(key: K, value: unknown): { readonly [P in K]?: string } =>
  (typeof value === 'string' ? { [key]: value } : {}) as { readonly [P in K]?: string };
const ofTool = (method: string, result: unknown): Failure | undefined =>
  method === 'tools/call' ? failureInAnswer(result) : undefined;
/** What a link hears, by the events of the wire. */
const methods: Readonly<Record<string, string>> = {
  'agent.called': events.toolCall,
  'agent.repeated': events.toolCall,
  'agent.askedTools': events.getTools,
  'agent.askedConfig': events.getConfig,
  'agent.askedResource': events.readResource,
};
const methodOf = (type: string, collection: unknown): string =>
  methods[type] ?? (collection === 'finder' ? events.getFinder : events.getDesktop);
