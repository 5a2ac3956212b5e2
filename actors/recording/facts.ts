/** Remembers what still holds of records that are dropped, so that a trace can begin after them. */
import { blobsPort, landingPort } from '../../machines/ports/files.ts';
import { events } from '../../machines/protocol/protocol.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import type { EventObject } from 'xstate';
import type { Address } from '../../machines/kernel/effects.ts';
import { isAnswer } from '../../machines/kernel/ports.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import { plainParams, type ChannelNames, type Crossing } from '../../machines/trace/channels.ts';
import {
  withoutNumber,
  type ChannelEvent,
  type DirectoryRecord,
  type Facts,
} from '../../machines/trace/record.ts';

type In = Extract<DirectoryRecord, { k: 'in' }>;
type Out = Extract<DirectoryRecord, { k: 'out' }>;
interface Opened {
  readonly record: Out;
  readonly told: Map<string, In>;
}
interface Waiting {
  readonly record: In;
  draw?: Extract<DirectoryRecord, { k: 'draw' }>;
}

const mostAnswers = 2_000;
/** The answer to a call of a tool is never used again. */
const isCall = (method: unknown): boolean => method === 'tools/call' || method === 'client:tool_call';
/** A part of a large content is never asked for a second time in the same words. */
const isPart = (method: unknown, target: unknown): boolean =>
  method === events.getBlob || method === events.putBlob || target === blobsPort || target === landingPort;
/** Tells whether a question is the last one of a call: it holds the whole result, and its answer settles the call. */
const isSettling = (method: unknown): boolean => method === 'finish';
/** Facts that follow from dropped records; a recording without its beginning can begin with them. */
export class ForgottenRecords {
  readonly #orders = new Map<string, In>();
  readonly #instances = new Map<Address, Opened>();
  readonly #questions = new TransientMap<string, Out>();
  readonly #answers = new Map<string, { readonly asked: Out; readonly answer: In }>();
  readonly #ended = new Map<string, { readonly opened: Out; readonly end: In }>();
  readonly #waiting = new TransientMap<string, Waiting>();
  readonly #timers = new TransientMap<string, { readonly record: DirectoryRecord; readonly due: number }>();
  readonly #servers = new Map<
    string,
    { readonly stage: string; readonly attempt: number; readonly failure: unknown }
  >();
  /** Records or names for which a recording cannot begin now without further facts (see `isCalm`). */
  readonly #restless = new Set<unknown>();

