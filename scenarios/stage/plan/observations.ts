import { nameOf, type Address } from '../../../machines/kernel/effects.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { CallSettled } from '../../../machines/call/call.rules.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { RecordOf as Of, SeenRecord } from '../../invariants/invariant.ts';
import type { Stage } from './plan.ts';
import { readWindow } from '../../../machines/resources/asked.ts';

/** Answer to a question for a Desktop, a Finder or a resource, asked by host or agent. */
export interface Shown {
  /** Time of the answer in ms. */
  readonly at: number;
  /** URIs of the windows, documents or contents, in the order shown. */
  readonly uris: readonly string[];
  /** Text of each window or content; the title of a document. */
  readonly texts: readonly string[];
  /** Number of documents of a Finder before paging. */
  readonly total: number | null;
  /** Servers of which only a part is shown. */
  readonly missing: readonly string[];
  /** Code of the failure; null when there is none. */
  readonly code: string | number | null;
}
type Body = { readonly [Key in keyof Told]?: Told[Key] | undefined };
interface Told {
  readonly error?: { readonly code: number };
  readonly desktops?: readonly string[];
  readonly documents?: readonly { readonly uri: string; readonly title: string }[];
  readonly total_count?: number;
  readonly contents?: readonly { readonly uri: string; readonly text?: string }[];
  readonly missing?: readonly { readonly server: string }[];
  readonly skills?: readonly { readonly name: string; readonly description: string }[];
  readonly body?: string;
  readonly rel_path?: string;
  readonly landing_path?: string;
  /** Code of an ack that refuses in the form of 0.4. */
  readonly code?: number;
}
export type Answer = Partial<Pick<CallSettled, 'failure' | 'result'>> & {
  readonly body?: Body;
  readonly missing?: Body['missing'];
  readonly contents?: Body['contents'];
};

/** In one form, whether the host of a computer or of an agent heard it. */
export function shownBy(answer: Answer, at: number): Shown {
  const { failure = null, result } = answer;
  const body: Body = answer.body ?? result ?? answer;
  const windows = (body.desktops ?? []).map((rendered) => readWindow(rendered));
  const documents = (body.documents ?? []).map(({ uri, title }) => ({ uri, text: title }));
  const skills = (body.skills ?? []).map(({ name, description }) => ({ uri: name, text: description }));
  const { rel_path: path = body.landing_path, body: text } = body;
  const file = path === undefined ? [] : [{ uri: path, ...(text !== undefined && { text }) }];
  const all = [...windows, ...documents, ...skills, ...file, ...listed(body.contents)];
  return {
    at,
    uris: all.map(({ uri }) => uri),
    texts: all.map(({ text = '' }) => text),
    total: body.total_count ?? null,
    missing: (answer.missing ?? body.missing ?? []).map(({ server }) => server),
    code: failure?.code ?? body.error?.code ?? body.code ?? null,
  };
}
const listed = (contents: Body['contents']): NonNullable<Body['contents']> =>
  Array.isArray(contents) ? contents : [];

/** Observations of one server. */
export interface ServerSeen {
  /** Stages of the server, with repetitions in a row merged. */
  readonly visits: Stage[];
  /** Last failure that the server reported. */
  failure: Failure | null;
  /** Signals sent to processes of the server, with time in ms; `stdin` is the end of their input. */
  readonly signals: { readonly name: string; readonly at: number }[];
  /** Number of requests to the server by method; `notifications/cancelled` counts withdrawn questions. */
  readonly requests: Map<string, number>;
  /** Launch specs of the server's processes, in order. */
  readonly specs: number[];
  /** Number of the server's processes that were started. */
  started: number;
  /** Number of the server's processes that could not be started. */
  failed: number;
  /** Number of the server's processes that are alive. */
  alive: number;
}
/** Observations of one call. */
export interface CallSeen {
  /** Time in ms when the call was made. */
  readonly askedAt: number;
  /** Ends that were reported for the call, each with its time in ms; exactly one in a correct play. */
  readonly settled: { readonly at: number; readonly news: CallSettled }[];
}
/** Event that a host heard. */
export interface Heard {
  /** Time of the event in ms. */
  readonly at: number;
  /** Name of the machine that reported the event: `computer` or `agent`. */
  readonly who: string;
  /** Event as the host received it. */
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
  /** Tells whether the question waits in the queue of its session. */
  isInLine: boolean;
}
const isQuestion = (type: string | undefined): boolean =>
  type === 'aggregate.wanted' || type === 'resource.wanted' || type === 'agent.query';
const isHost = (a: Address): boolean => a.startsWith('host:');

/**
 * Observations of a play, read from its records alone, the same for scripted and for real servers. Records are added
 * one by one, because a waiting play checks them all the time.
 */
export class Observed {
  /** Observations of servers by name. */
  readonly servers = new Map<string, ServerSeen>();
  /** Observations of calls by ticket. */
  readonly calls = new Map<string, CallSeen>();
  /** Answers to questions for a Desktop, a Finder or a resource, by ticket. */
  readonly shown = new Map<string, Shown[]>();
  /** Events that hosts heard, in order. */
  readonly heard: Heard[] = [];
  /** Root actors without an owner that have ended, by name. */
  readonly ended = new Map<string, string>();
  readonly #children = new Map<Address, Child>();
  /** Sessions by the address to which questions are sent. */
  readonly #sessions = new Map<Address, SessionSeen>();
  /** Address of the session that was opened last, by name. */
  readonly #newest = new Map<Address, Address>();
  readonly #keys = new Map<Address, Address>();
  readonly #asked = new Map<string, Asked>();

  /** Adds one more record; records have to come in order. */
  take({ at, record }: SeenRecord): void {
    if (record.k === 'post') this.#post(at, record);
    else if (record.k === 'in') this.#in(at, record);
    else if (record.k === 'out') this.#out(at, record);
    else if (record.k === 'end' && !record.a.includes('/')) this.ended.set(nameOf(record.a), record.why);
  }
  /** Returns the observations of a server, empty when it was never seen. */
  server(name: string): ServerSeen {
    let seen = this.servers.get(name);
    if (!seen) this.servers.set(name, (seen = fresh()));
    return seen;
  }
  /** Returns the address of the server's process that was started last. */
  childOf(name: string): Address | undefined {
    const server = this.server(name);
    return [...this.#children.values()].findLast((c) => c.server === server)?.key;
  }
  /** Returns the events of this type that the host of `who` heard, in order. */
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
  /**
   * Counts a question for a session. A question that waits in the queue, or found no room there, was not asked yet.
   */
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
      // The client machine is gone before its process, so the process is killed.
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
      // A sender that did not open the session itself addresses it by name: the session opened last.
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

/** Returns the observations of a whole recording. */
export function observe(seen: Iterable<SeenRecord>): Observed {
  const observed = new Observed();
  for (const each of seen) observed.take(each);
  return observed;
}
