import type { Clock } from '../../../actors/api/world-doors.ts';
import { cutText, isMatch, missText, nearest, type Asked, type Match } from './matching.ts';
import type {
  Happening,
  RecordedAnswer,
  RecordedDeath,
  RecordedRequest,
  RecordedServer,
  RecordedSession,
} from './recorded.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

/** Request that is not in the recording, or whose answer is not. */
export interface Miss extends Asked {
  /** Error message that answered the request: the request, the nearest recorded one, and advice. */
  readonly message: string;
}
/** Options for matching requests with recorded ones. */
export interface PlayOptions {
  /** Rule by which requests match; `exact` by default. */
  readonly match?: Match;
  /**
   * With true, the default, a request that is not recorded is answered with a JSON-RPC error. With false it gets the answer of
   * the nearest request of the same method, and an error only when there is none.
   */
  readonly strict?: boolean;
}
export interface Stage extends Required<PlayOptions> {
  /** Name of the trace file, for errors. */
  readonly file: string;
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly missed: (miss: Miss) => void;
}
export interface ClientEnd {
  say(message: object): void;
  die(death: RecordedDeath): void;
}
export const missCode = -32_040;

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Fields;
}

/** Answers come in their order over all sessions, the last repeated; unasked messages after the same request. */
export class PlayedServer {
  readonly recorded: RecordedServer;
  readonly #stage: Stage;
  readonly #used = new Set<RecordedRequest>();
  #sessions = 0;