  take(record: DirectoryRecord, t: number): void {
    if (record.k === 'in') this.#in(record);
    else if (record.k === 'out') this.#out(record);
    else if (record.k === 'post' && record.a.startsWith('host:')) this.#said(record.a, record.ev);
    else if (record.k === 'timer') {
      const { a, n } = record;
      if (record.op === 'set') {
        const timer = { record, due: t + (record.ms ?? 0) };
        this.#timers.set(keyOfId(a, n), timer);
        this.#mark(timer, isGathering(record));
      } else this.#timerOver(a, n);
    } else if (record.k === 'draw' && record.port === 'judge') {
      const waiting = this.#waiting.get(ticketIn(record.a));
      if (waiting) waiting.draw = record;
    }
  }
  /** No server starts or ends and no list is being read: a replay can begin now without further facts. */
  get isCalm(): boolean {
    return this.#restless.size === 0;
  }
  #mark(what: unknown, isRestless: boolean): void {
    if (isRestless) this.#restless.add(what);
    else this.#restless.delete(what);
  }
  #timerOver(a: Address, n: unknown): void {
    this.#restless.delete(this.#timers.get(keyOfId(a, n)));
    this.#timers.delete(keyOfId(a, n));
  }
  #said(host: Address, event: EventObject): void {
    const { ticket, server, stage, attempt, failure } = fieldsOf(event);
    this.#answered(ticket);
    if (event.type === 'client.changed') {
      this.#servers.set(String(server), { stage: String(stage), attempt: Number(attempt), failure });
      this.#mark(`server ${String(server)}`, moving.has(String(stage)));
    } else if (event.type === 'server.removed') {
      this.#servers.delete(String(server));
      this.#mark(`server ${String(server)}`, false);
    } else if (event.type === 'link.changed')
      this.#mark(`link ${host}`, stage !== 'joined' && stage !== 'closed');
    else if (event.type === 'owned.ended') this.#mark(`link ${host}`, false);
  }
  #waits(ticket: string, record: In): void {
    this.#restless.delete(this.#waiting.get(ticket));
    this.#waiting.set(ticket, { record });
  }
  #answered(ticket: unknown): void {
    if (typeof ticket !== 'string') return;
    this.#restless.delete(this.#waiting.get(ticket));
    this.#waiting.delete(ticket);
  }
  #in(record: In): void {
    const { via, a, ev } = record;
    if (via === 'timer' || via === 'deadline') return this.#timerOver(a, record.n);
    if (via === 'start') return void this.#orders.set(`${a} start`, record);
    if (via === 'host') return this.#ordered(record);
    if (via === 'ask') return this.#asked(record);
    const opened = this.#instances.get(a);
    if (via !== 'leaf' || !ev || !opened) return;
    const topic = topicOf(ev);
    if (topic !== undefined) opened.told.set(topic, record);
    for (const over of overWith(ev)) opened.told.delete(over);
    const { server } = fieldsOf(fieldsOf(opened.record.ev)['input']);
    if (typeof server === 'string' && topic === undefined && /(exited|failed|lost)$/.test(ev.type)) {
      opened.told.clear();
      this.#ended.set(`${opened.record.port} ${server}`, { opened: opened.record, end: record });
    }
    this.#mark(opened, !isUp(opened));
    const { ticket } = fieldsOf(ev);
    if (ev.type === 'link.down') this.#forgetAsked(a);
    if (ev.type === 'agent.cancelled') this.#cancel(ticket);
    else if (typeof ticket === 'string' && topic === undefined) this.#waits(ticket, record);
  }
  /** No recording may begin between the cancel and the answer of the call. */
  #cancel(ticket: unknown): void {
    const waiting = this.#waiting.get(String(ticket));
    if (waiting) this.#restless.add(waiting);
  }
  #forgetAsked(instance: Address): void {
    for (const [ticket, { record }] of this.#waiting) if (record.a === instance) this.#answered(ticket);
  }
  #ordered(record: In): void {
    const { a, ev } = record;
    if (!ev) return;
    const about = lastingOf(ev);
    const { ticket } = fieldsOf(ev);
    if (about !== undefined) {
      const key = `${a} ${about}`;
      // Moves a repeated order to the end, because orders are listed by the time at which they were last given.
      this.#orders.delete(key);
      this.#orders.set(key, record);
    } else if (ev.type === 'call.cancel') this.#cancel(ticket);
    else if (typeof ticket === 'string') this.#waits(ticket, record);
    else if (ev.type === 'close')
      for (const key of [...this.#orders.keys()]) if (key.startsWith(`${a} `)) this.#orders.delete(key);
  }
  #asked(record: In): void {
    const asked = this.#questions.get(keyOfId(record.a, record.id));
    if (!asked || !isAnswer(record.ev?.type)) return;
    this.#questionOver(record.a, record.id);
    const { method, params, target } = fieldsOf(asked.ev);
    if (isCall(method) || isSettling(method) || isPart(method, target)) return;
    const about = `${String(method)} ${String(target)} ${params === undefined ? '' : JSON.stringify(plainParams(method, params))}`;
    this.#answers.delete(about);
    this.#answers.set(about, { asked, answer: record });
    const [oldest] = this.#answers.size > mostAnswers ? this.#answers.keys() : [];
    if (oldest !== undefined) this.#answers.delete(oldest);
  }
  #questionOver(a: Address, id: unknown): void {
    this.#restless.delete(this.#questions.get(keyOfId(a, id)));
    this.#questions.delete(keyOfId(a, id));
  }
  #out(record: Out): void {
    const { port, a, ev } = record;
    if (port === 'ask') {
      const { id } = fieldsOf(ev);
      if (ev.type === 'ask') {
        this.#questions.set(keyOfId(a, id), record);
        this.#mark(record, !isCall(fieldsOf(ev)['method']));
      } else this.#questionOver(a, id);
    } else if (ev.type === 'leaf.open') {
      const opened = { record, told: new Map() };
      this.#instances.set(a, opened);
      this.#mark(opened, !isUp(opened));
    } else if (ev.type === 'leaf.close') {
      this.#restless.delete(this.#instances.get(a));
      this.#instances.delete(a);
      this.#forgetAsked(a);
    } else this.#answered(fieldsOf(ev)['ticket']);
  }

  /** In the order in which their servers were asked, so that a replay gives them the same names. */
  #inOrder(): readonly Waiting[] {
    const asked = [...this.#questions.values()].flatMap(({ a }) => this.#waiting.get(ticketIn(a)) ?? []);
    return [...new Set([...asked, ...this.#waiting.values()])];
  }
  /** As they would be given now: a computer whose config was changed is started with the present one. */
  #standing(): readonly In[] {
    const config = this.#orders.get('computer servers');
    // Counts one failure less for a server that waits for its next try, because the replay produces that failure itself.
    const failed = [...this.#servers]
      .map(([server, { stage, attempt, failure }]) => {
        const isDown = stage === 'waiting' || stage === 'open';
        return [server, { attempt: isDown ? attempt - 1 : attempt, failure, isUp: !isDown }] as const;
      })
      .filter(([, { attempt }]) => attempt > 0);
    const spent = failed.length > 0 && { failed: Object.fromEntries(failed) };
    return [...this.#orders.values()]
      .filter((record) => record !== config)
      .map((record) => {
        if (record.via !== 'start' || record.a !== 'computer') return record;
        const { input, ...start } = record.ev as EventObject & { readonly input: object };
        const { servers, shown } = (config?.ev ?? {}) as Fields;
        const ev = { ...start, input: { ...input, ...(config && { servers, shown }), ...spent } };
        const given = config?.given ?? record.given;
        return { ...record, ev, ...(given && { given }) };
      });
  }

  /** `names` must not have named a channel before, and must name those of the later records, too. */
  facts(names: ChannelNames, now: number): Facts {
    const event = (record: DirectoryRecord): ChannelEvent[] => {
      const crossing: Crossing | undefined = names.of(record);
      return crossing?.ev ? [{ ch: crossing.ch, ev: crossing.ev }] : [];
    };
    const orders = this.#standing().flatMap(event);
    const instances = [...this.#instances.values()];
    for (const { record } of instances) names.of(record);
    const told = instances.flatMap((opened) => [...opened.told.values()].flatMap(event));
    const waiting = this.#inOrder();
    const open = waiting.flatMap(({ record }) => event(record));
    const draws = waiting.flatMap(({ draw }) => {
      const crossing = draw && names.of(draw);
      return crossing ? [{ ch: crossing.ch, v: crossing.v }] : [];
    });
    for (const asked of this.#questions.values()) names.of(asked);
    const timers = [...this.#timers.values()].flatMap(({ record, due }) => {
      names.of(record);
      const { a, n } = record as { readonly a: Address; readonly n: number };
      return [{ ch: names.timerOf(a, n), left: Math.max(0, due - now) }];
    });
    // Names closed channels with separate counters, so that the numbers of open channels stay the same.
    const others = names.fresh();
    const nameless = ({ ch, ev }: ChannelEvent): ChannelEvent => ({ ch: withoutNumber(ch), ev });
    const eventOf = (first: DirectoryRecord, second: DirectoryRecord): ChannelEvent[] => {
      others.of(first);
      const crossing = others.of(second);
      return crossing?.ev ? [nameless({ ch: crossing.ch, ev: crossing.ev })] : [];
    };
    for (const { record } of instances) others.of(record);
    const answers = [...this.#answers.values()].flatMap(({ asked, answer }) => eventOf(asked, answer));
    const ended = [...this.#ended.values()]
      .filter(({ opened }) => !instances.some(({ record }) => isSameSubject(record, opened)))
      .flatMap(({ opened, end }) => eventOf(opened, end));
    return { k: 'facts', orders, told, ended, answers, open, draws, timers };
  }
}
const ticketIn = (address: Address): string => {
  const end = /#\d+$/.exec(address)?.index;
  return address.slice(address.lastIndexOf(':', end) + 1, end);
};
const upWith: Readonly<Record<string, string>> = {
  process: 'child.started',
  session: 'session.opened',
  link: 'join.accepted',
  office: 'office.opened',
};
const isUp = ({ record, told }: Opened): boolean => told.has(upWith[record.port] ?? '');
const moving: ReadonlySet<string> = new Set([
  'connecting',
  'recovering',
  'waiting',
  'closing',
  'authorizing',
]);
/** Timers that collect changes before they are reported; while one runs, something is still to be reported. */
const gathering: ReadonlySet<string> = new Set(['quiet', 'settled', 'coalesce', 'questions']);
const isGathering = (record: DirectoryRecord): boolean =>
  record.k === 'timer' && gathering.has(record.for ?? '');
const isSameSubject = (one: Out, other: Out): boolean => {
  const serverIn = ({ ev }: Out): unknown => fieldsOf(fieldsOf(ev)['input'])['server'];
  return one.port === other.port && serverIn(one) === serverIn(other);
};

const keyOfId = (a: Address, id: unknown): string => `${a} ${String(id)}`;

const standing: ReadonlySet<string> = new Set([...Object.values(upWith), 'link.up']);
/** Undefined for a fact that is over at once; others stay valid until a later one replaces them. */
function topicOf({ type, ...fields }: EventObject): string | undefined {
  const { socket, computer } = fields as Fields;
  if (standing.has(type)) return type;
  if (type === 'socket.opened' || type === 'socket.joins') return `${type} ${String(socket)}`;
  return type === 'computer.entered' ? `computer ${String(computer)}` : undefined;
}
function overWith({ type, ...fields }: EventObject): readonly string[] {
  const { socket, computer } = fields as Fields;
  if (type === 'link.down') return ['link.up', 'join.accepted'];
  if (type === 'leave.done') return ['join.accepted'];
  if (type === 'socket.closed') return [`socket.opened ${String(socket)}`, `socket.joins ${String(socket)}`];
  if (type === 'socket.leaves') return [`socket.joins ${String(socket)}`];
  return type === 'computer.left' ? [`computer ${String(computer)}`] : [];
}
/** Undefined for an order that is over when it is answered. */
function lastingOf({ type, ...fields }: EventObject): string | undefined {
  const { server, collection, by } = fields as Fields;
  if (type === 'servers.set' || type === 'office.join' || type === 'office.leave') return type.split('.')[0];
  if (type === 'server.start' || type === 'server.stop') return `server ${String(server)}`;
  if (type === 'agent.follow') return `follow ${String(collection)}`;
  return type === 'resources.watch' ? `watch ${String(server)} ${String(by)}` : undefined;
}
