import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { CallSettled } from '../../../machines/call/messages.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { RecordOf as Of, SeenRecord } from '../../invariants/invariant.ts';
import type { Stage } from './plan.ts';
import { readWindow } from '../../../machines/resources/desktop.ts';

/** An answer to a question for a Desktop, a Finder or a resource, whoever asked. */
export interface Shown {
  /** ms. */
  readonly at: number;
  /** Of windows, documents or contents, in their order. */
  readonly uris: readonly string[];
  /** What each of them says; of a document its title. */
  readonly texts: readonly string[];
  /** Of a Finder, before paging. */
  readonly total: number | null;
  /** Servers of which not all is there. */
  readonly missing: readonly string[];
  /** Of the failure; null: there is none. */
  readonly code: string | number | null;
}
type Body = { readonly [Key in keyof Told]?: Told[Key] | undefined };
interface Told {
  /** An ack that says no. */
  readonly error?: { readonly code: number };
  readonly desktops?: readonly string[];
  readonly documents?: readonly { readonly uri: string; readonly title: string }[];
  readonly total_count?: number;
  readonly contents?: readonly { readonly uri: string; readonly text?: string }[];
  readonly missing?: readonly { readonly server: string }[];
}
export type Answer = Partial<Pick<CallSettled, 'failure' | 'result'>> & {
  readonly body?: Body;
  readonly missing?: Body['missing'];
  readonly contents?: Body['contents'];
};

/** What the host of a computer hears, and what the host of an agent hears, read alike. */
export function shownBy(answer: Answer, at: number): Shown {
  const { failure = null, result } = answer;
  const body: Body = answer.body ?? result ?? answer;
  const windows = (body.desktops ?? []).map((rendered) => readWindow(rendered));
  const documents = (body.documents ?? []).map(({ uri, title }) => ({ uri, text: title }));
  const all = [...windows, ...documents, ...listed(body.contents)];
  return {
    at,
    uris: all.map(({ uri }) => uri),
    texts: all.map(({ text = '' }) => text),
    total: body.total_count ?? null,
    missing: (answer.missing ?? body.missing ?? []).map(({ server }) => server),
    code: failure?.code ?? body.error?.code ?? null,
  };
}
const listed = (contents: Body['contents']): NonNullable<Body['contents']> =>
  Array.isArray(contents) ? contents : [];

/** What was seen of one server. */
export interface ServerSeen {
  /** Each stage once, until another comes. */
  readonly visits: Stage[];
  /** The last that was told. */
  failure: Failure | null;
  /** What its processes were sent, with its ms; `stdin` is the end of their input. */
  readonly signals: { readonly name: string; readonly at: number }[];
  /** By method; `notifications/cancelled` counts withdrawn questions. */
  readonly requests: Map<string, number>;
  /** The launch specs of its processes, one after the other. */
  readonly specs: number[];
  /** How many of its processes ran. */
  started: number;
  /** How many could not be started. */
  failed: number;
  /** How many live. */
  alive: number;
}
/** What was seen of one call. */
export interface CallSeen {
  /** ms. */
  readonly askedAt: number;
  /** Each end that was told, with its ms; one, if all is well. */
  readonly settled: { readonly at: number; readonly news: CallSettled }[];
}
/** One event that a host heard. */
export interface Heard {
  /** ms. */
  readonly at: number;
  /** The name of the machine that told it: `computer`, `agent`. */
  readonly who: string;
  /** As it was told. */
  readonly event: { readonly type: string; readonly [more: string]: unknown };
}
type Event = Heard['event'] & {
  readonly input?: { readonly server?: string; readonly key?: Address; readonly spec?: number };
};

const fresh = (): ServerSeen => ({
  visits: [],
  failure: null,
  signals: [],
  requests: new Map(),
  specs: [],
  started: 0,
  failed: 0,
  alive: 0,
});
interface Child {
  readonly server: ServerSeen;
  readonly key: Address;
  life: 'unborn' | 'alive' | 'over';
}
interface SessionSeen {
  readonly server: ServerSeen;
  isOpen: boolean;
}
interface Asked {
  readonly session: SessionSeen;
  readonly method: string;
  /** It waits for its turn. */
  isInLine: boolean;
}
const isQuestion = (type: string | undefined): boolean =>
  type === 'aggregate.wanted' || type === 'resource.wanted' || type === 'agent.query';
