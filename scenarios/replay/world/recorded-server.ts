import type { EventObject } from 'xstate';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { ServerInfo } from '../../../machines/ports/session.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';
import {
  isCrossing,
  type CrossingLine,
  type FrameLine,
  type Trace,
} from '../../../machines/trace/reading.ts';
import type { Facts } from '../../../machines/trace/record.ts';
import type {
  RecordedDeath,
  RecordedRequest,
  RecordedServer,
  RecordedSession,
  Happening,
} from './recorded.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Request = Mutable<Omit<RecordedRequest, 'unasked' | 'progress'>> & {
  unasked: Happening[];
  progress: (Progress & { ms: number })[];
};
interface Session extends Mutable<Omit<RecordedSession, 'unasked'>> {
  unasked: Happening[];
  /** The host has ended the server or let go of the session. */
  isTold: boolean;
  isForced: boolean;
  death: { death: RecordedDeath } | undefined;
}
type Happened = (what: object) => { death: RecordedDeath };
interface Server {
  readonly name: string;
  readonly sessions: Session[];
  readonly requests: Request[];
}
interface Instance {
  readonly server: Server;
  readonly session: Session;
}
interface At {
  readonly t: number;
  readonly s: number;
  readonly ch: string;
  readonly ev: EventObject & Fields;
  readonly req: string | undefined;
}
/** Tells whether a method is one of MCP and not a question that hosts ask themselves, people or offices. */
const isMethod = (method: unknown): method is string =>
  method === 'ping' || (typeof method === 'string' && /^[a-z]+\/[\w/]+$/.test(method));
const listOf: Readonly<Record<string, string>> = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
};
const portOf = (ch: string): readonly (string | undefined)[] =>
  /^(process|session):(.*)\/\d+$/s.exec(ch) ?? [];
const startOf = (t: number, s: number): Session => ({
  s,
  t,
  process: undefined,
  info: undefined,
  failure: undefined,
  ms: 0,
  unasked: [],
  endCode: null,
  isTold: false,
  isForced: false,
  death: undefined,
});

/** Message on the wire of a relayed server. */
interface Heard {
  readonly message: Fields;
  readonly dir: FrameLine['dir'];
  readonly of: string;
  readonly t: number;
  readonly s: number;
}
const requestOf = (
  server: string,
  asked: Pick<Request, 's' | 't' | 'method' | 'params' | 'req'>,
): Request => ({
  ...asked,
  server,
  session: -1,
  ms: 0,
  answeredAt: Infinity,
  answer: { type: 'none' },
  progress: [],
  unasked: [],
});

/** Reads the requests and answers of each server from the crossings of a trace. */
class Reading {
  readonly servers = new Map<string, Server>();
  /** Names of servers to which a client outside of the runtime spoke. */
  readonly #relayed = new Set<string>();
  readonly #instances = new Map<string, Instance>();
  /** Last input from the world. */
  #last: { readonly isLimit: boolean; readonly req: string | undefined } | undefined;
  readonly #asked = new Map<string, { readonly server: Server; readonly request: Request }>();

