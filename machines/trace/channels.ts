/** Names what crosses between a host and the outside, alike in a recording and in its replay. */
import type { EventObject } from 'xstate';
import { kindIn, type Address } from '../kernel/effects.ts';
import { fnv, fnvBasis } from '../kernel/fnv.ts';
import { isAnswer } from '../kernel/ports.ts';
import type { Fields } from '../protocol/json.ts';
import { canonical, type Redactor, type Texts } from './canonical.ts';
import type { DirectoryRecord, Thrown } from './record.ts';

const longestText = 80;
export const shortText = (text: string): string =>
  text.length <= longestText
    ? text
    : `${text.slice(0, longestText - 20)}…${fnv(fnvBasis, text).toString(16)}`;
const keysIn = (address: Address): string[] =>
  address.split('/').flatMap((segment) => {
    const name = segment.replace(/#\d+$/, '');
    const at = name.indexOf(':');
    return at < 0 ? [] : [name.slice(at + 1)];
  });
/** `files` for `computer/client:files#3/process#1`. */
const subjectOf = (address: Address): string => keysIn(address).join(' ');
const ofSubject = (address: Address): string => {
  const subject = subjectOf(address);
  return subject === '' ? '' : ` of ${subject}`;
};
const rootOf = (leaf: Address): Address => leaf.slice(0, leaf.lastIndexOf('/'));
const nameIn = (address: Address): Address => address.replace(/#\d+$/, '');

/** Except for calls, request ids come from counters of this library, so traces ignore differences in them. */

/** Given by the caller and therefore kept. */
const withGivenId: ReadonlySet<string> = new Set(['client:tool_call', 'server:tool_call_cancel']);
export const ownId = '$own';
export const plainParams = (method: unknown, params: unknown): unknown => {
  if (typeof params !== 'object' || params === null || withGivenId.has(method as string)) return params;
  const { req_id: _, ...plain } = params as Fields;
  return plain;
};
/** Only the generated id of its question: an answer with another id belongs to another question. */
function answered(ev: EventObject, own: unknown): EventObject {
  const { result } = ev as EventObject & Fields;
  if (own === undefined || typeof result !== 'object' || result === null) return ev;
  const isOwn = (result as Fields)['req_id'] === own;
  return isOwn ? ({ ...ev, result: { ...result, req_id: ownId } } as EventObject) : ev;
}

/** Words of the public API, so that internal names never appear in a trace. */
export interface HostWords {
  /** `given` is the original input when the machines received something derived from it. */
  order(kind: string, event: EventObject, given: object | undefined): EventObject;
  news(kind: string, event: EventObject): EventObject;
}
/** Between a host and the outside (ports, timers, its program). */
export interface Crossing {
  /** `said`: to the program that uses the host; `draw`: a port returned it at once; `defect`: broken invariant. */
  readonly k: 'in' | 'out' | 'said' | 'draw' | 'defect';
  /** By purpose: `session:files/1`, `ask tools/call of files {…}/2`, `timer backoff of files 500/1`. */
  readonly ch: string;
  /** Without addresses and numbers of machines; absent for a timer that fired and for a draw. */
  readonly ev?: EventObject;
  readonly v?: unknown;
  readonly threw?: Thrown;
  readonly what?: string;
  readonly req?: string;
}

/** Beyond it the oldest half is forgotten, so that a recording host stays small for weeks. */
const mostCounted = 20_000;
/** Question in the form in which its port receives it. */
type Asked = Readonly<Record<'id' | 'target' | 'method', string>> & { readonly params?: unknown };
const isAddressed = (key: string, value: unknown): boolean =>
  (key === 'key' || key === 'process') && typeof value === 'string';

/** Names come from the order of the records alone, so a recording and its replay give the same ones. */
export class ChannelNames {
  readonly #words: HostWords;
  #write: (value: unknown) => string;
  readonly #counts = new Map<string, number>();
  /** By address of the port instance, and by path of its root without the instance number. */
  readonly #instances = new Map<Address, string>();
  readonly #ofRoot = new Map<Address, string>();
  readonly #questions = new Map<string, string>();
  /** Generated from counters; by asker and question id. */
  readonly #ownIds = new Map<string, unknown>();
  readonly #timers = new Map<string, string>();
  readonly #hosts = new Map<Address, string>();
  readonly #requests = new Map<string, string>();

  /** `shown` returns the value to write into the trace in place of a given one. */
  constructor(
    words: HostWords,
    redactor?: Redactor,
    texts?: Texts,
    shown = (value: unknown): unknown => value,
  ) {
    this.#words = words;
    this.#write = (value) => canonical(shown(value), redactor, texts);
  }
  fresh(): ChannelNames {
    const names = new ChannelNames(this.#words);
    names.#write = this.#write;
    return names;
  }
  /** As if all had just been opened: a trace that begins with a `facts` line counts so. Returns the new names. */
  restart(): ReadonlyMap<string, string> {
    this.#counts.clear();
    const renamed = new Map<string, string>();
    for (const names of [this.#instances, this.#questions, this.#timers])
      for (const [key, old] of names) {
        const name = this.#nth(old.replace(/\/\d+$/, ''));
        names.set(key, name);
        if (name !== old) renamed.set(old, name);
      }
    for (const name of this.#hosts.values()) this.#nth(name.replace(/\/\d+$/, ''));
    return renamed;
  }
  #nth(base: string): string {
    const n = (this.#counts.get(base) ?? 0) + 1;
    if (this.#counts.size >= mostCounted)
      for (const old of [...this.#counts.keys()].slice(0, mostCounted / 2)) this.#counts.delete(old);
    this.#counts.set(base, n);
    return `${base}/${n}`;
  }
  #text(value: unknown): string {
    return shortText(this.#write(value));
  }

  /** Undefined for a record that stays inside the host. */
  of(record: DirectoryRecord): Crossing | undefined {
    switch (record.k) {
      case 'in':
        return this.#in(record);
      case 'out':
        return record.port === 'ask' ? this.#asked(record.a, record.ev) : this.#told(record);
      case 'post':
        return record.a.startsWith('host:') ? this.#said(record.a, record.ev) : undefined;
      case 'timer':
        if (record.op === 'set') this.#timer(record.a, record.n, record.for ?? '', record.ms ?? 0);
        else return this.#cleared(record);
        return undefined;
      case 'draw':
        return this.#drawn(record);
      case 'defect':
        return { k: 'defect', ch: 'defect', what: record.what };
      case 'open':
      case 'end':
        return undefined;
    }
  }
  instanceOf(at: Address): string {
    return this.#instances.get(at) ?? at;
  }
  questionOf(asker: Address, id: string): string {
    return this.#questions.get(`${asker} ${id}`) ?? id;
  }
  timerOf(a: Address, n: number): string {
    return this.#timers.get(`${a} ${n}`) ?? '';
  }
  get hosts(): ReadonlyMap<Address, string> {
    return this.#hosts;
  }

  #timer(a: Address, n: number, purpose: string, ms: number): string {
    const name = this.#nth(`timer ${purpose}${ofSubject(a)} ${ms}`);
    this.#timers.set(`${a} ${n}`, name);
    return name;
  }
  #instance(port: string, at: Address, input: unknown): string {
    const {
      server = '',
      role = '',
      name = '',
      key = '',
    } = input as Readonly<Record<string, string | undefined>>;
    const subject = port === 'link' ? `${role}:${name}` : server;
    const channel = this.#nth(subject === '' ? port : `${port}:${subject}`);
    this.#instances.set(at, channel);
    // Requests to a server name the actor under which its session is known.
    this.#ofRoot.set(nameIn(key === '' ? rootOf(at) : key), subject);
    return channel;
  }
  #question(asker: Address, ev: EventObject): string {
    const { id, target, method, params } = ev as EventObject & Asked;
    const to = this.#ofRoot.get(nameIn(target)) ?? nameIn(target);
    const about = params === undefined ? '' : ` ${this.#text(plainParams(method, params))}`;
    const name = this.#nth(`ask ${method} of ${to}${about}`);
    this.#questions.set(`${asker} ${id}`, name);
    if (plainParams(method, params) !== params)
      this.#ownIds.set(`${asker} ${id}`, (params as Fields)['req_id']);
    return name;
  }
  #host(kind: string, at: Address): string {
    const [base, n] = this.#nth(`host:${kind}`).split(/\/(?=\d+$)/) as [string, string];
    const name = n === '1' ? base : `${base}/${n}`;
    this.#hosts.set(at, name);
    return name;
  }
  static draw(port: string, a: Address): string {
    return `${port}${ofSubject(a)}`;
  }

  #in(record: Extract<DirectoryRecord, { k: 'in' }>): Crossing | undefined {
    const { via, a, ev, given } = record;
    switch (via) {
      case 'outlet':
        return undefined;
      case 'start': {
        const { input, tell } = ev as unknown as { input: object; tell: Address };
        const order = this.#words.order(kindIn(a), { type: 'start', ...input }, given);
        return { k: 'in', ch: this.#host(a, tell), ev: order };
      }
      case 'abandon':
        return { k: 'in', ch: this.#hostOf(a), ev: { type: 'abandon' } };
      case 'host': {
        const ch = this.#hostOf(a);
        const event = this.#plain(ev as EventObject, ch);
        return { k: 'in', ch, ev: this.#words.order(kindIn(a), event, given), ...this.#reqOf(a, ev) };
      }
      case 'leaf':
        return { k: 'in', ch: this.#instances.get(a) ?? a, ...(ev && { ev }), ...this.#reqOf(a, ev) };
      case 'ask': {
        const key = `${a} ${record.id}`;
        const ch = this.#questions.get(key) ?? key;
        const own = this.#ownIds.get(key);
        if (isAnswer(ev?.type)) for (const map of [this.#questions, this.#ownIds]) map.delete(key);
        const { id: _, ...told } = ev as EventObject & { id?: string };
        return { k: 'in', ch, ev: answered(told, own), ...this.#reqOf(a) };
      }
      case 'timer':
      case 'deadline': {
        const key = `${a} ${record.n}`;
        const ch = this.#timers.get(key) ?? `timer${ofSubject(a)}`;
        this.#timers.delete(key);
        return { k: 'in', ch, ...this.#reqOf(a) };
      }
    }
  }
  #told({ port, a, ev }: Extract<DirectoryRecord, { k: 'out' }>): Crossing {
    if (ev.type !== 'leaf.open') {
      const ch = this.#instances.get(a) ?? a;
      if (ev.type !== 'leaf.close') return { k: 'out', ch, ev, ...this.#reqOf(a, ev) };
      this.#instances.delete(a);
      return { k: 'out', ch, ev: { type: 'close' } };
    }
    const { input } = ev as EventObject & { input: object };
    const ch = this.#instance(port, a, input);
    const plain = Object.fromEntries(Object.entries(input).filter(([key, v]) => !isAddressed(key, v)));
    return { k: 'out', ch, ev: { type: 'open', ...plain } };
  }
  #asked(a: Address, ev: EventObject): Crossing {
    const { type: _, id, target: __, limiter: ___, ...question } = ev as EventObject & Fields;
    const key = `${a} ${id as string}`;
    if (ev.type === 'ask.withdraw') {
      const ch = this.#questions.get(key) ?? key;
      for (const map of [this.#questions, this.#ownIds]) map.delete(key);
      return { k: 'out', ch, ev: { type: 'withdraw' }, ...this.#reqOf(a) };
    }
    const { method, params } = question;
    const plain = params === undefined ? question : { ...question, params: plainParams(method, params) };
    return { k: 'out', ch: this.#question(a, ev), ev: { type: 'ask', ...plain }, ...this.#reqOf(a) };
  }
  #said(a: Address, ev: EventObject): Crossing {
    const ch = this.#hosts.get(a) ?? a;
    const event = this.#words.news(ch.slice('host:'.length).replace(/\/\d+$/, ''), this.#plain(ev, ch));
    return { k: 'said', ch, ev: event, ...this.#reqOf(a, ev) };
  }
  #drawn({ port, a, v, threw }: Extract<DirectoryRecord, { k: 'draw' }>): Crossing {
    const ch = this.#instances.get(a) ?? this.#hosts.get(a) ?? ChannelNames.draw(port, a);
    return { k: 'draw', ch, ...(threw ? { threw } : { v }), ...this.#reqOf(a) };
  }
  /** Only when it was already due but had not fired, because it would fire in a replay. */
  #cleared({ a, n, late }: Extract<DirectoryRecord, { k: 'timer' }>): Crossing | undefined {
    const key = `${a} ${n}`;
    const ch = this.#timers.get(key);
    this.#timers.delete(key);
    return late && ch !== undefined ? { k: 'in', ch, ev: { type: 'late' } } : undefined;
  }
  #hostOf(root: Address): string {
    const kind = nameIn(root);
    const names = [...this.#hosts.values()];
    return (
      names.findLast((name) => name === `host:${kind}` || name.startsWith(`host:${kind}/`)) ?? `host:${kind}`
    );
  }
  #plain(event: EventObject, host: string): EventObject {
    const { replyTo, ...plain } = event as EventObject & { replyTo?: Address };
    return replyTo !== undefined && this.#hosts.get(replyTo) === host ? plain : event;
  }
  #reqOf(a: Address, ev?: EventObject): { readonly req?: string } {
    const { ticket, reqId, req_id } = (ev ?? {}) as Fields;
    const own = reqId ?? req_id;
    if (typeof ticket === 'string' && typeof own === 'string') {
      this.#requests.delete(ticket);
      this.#requests.set(ticket, own);
      const [oldest] = this.#requests.size > mostCounted ? this.#requests.keys() : [];
      if (oldest !== undefined) this.#requests.delete(oldest);
    }
    const known = own ?? this.#requests.get(typeof ticket === 'string' ? ticket : (keysIn(a).at(-1) ?? ''));
    return typeof known === 'string' ? { req: known } : {};
  }
}