const isHost = (a: Address): boolean => a.startsWith('host:');

/**
 * What happened, read from the records alone: nothing here knows whether the servers were scripted or real. Fed
 * one record after the other, because whoever waits looks at it all the time.
 */
export class Observed {
  /** By name. */
  readonly servers = new Map<string, ServerSeen>();
  /** By ticket. */
  readonly calls = new Map<string, CallSeen>();
  /** Answers to questions for a Desktop, a Finder or a resource, by ticket. */
  readonly shown = new Map<string, Shown[]>();
  /** What hosts heard, in order. */
  readonly heard: Heard[] = [];
  /** Roots without an owner that have ended, by name. */
  readonly ended = new Map<string, string>();
  readonly #children = new Map<Address, Child>();
  /** Sessions by the name under which they are asked. */
  readonly #sessions = new Map<Address, SessionSeen>();
  /** By name: the one that was opened last. */
  readonly #newest = new Map<Address, Address>();
  readonly #keys = new Map<Address, Address>();
  readonly #asked = new Map<string, Asked>();

  /** Reads one more record; they have to come in order. */
  take({ at, record }: SeenRecord): void {
    if (record.k === 'post') this.#post(at, record);
    else if (record.k === 'in') this.#in(at, record);
    else if (record.k === 'out') this.#out(at, record);
    else if (record.k === 'end' && !record.a.includes('/')) this.ended.set(nameOf(record.a), record.why);
  }
  /** What was seen of it; nothing, if it was never seen. */
  server(name: string): ServerSeen {
    let seen = this.servers.get(name);
    if (!seen) this.servers.set(name, (seen = fresh()));
    return seen;
  }
  /** Where the process of a server lives that was started last. */
  childOf(name: string): Address | undefined {
    const server = this.server(name);
    return [...this.#children.values()].findLast((c) => c.server === server)?.key;
  }
  /** What the host of `who` heard of this type, in order. */
  heardBy(who: string, type: string): Heard[] {
    return this.heard.filter((h) => h.who === who && h.event.type === type);
  }

  #post(at: number, { a, from, ev }: Of<'post'>): void {
    if (!isHost(a)) return;
    this.heard.push({ at, who: nameOf(from), event: ev });
    if (ev.type === 'call.settled') {
      const news = ev as CallSettled;
      this.calls.get(news.ticket)?.settled.push({ at, news });
    }
    if (ev.type === 'aggregate.shown' || ev.type === 'resource.read' || ev.type === 'call.settled')
      this.shown.get(String((ev as Event)['ticket']))?.push(shownBy(ev as Answer, at));
    if (ev.type !== 'client.changed') return;
    const { server, stage, failure } = ev as unknown as {
      server: string;
      stage: Stage;
      failure: Failure | null;
    };
    const seen = this.server(server);
    if (seen.visits.at(-1) !== stage) seen.visits.push(stage);
    if (failure) seen.failure = failure;
  }
  #in(at: number, { via, a, ev, id }: Of<'in'>): void {
    if (via === 'host' && isQuestion(ev?.type)) this.shown.set(String((ev as Event)['ticket']), []);
    if (via === 'host' && (ev?.type === 'call.request' || ev?.type === 'agent.call')) {
      this.calls.set(String((ev as Event)['ticket']), { askedAt: at, settled: [] });
    } else if (via === 'ask' && ev) this.#told(`${a} ${id}`, ev);
    else if (via === 'leaf' && ev) this.#fact(a, ev);
  }
  /** What is heard of a question. One that waits for its turn, or that there is no room for, was not asked. */
  #told(name: string, ev: Event): void {
    const asked = this.#asked.get(name);
    if (!asked) return;
    const { server } = asked.session;
    if (ev.type === 'ask.waiting') asked.isInLine = true;
    const isBusy = (ev['failure'] as Failure | undefined)?.code === 'Busy';
    if (ev.type === 'ask.waiting' || (isBusy && !asked.isInLine)) count(server, asked.method, -1);
    if (ev.type === 'ask.began') {
      asked.isInLine = false;
      count(server, asked.method);
    }
    if (isAnswer(ev.type)) this.#asked.delete(name);
  }
  #fact(a: Address, ev: { readonly type: string }): void {
    const child = this.#children.get(a);
    const session = this.#sessions.get(this.#keys.get(a) ?? '');
    if (session && (ev.type === 'session.lost' || ev.type === 'session.failed')) session.isOpen = false;
    if (!child) return;
    const { server } = child;
    if (ev.type === 'child.started') {
      child.life = 'alive';
      server.started += 1;
      server.alive += 1;
    } else if (ev.type === 'child.failed') {
      child.life = 'over';
      server.failed += 1;
    } else if (ev.type === 'group.emptied' || (ev.type === 'child.exited' && 'left' in ev && ev.left === 0))
      this.#over(child);
  }
  #over(child: Child): void {
    if (child.life === 'alive') child.server.alive -= 1;
    child.life = 'over';
  }
  #out(at: number, { port, a, ev }: Of<'out'>): void {
    if (port === 'process') this.#command(at, a, ev);
    else if (port === 'session') this.#session(a, ev);
    else if (port === 'ask') this.#request(a, ev as Event & { id: string; target: Address; method: string });
  }
  #command(at: number, a: Address, ev: Event): void {
    const { server: name, key, spec } = ev.input ?? {};
    if (ev.type === 'leaf.open' && name !== undefined && key !== undefined) {
      const server = this.server(name);
      this.#children.set(a, { server, key, life: 'unborn' });
      if (spec !== undefined) server.specs.push(spec);
      return;
    }
    const child = this.#children.get(a);
    if (!child) return;
    const { signals } = child.server;
    if (ev.type === 'child.closeStdin') signals.push({ name: 'stdin', at });
    else if (ev.type === 'child.signal') signals.push({ name: String(ev['signal']), at });
    else if (ev.type === 'leaf.close' && child.life === 'alive') {
      // Its machine is gone before it is: whoever is left is killed.
      signals.push({ name: 'force', at });
      this.#over(child);
    }
  }
  #session(a: Address, ev: Event): void {
    const { server: name, key } = ev.input ?? {};
    if (ev.type === 'leaf.open' && name !== undefined && key !== undefined) {
      const server = this.server(name);
      this.#keys.set(a, key);
      this.#sessions.set(key, { server, isOpen: true });
      this.#newest.set(nameOf(key), key);
      count(server, 'initialize');
    } else if (ev.type === 'leaf.close') {
      const key = this.#keys.get(a) ?? '';
      const session = this.#sessions.get(key);
      if (session) session.isOpen = false;
      this.#sessions.delete(key);
    }
  }
  #request(a: Address, ev: Event & { id: string; target: Address; method: string }): void {
    const name = `${a} ${ev.id}`;
    if (ev.type === 'ask') {
      // Who has not opened it himself asks by its name: whoever lives there now.
      const key = this.#sessions.has(ev.target) ? ev.target : this.#newest.get(ev.target);
      const session = this.#sessions.get(key ?? '');
      if (!session || key === undefined) return;
      this.#asked.set(name, { session, method: ev.method, isInLine: false });
      count(session.server, ev.method);
    } else if (ev.type === 'ask.withdraw') {
      const asked = this.#asked.get(name);
      this.#asked.delete(name);
      if (asked?.session.isOpen && !asked.isInLine) count(asked.session.server, 'notifications/cancelled');
    }
  }
}
function count({ requests }: ServerSeen, method: string, more = 1): void {
  const n = (requests.get(method) ?? 0) + more;
  if (n === 0) requests.delete(method);
  else requests.set(method, n);
}

/** What happened in a whole recording. */
export function observe(seen: Iterable<SeenRecord>): Observed {
  const observed = new Observed();
  for (const each of seen) observed.take(each);
  return observed;
}
