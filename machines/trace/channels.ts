import type { EventObject } from 'xstate';
import type { Address } from '../kernel/address.ts';
import { isAnswer } from '../kernel/ports.ts';
import { keysIn, nameIn, ofSubject, rootOf, shortText } from './channel-words.ts';
import { canonical, type Redactor, type Texts } from './canonical.ts';
import { answered, plainParams } from './own-ids.ts';
import type { DirectoryRecord, Thrown } from './record.ts';
import type { Fields } from '../protocol/json.ts';

/** Words of the public API for what hosts order and hear. Names between machines never stand in a trace. */
export interface HostWords {
  /** The order as a host gave it. `given`: what it was made of, where the machines get something else. */
  order(kind: string, event: EventObject, given: object | undefined): EventObject;
  /** The news as a host hears it. */
  news(kind: string, event: EventObject): EventObject;
}
/** Crossing of the boundary between a host and its world, named by its purpose. */
export interface Crossing {
  /** `in`: the world told the host. `out`: the host told the world. `said`: its user heard. `draw`: chance. */
  readonly k: 'in' | 'out' | 'said' | 'draw' | 'defect';
  /** Channel by purpose: `session:files/1`, `ask tools/call of files {…}/2`, `timer backoff of files 500/1`, `host:computer`. */
  readonly ch: string;
  /** The event, without addresses and numbers of machines; absent for a timer that fired and a draw. */
  readonly ev?: EventObject;
  readonly v?: unknown;
  readonly threw?: Thrown;
  readonly what?: string;
  /** `req_id` of the call that it belongs to. */
  readonly req?: string;
}

/** Names kept for counting; the oldest half is forgotten beyond it, so that a host that records for weeks stays small. */
const mostCounted = 20_000;
/** A question, as its port is told of it. */
type Asked = Readonly<Record<'id' | 'target' | 'method', string>> & { readonly params?: unknown };
const isAddressed = (key: string, value: unknown): boolean =>
  (key === 'key' || key === 'process') && typeof value === 'string';

/**
 * Gives each record that crosses the boundary its name, from the order of the records alone: who holds a port, which number a
 * machine has and what messages between machines are called do not matter. The same for a recorder and for a replay.
 */
export class ChannelNames {
  readonly #words: HostWords;
  #write: (value: unknown) => string;
  readonly #counts = new Map<string, number>();
  /** By the address of a port instance; by the name of the root that holds it, whichever incarnation. */
  readonly #instances = new Map<Address, string>();
  readonly #ofRoot = new Map<Address, string>();
  /** By asker and id. */
  readonly #questions = new Map<string, string>();
  /** The ids of questions that are counters of ours, by asker and id. */
  readonly #ownIds = new Map<string, unknown>();
  /** By root and number, those that are set. */
  readonly #timers = new Map<string, string>();
  /** By the address at which a host listens. */
  readonly #hosts = new Map<Address, string>();
  /** `req_id` by the ticket of a call. */
  readonly #requests = new Map<string, string>();

  /** `veil`: what is written in the place of a value. */
  constructor(
    words: HostWords,
    redactor?: Redactor,
    texts?: Texts,
    veil = (value: unknown): unknown => value,
  ) {
    this.#words = words;
    this.#write = (value) => canonical(veil(value), redactor, texts);
  }
  /** Names of the same words that have counted nothing. */
  fresh(): ChannelNames {
    const names = new ChannelNames(this.#words);
    names.#write = this.#write;
    return names;
  }
  /**
   * Counts from now on as if everything that is open had just been opened, as a trace does that opens with facts. Returns the
   * new name of each channel that has another one.
   */
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

  /** The crossing that a record is; undefined: it stays inside. */
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
  // ── what a world looks up: of records that it has just seen ────────────────────────────────────────
  instanceOf(at: Address): string {
    return this.#instances.get(at) ?? at;
  }
  questionOf(asker: Address, id: string): string {
    return this.#questions.get(`${asker} ${id}`) ?? id;
  }
  timerOf(a: Address, n: number): string {
    return this.#timers.get(`${a} ${n}`) ?? '';
  }
  /** Addresses at which hosts listen, by their names. */
  get hosts(): ReadonlyMap<Address, string> {
    return this.#hosts;
  }

  // ── names ──────────────────────────────────────────────────────────────────────────────────────────
  #timer(a: Address, n: number, purpose: string, ms: number): string {
    const name = this.#nth(`timer ${purpose}${ofSubject(a)} ${ms}`);
    this.#timers.set(`${a} ${n}`, name);
    return name;
  }
  #instance(port: string, at: Address, input: unknown): string {
    const { server = '', role = '', name = '' } = input as Readonly<Record<string, string | undefined>>;
    const subject = port === 'link' ? `${role}:${name}` : server;
    const channel = this.#nth(subject === '' ? port : `${port}:${subject}`);
    this.#instances.set(at, channel);
    this.#ofRoot.set(nameIn(rootOf(at)), subject);
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
  /** Name of the draws of a root at a port. */
  static draw(port: string, a: Address): string {
    return `${port}${ofSubject(a)}`;
  }

  // ── records ────────────────────────────────────────────────────────────────────────────────────────
  #in(record: Extract<DirectoryRecord, { k: 'in' }>): Crossing | undefined {
    const { via, a, ev, given } = record;
    switch (via) {
      case 'outlet':
        return undefined;
      case 'start': {
        const { input, tell } = ev as unknown as { input: object; tell: Address };
        const order = this.#words.order(a, { type: 'start', ...input }, given);
        return { k: 'in', ch: this.#host(a, tell), ev: order };
      }
      case 'abandon':
        return { k: 'in', ch: this.#hostOf(a), ev: { type: 'abandon' } };
      case 'host': {
        const ch = this.#hostOf(a);
        const event = this.#plain(ev as EventObject, ch);
        return { k: 'in', ch, ev: this.#words.order(a, event, given), ...this.#reqOf(a, ev) };
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
  /** Only a timer that was due and has not fired is told: in a replay it would fire. */
  #cleared({ a, n, late }: Extract<DirectoryRecord, { k: 'timer' }>): Crossing | undefined {
    const key = `${a} ${n}`;
    const ch = this.#timers.get(key);
    this.#timers.delete(key);
    return late && ch !== undefined ? { k: 'in', ch, ev: { type: 'late' } } : undefined;
  }
  /** A host that orders by the name of its root. */
  #hostOf(root: Address): string {
    const kind = nameIn(root);
    const names = [...this.#hosts.values()];
    return (
      names.findLast((name) => name === `host:${kind}` || name.startsWith(`host:${kind}/`)) ?? `host:${kind}`
    );
  }
  /** Without the address at which its host listens, which its channel says. */
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