  constructor(recorded: RecordedServer, stage: Stage) {
    this.recorded = recorded;
    this.#stage = stage;
  }
  get unused(): readonly RecordedRequest[] {
    return this.recorded.requests.filter((request) => !this.#used.has(request));
  }
  /** The last one is repeated. */
  next(): RecordedSession {
    const { sessions } = this.recorded;
    const session = sessions[Math.min(this.#sessions, sessions.length - 1)] as RecordedSession;
    this.#sessions += 1;
    return session;
  }
  open(session: RecordedSession, far: ClientEnd): PlayedSession {
    return new PlayedSession(session, this, this.#stage, far);
  }
  take(method: string, params: unknown): RecordedRequest | string {
    const { match, strict, file, missed } = this.#stage;
    const { name: server, requests } = this.recorded;
    const asked = { server, method, params };
    const same = requests.filter((request) => isMatch(match, asked, request));
    const found = same.find((request) => !this.#used.has(request)) ?? same.at(-1);
    const near = found ?? nearest(asked, requests);
    const given = found ?? (strict ? undefined : near);
    if (given) {
      this.#used.add(given);
      return given;
    }
    const message = missText(asked, near, file);
    missed({ ...asked, message });
    return message;
  }
  /** A request whose answer is not recorded counts as a miss. */
  cut(asked: Asked): string {
    const message = cutText(asked, this.#stage.file);
    this.#stage.missed({ ...asked, message });
    return message;
  }
}

/** Silent after `close` and after its death. */
export class PlayedSession {
  readonly #session: RecordedSession;
  readonly #server: PlayedServer;
  readonly #stage: Stage;
  readonly #far: ClientEnd;
  /** Unasked messages have ids of their own. */
  readonly #timers = new Map<unknown, Set<unknown>>();
  #isOver = false;
  #asked = 0;

  constructor(session: RecordedSession, server: PlayedServer, stage: Stage, far: ClientEnd) {
    this.#session = session;
    this.#server = server;
    this.#stage = stage;
    this.#far = far;
  }
  take(message: unknown): void {
    const { id, method, params } = (message ?? {}) as Message;
    if (this.#isOver || method === undefined) return;
    if (method === 'notifications/cancelled') return this.#cancel(params?.['requestId']);
    if (id === undefined) return;
    if (method === 'initialize') return this.#greet(id, params);
    // Answers a ping itself unless pings are recorded, because each side may ping at any time.
    if (method === 'ping' && !this.#server.recorded.requests.some((request) => request.method === 'ping'))
      return this.#say({ id, result: {} });
    const found = this.#server.take(method, params);
    if (typeof found === 'string') return this.#say({ id, error: { code: missCode, message: found } });
    this.#play(id, found, (params?.['_meta'] as Fields | undefined)?.['progressToken']);
  }
  close(): void {
    this.#isOver = true;
    for (const id of this.#timers.keys()) this.#cancel(id);
  }

  #greet(id: string | number, params: Fields | undefined): void {
    const { info, failure, ms, unasked } = this.#session;
    const result = info && greetingOf(info, params?.['protocolVersion']);
    const code = failure?.details?.['code'];
    if (result) this.#later(id, ms, () => this.#say({ id, result }));
    else if (failure && typeof code === 'number')
      this.#later(id, ms, () => this.#say({ id, error: { code, message: failure.message } }));
    for (const happening of unasked) this.#happen(happening);
  }
  #play(id: string | number, request: RecordedRequest, token: unknown): void {
    const { server, method, params, answer, ms, progress, unasked } = request;
    if (token !== undefined)
      for (const { ms: after, ...told } of progress) {
        const params = { ...told, progressToken: token };
        this.#later(id, after, () => this.#say({ method: 'notifications/progress', params }));
      }
    const said = answerOf(answer);
    if (answer.type === 'none' && answer.isCut)
      this.#later(id, ms, () => {
        const message = this.#server.cut({ server, method, params });
        this.#say({ id, error: { code: missCode, message } });
      });
    if (said) this.#later(id, ms, () => this.#say({ id, ...said }));
    for (const happening of unasked) this.#happen(happening);
  }
  #happen(happening: Happening): void {
    const { ms, type } = happening;
    this.#later(happening, ms, () => {
      if (type === 'death') return this.#die(happening.death);
      // Ignores the answer of the host, because the recorded messages follow in any case.
      if (type === 'question') return this.#ask(happening.method, happening.params);
      const { method, params } = happening;
      this.#say({ method, ...(params && { params }) });
    });
  }
  #ask(method: string, params: unknown): void {
    this.#asked += 1;
    this.#say({ id: `asked-${this.#asked}`, method, params });
  }
  #die(death: RecordedDeath): void {
    if (!death.isOutputOnly) this.close();
    this.#far.die(death);
  }
  #later(id: unknown, ms: number, run: () => void): void {
    const timers = this.#timers.get(id) ?? new Set();
    this.#timers.set(id, timers);
    const timer = this.#stage.clock.setTimeout(() => {
      timers.delete(timer);
      if (!this.#isOver) run();
    }, ms);
    timers.add(timer);
  }
  #cancel(id: unknown): void {
    for (const timer of this.#timers.get(id) ?? []) this.#stage.clock.clearTimeout(timer);
    this.#timers.delete(id);
  }
  #say(message: object): void {
    this.#far.say({ jsonrpc: '2.0', ...message });
  }
}

/** An error has `data` only as far as it was recorded. */
function answerOf(answer: RecordedAnswer): object | undefined {
  if (answer.type === 'result') return { result: answer.result };
  // Plays an answer with neither result nor error, as most of those are that a host cannot use.
  if (answer.type === 'unread') return {};
  if (answer.type !== 'error') return undefined;
  const { code, message, details = {} } = answer.failure;
  const { code: own, data } = details;
  const number = typeof own === 'number' ? own : typeof code === 'number' ? code : -32_000;
  return { error: { code: number, message, ...(data !== undefined && { data }) } };
}
/** A recorded version without sessions is replaced by the version that the client asks for. */
function greetingOf(info: NonNullable<RecordedSession['info']>, asked: unknown): object {
  const { name, version, protocolVersion, capabilities, shown } = info;
  const { tools, resources, prompts, completions, logging } = capabilities;
  const isStateless = protocolVersion >= '2026';
  return {
    protocolVersion: isStateless ? asked : protocolVersion,
    serverInfo: { name, version },
    capabilities: {
      ...(tools && { tools }),
      ...(resources && { resources }),
      ...(prompts && { prompts }),
      ...(completions && { completions: {} }),
      ...(logging && { logging: {} }),
    },
    ...(shown?.descriptions !== undefined && { instructions: shown.descriptions }),
  };
}