  /** Takes the facts at the beginning of a trace that begins later than its hosts: servers that were up, and their lists. */
  begin({ orders, told, answers }: Facts, t: number): void {
    const s = 0;
    for (const { ch, ev } of orders) this.read({ k: 'in', ch, ev, w: 0 }, s, t);
    for (const { ch, ev } of told) {
      const [, port, name] = portOf(ch);
      if (port === undefined || name === undefined) continue;
      const at: At = { t, s, ch, ev, req: undefined };
      this.#told({ ...at, ev: { type: 'open' } }, port, name);
      this.#fact(at);
    }
    for (const { ch, ev } of answers) {
      const at: At = { t, s, ch: `${ch}/0`, ev, req: undefined };
      this.#answered(at);
    }
  }
  /**
   * Takes a message on the wire. For our own sessions only questions of servers to their host are used, because crossings
   * contain everything else. For a relayed server the messages are all that was recorded.
   */
  hear({ via, dir, of = '', json, t, s }: FrameLine): void {
    const instance = this.#instances.get(of);
    if (via !== 'mcp' || !instance) return;
    const message = fieldsOf(json);
    const { id, method, params } = message;
    if (dir === 'in' && id !== undefined && method !== undefined)
      this.#happened(instance, t)({ type: 'question', method, params });
    else if (this.#relayed.has(instance.server.name)) this.#relay(instance, { message, dir, of, t, s });
  }
  #relay(instance: Instance, { message, dir, of, t, s }: Heard): void {
    const { id, method, params, result, error } = message;
    const { server, session } = instance;
    const ch = `${of} ${JSON.stringify(id)}`;
    if (dir === 'out') {
      if (!isMethod(method) || id === undefined) return;
      const request = requestOf(server.name, { s, t, method, params, req: undefined });
      request.session = server.sessions.indexOf(session);
      server.requests.push(request);
      return void this.#asked.set(ch, { server, request });
    }
    const at: At = { t, s, ch, ev: { type: '' }, req: undefined };
    if (method === 'notifications/progress') {
      const { progressToken, ...told } = fieldsOf(params);
      const hasToken = (request: Request): boolean =>
        fieldsOf(fieldsOf(request.params)['_meta'])['progressToken'] === progressToken;
      const asked = [...this.#asked.values()].findLast(
        (each) => each.server === server && hasToken(each.request),
      );
      asked?.request.progress.push({ ...(told as unknown as Progress), ms: t - asked.request.t });
    } else if (method !== undefined)
      this.#happened(instance, t)({ type: 'notification', method, ...(isObject(params) && { params }) });
    else if (error === undefined) this.#answered({ ...at, ev: { type: 'ask.answered', result } });
    else {
      const { code, message: text, data } = fieldsOf(error);
      const failure = {
        code: 500,
        message: String(text),
        details: { code, ...(data !== undefined && { data }) },
      };
      this.#answered({ ...at, ev: { type: 'ask.refused', sent: true, failure } });
    }
  }
  read({ k, ch, ev, req }: CrossingLine, s: number, t: number): void {
    const at: At = { t, s, ch, ev: (ev ?? {}) as At['ev'], req };
    if (k !== 'in' && k !== 'out') return;
    if (k === 'in') this.#last = { isLimit: ch.startsWith('timer ') || at.ev['timedOut'] === true, req };
    if (at.ev.type === 'createClient' && at.ev['isRelayed'] === true)
      this.#relayed.add(String(at.ev['server']));
    const [, port, name] = portOf(ch);
    if (port !== undefined && name !== undefined)
      return k === 'out' ? this.#told(at, port, name) : this.#fact(at);
    if (!ch.startsWith('ask ')) return;
    if (k === 'in') this.#answered(at);
    else if (at.ev.type === 'ask') this.#ask(at);
    else if (at.ev.type === 'withdraw') this.#withdrawn(at);
  }
  #server(name: string): Server {
    const known = this.servers.get(name) ?? { name, sessions: [], requests: [] };
    this.servers.set(name, known);
    return known;
  }
  #told({ ch, ev, t, s }: At, port: string, name: string): void {
    if (ev.type === 'open') {
      const server = this.#server(name);
      const last = server.sessions.at(-1);
      // Joins the session to a process that was started just before.
      const isOfLast = port === 'session' && last?.process && !this.#isTaken(last);
      const session = isOfLast ? last : startOf(t, s);
      if (!isOfLast) server.sessions.push(session);
      if (port === 'process') session.process = { ms: 0 };
      else session.t = t;
      this.#instances.set(ch, { server, session });
      return;
    }
    const instance = this.#instances.get(ch);
    // Does not conclude from closing a lost session that its process was told to end.
    if (instance && port === 'process') {
      instance.session.isTold = true;
      if (ev.type !== 'child.closeStdin') instance.session.isForced = true;
    } else if (instance && !instance.session.death && !instance.session.process)
      instance.session.isTold = true;
  }
  #isTaken(session: Session): boolean {
    return [...this.#instances].some(([ch, each]) => ch.startsWith('session:') && each.session === session);
  }
  /** Notes an unasked message after the last request of its session. */
  #happened({ server, session }: Instance, t: number): Happened {
    return (what) => {
      const last = server.requests.findLast((request) => server.sessions[request.session] === session);
      const after = last ?? session;
      const happening = { ms: Math.max(0, t - after.t), ...what };
      after.unasked.push(happening as Happening);
      return happening as never;
    };
  }
  #fact({ ch, ev, t, s }: At): void {
    const instance = this.#instances.get(ch);
    if (!instance) return;
    const { session } = instance;
    const happened = this.#happened(instance, t);
    const { message, isFinal, info, failure, list, uri } = ev;
    switch (ev.type) {
      case 'child.started':
        session.process = { ms: t - session.t };
        break;
      case 'child.failed':
        session.process = {
          ms: t - session.t,
          failed: { message: String(message), isFinal: isFinal === true },
        };
        break;
      case 'session.opened':
        Object.assign(session, { info: info as ServerInfo, ms: t - session.t });
        break;
      case 'session.failed':
        Object.assign(session, { failure: failure as Failure, ms: t - session.t });
        break;
      case 'list.changed':
        happened({ type: 'notification', method: listOf[String(list)] });
        break;
      case 'resource.updated':
        happened({ type: 'notification', method: 'notifications/resources/updated', params: { uri } });
        break;
      case 'session.lost':
        if (!session.isTold)
          this.#died(session, happened, { s, isOutputOnly: session.process !== undefined });
        break;
      case 'child.exited':
        this.#exited(session, { ...ev, s }, happened);
    }
  }
  #died(session: Session, happened: Happened, how: Partial<RecordedDeath>): void {
    const death = { s: 0, code: null, signal: null, stderr: '', isOutputOnly: false, ...how };
    session.death = happened({ type: 'death', death });
  }
  #exited(session: Session, { s, code, signal, stderr }: Fields, happened: Happened): void {
    // Counts a process that has closed its output and fails as dying by itself, because the end of its input came too late to be
    // the reason.
    const isDying = session.death && code !== 0 && !session.isForced;
    if (session.isTold && !isDying) {
      session.endCode = code as number | null;
      return;
    }
    const how = { s, code, signal, stderr, isOutputOnly: false } as RecordedDeath;
    // Joins the end of the output and that of the process, which came a moment later, into one death.
    if (session.death) session.death.death = how;
    else this.#died(session, happened, how);
  }
  /** Finds the server of a question, and the part of the channel name behind the server's name. */
  #target(ch: string, method: string): { readonly server: Server; readonly rest: string } | undefined {
    const about = ch.slice(`ask ${method} of `.length);
    const names = [...this.servers.keys()].filter(
      (n) => about.startsWith(`${n} `) || about.startsWith(`${n}/`),
    );
    const name = names.toSorted((a, b) => b.length - a.length)[0] ?? '';
    const server = this.servers.get(name);
    return server && { server, rest: about.slice(name.length) };
  }
  /** Request from before the beginning of the trace. Short parameters are part of its channel name; long ones are unknown. */
  #askedBefore(at: At): Request | undefined {
    const [, method] = /^ask (\S+) of /.exec(at.ch) ?? [];
    const found = isMethod(method) && this.#target(at.ch, method);
    if (!found) return undefined;
    const written = found.rest.replace(/\/\d+$/, '');
    try {
      const params: unknown = written === '' ? undefined : JSON.parse(written);
      this.#ask({ ...at, ev: { type: 'ask', method, params } });
    } catch {
      return undefined;
    }
    return this.#asked.get(at.ch)?.request;
  }
  #ask({ ch, ev, s, t, req }: At): void {
    const { method, params } = ev;
    const found = isMethod(method) && this.#target(ch, method);
    if (!isMethod(method) || !found) return;
    const { server } = found;
    const session = server.sessions.findLastIndex(({ info }) => info !== undefined);
    const request = { ...requestOf(server.name, { s, t, method, params, req }), session };
    server.requests.push(request);
    this.#asked.set(ch, { server, request });
  }
  #answered(at: At): void {
    const { ch, ev, t, s } = at;
    const request = this.#asked.get(ch)?.request ?? this.#askedBefore(at);
    if (!request) return;
    const { type, failure, sent, lost, alone, result, ...rest } = ev;
    // Takes the time when a waiting question was really sent.
    if (type === 'ask.began') request.t = t;
    if (type === 'ask.progress')
      request.progress.push({ ...(rest as unknown as Progress), ms: t - request.t });
    if (!isAnswer(type)) return;
    this.#asked.delete(ch);
    request.ms = t - request.t;
    request.answeredAt = s;
    if (type === 'ask.answered') request.answer = { type: 'result', result };
    else if (lost === true && alone === true)
      request.answer = { type: 'unread', failure: failure as Failure };
    else if (lost === true) request.answer = { type: 'lost' };
    else if (sent === true) request.answer = { type: 'error', failure: failure as Failure };
  }
  /** Notes the requests that were still open when the recording ended, where their server had not ended. */
  end(t: number): void {
    for (const { server, request } of this.#asked.values()) {
      const session = server.sessions[request.session];
      if (session?.death || session?.isTold) continue;
      request.ms = Math.max(0, t - request.t);
      request.answer = { type: 'none', isCut: true };
    }
  }
  /** Notes a withdrawn request as timed out when a timer or a signal has just limited its call, else as taken back. */
  #withdrawn({ ch, s, t, req }: At): void {
    const request = this.#asked.get(ch)?.request;
    this.#asked.delete(ch);
    if (!request) return;
    const isLate = this.#last?.isLimit === true && this.#last.req === req;
    request.ms = t - request.t;
    request.answeredAt = s;
    request.answer = { type: isLate ? 'timedOut' : 'withdrawn', ms: request.ms };
  }
}

export function recordedServers({
  lines,
  facts,
  tail,
  frames = [],
}: Trace): ReadonlyMap<string, RecordedServer> {
  const reading = new Reading();
  if (facts) reading.begin(facts.facts, facts.t);
  let next = 0;
  for (const { record, s, t } of lines) {
    for (; (frames[next]?.s ?? Infinity) < s; next += 1) reading.hear(frames[next] as FrameLine);
    if (isCrossing(record)) reading.read(record, s, t);
  }
  reading.end(tail?.t ?? lines.at(-1)?.t ?? 0);
  return reading.servers;
}
