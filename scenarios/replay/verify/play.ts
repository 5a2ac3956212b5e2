import type { AnyEventObject } from 'xstate';
import { createComputer } from '../../../actors/api/computer.ts';
import { serversPart } from '../../../actors/api/servers-part.ts';
import { Runtime, type HostedMachine } from '../../../actors/api/runtime.ts';
import { deferred, type Deferred } from '../../../actors/kernel/listeners.ts';
import { defaultTiming } from '../../../actors/plans/plan.ts';
import { clientKind, type ClientNews, type ClientStart } from '../../../machines/client/client.events.ts';
import { keyOf } from '../../../machines/kernel/effects.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import type { ServerInfo } from '../../../machines/ports/session.ts';
import { timing, timingOf } from '../../../machines/kernel/timing.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { subjectOf } from '../world/matching.ts';
import type { RecordedAnswer } from '../world/recorded.ts';
import { goneFrom, rowText, toolIn, type Row } from './plan.ts';
import { seenDeath, seenOf, type Seen } from './seen.ts';
import type { Target } from './target.ts';
import { foreign } from '../../../machines/config/config-input.ts';

/** In ms. */
const longestPause = { beforeFailure: 10_000, otherwise: 1_000 } as const;
/** For a start that reports neither success nor failure; its own limits are shorter. */
const longestStartMs = 3_600_000;
/** A start takes longer than an answer. */
const shortestStartMs = 60_000;
/** The end of a process may come later than that of its output. */
const graceMs = 5_000;

/** Time in ms for which a server must live on after its last answer. */
const restMs = 1_000;

/** Undefined when the time is over before, or the signal aborts. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  const { promise: late, resolve } = deferred<undefined>();
  const end = (): void => resolve(undefined);
  const timer = setTimeout(end, signal.aborted ? 0 : ms);
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([promise, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  });
}
type Answer =
  | Exclude<RecordedAnswer, { readonly type: 'lost' }>
  | { readonly type: 'lost'; readonly died: Seen }
  | { readonly type: 'unsent'; readonly failure: Failure };
interface Run {
  readonly ready: Deferred<undefined>;
  readonly down: Deferred<Failure>;
}
type Started = { readonly info: ServerInfo } | { readonly failure: Failure };

/** Real server, which runs once at a time, and is asked at its session. The host sends nothing by itself. */
export class RealServer {
  readonly #runtime: Runtime;
  readonly #name: string;
  readonly #target: Target;
  readonly #options: PlayOptions;
  #hosted: HostedMachine | undefined;
  #run: Run | undefined;
  #asked = 0;
  ended: Failure | undefined;
  readonly changed = new Set<string>();

  constructor(runtime: Runtime, name: string, target: Target, options: PlayOptions) {
    this.#runtime = runtime;
    this.#name = name;
    this.#target = target;
    this.#options = options;
    runtime.use(serversPart).heard = (_, method) => {
      const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
      if (list !== undefined) this.changed.add(`${list}/list`);
    };
  }
  get #address(): string {
    return `${clientKind}:${keyOf(this.#name)}`;
  }
  /** Resolves also when the start has failed; never rejects. */
  async start(): Promise<Started> {
    await this.stop();
    const run: Run = { ready: deferred<undefined>(), down: deferred<Failure>() };
    this.#run = run;
    this.ended = undefined;
    this.changed.clear();
    this.#hosted = this.#runtime.start(this.#address, this.#input(), (event) => this.#hear(event, run));
    const came = Promise.race([run.ready.promise, run.down.promise]);
    const failure = await within(came, longestStartMs, this.#options.signal);
    const snapshot = this.#runtime.directory.find(this.#address)?.ref.getSnapshot();
    const { info } = (snapshot?.context ?? { info: null }) as { readonly info: ServerInfo | null };
    return info ? { info } : { failure: failure ?? this.ended ?? lost };
  }
  #input(): ClientStart {
    const connectMs = Math.max(this.#options.timeoutMs, shortestStartMs);
    return {
      server: this.#name,
      generation: 1,
      values: 0,
      hasProcess: this.#target.hasProcess,
      start: 'eager',
      restart: 'never',
      budget: 0,
      hearsChanges: false,
      refreshFailures: 0,
      isTransformed: false,
      resultBytes: 0,
      isRelayed: true,
      cached: null,
      spent: { attempt: 0, failure: null },
      timing: timingOf.client({ ...defaultTiming(), pingMs: 0, trialMs: 0, connectMs }),
    };
  }
  #hear(event: AnyEventObject, run: Run): void {
    const news = event as unknown as ClientNews;
    if (news.type === 'permit.wanted')
      this.#runtime.directory.send(this.#address, { type: 'permit.granted' });
    else if (event.type === 'owned.ended') this.#end(run, lost);
    else if (news.type !== 'client.changed') return;
    else if (news.stage === 'ready') run.ready.resolve(undefined);
    else if (['open', 'idle', 'unauthorized', 'waiting'].includes(news.stage))
      this.#end(run, news.failure ?? lost);
  }
  #end(run: Run, failure: Failure): void {
    run.down.resolve(failure);
    if (this.#run === run) this.ended ??= failure;
  }
  /** Resolves without an answer after `limitMs`; never rejects. */
  async ask(method: string, params: unknown, limitMs: number): Promise<Answer> {
    this.changed.delete(method);
    const { promise, resolve } = deferred<RequestFact>();
    const { request } = this.#runtime.directory.platform.ports;
    const target = this.#runtime.directory.find(this.#address)?.id ?? this.#address;
    const id = `verify-${(this.#asked += 1)}`;
    const withdraw = request(this.#address, { id, target, method, params }, (told) => {
      if (told.type === 'ask.answered' || told.type === 'ask.refused') resolve(told);
    });
    const fact = await within(promise, limitMs, this.#options.signal);
    if (!fact) withdraw();
    if (fact?.type === 'ask.answered') return { type: 'result', result: fact.result };
    if (fact?.type !== 'ask.refused') return { type: 'timedOut', ms: limitMs };
    const { failure, sent } = fact;
    if (fact.lost !== true) return { type: sent ? 'error' : 'unsent', failure };
    if (fact.alone === true) return { type: 'unread', failure };
    return { type: 'lost', died: (await this.diesWithin(graceMs)) ?? seenDeath(lost) };
  }
  async diesWithin(ms: number): Promise<Seen | undefined> {
    const failure = this.#run && (await within(this.#run.down.promise, ms, this.#options.signal));
    return failure && seenDeath(failure);
  }
  async stop(): Promise<void> {
    const hosted = this.#hosted;
    this.#hosted = undefined;
    if (hosted) await this.#runtime.end(hosted, timing.shutdownMs);
  }
}
const lost: Failure = { code: 'ServerLost', message: 'its connection ended' };

export interface PlayOptions {
  readonly timeoutMs: number;
  readonly paramsOf: (row: Row) => unknown;
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
}
/** End of a row. */
export interface Played {
  readonly row: Row;
  readonly now: Seen;
  /** Number of the request that was answered too soon to overlap with this one. */
  readonly missed?: number;
}
interface Asked extends Pick<Played, 'row' | 'missed'> {
  readonly began: number;
  readonly ends: Promise<unknown>;
  /** End; undefined while it runs. */
  now: Seen | undefined;
}

/** In their order and overlap, with a new process where there was one. */
export class Play {
  readonly #server: RealServer;
  readonly #options: PlayOptions;
  #list: unknown;
  readonly #all: Asked[] = [];
  #run: Asked[] = [];
  #isUp = false;
  #last = { recorded: 0, now: 0 };

  constructor(server: RealServer, options: PlayOptions) {
    this.#server = server;
    this.#options = options;
  }
  async all(rows: readonly Row[]): Promise<readonly Played[]> {
    for (const [n, row] of rows.entries()) {
      this.#options.signal.throwIfAborted();
      this.#options.onStep(`request ${n + 1} of ${rows.length}: ${rowText(row)}`);
      const isNew = row.session !== rows[n - 1]?.session;
      await this.#settled((each) => isNew || each.answeredAt < row.s);
      // Starts a server again that has died, so that each request is asked of one that lives.
      const isDead = this.#server.ended !== undefined && row.what !== 'idle' && this.#isUp;
      if (isNew || isDead) {
        await this.#over();
        const started = await this.#start(row);
        this.#isUp = started.kind === 'good';
        if (row.what === 'start') this.#put(row, Promise.resolve(started));
      }
      if (row.what === 'start') continue;
      const text = 'not asked, because the server did not start';
      if (!this.#isUp) this.#put(row, Promise.resolve({ kind: 'unasked', text }));
      else {
        const missed = await this.#pause(row);
        this.#put(row, this.#ask(row), missed);
      }
    }
    await this.#over();
    return this.#all.map(({ row, now, missed }) => ({
      row,
      now: now as Seen,
      ...(missed !== undefined && { missed }),
    }));
  }
  #put(row: Row, end: Promise<Seen>, missed?: number): void {
    const ends = end.then((now) => {
      asked.now = now;
      this.#last = { recorded: row.endedAt, now: performance.now() };
    });
    const asked: Asked = {
      row,
      began: performance.now(),
      ends,
      now: undefined,
      ...(missed !== undefined && { missed }),
    };
    this.#all.push(asked);
    this.#run.push(asked);
  }
  async #start({ what, t, endedAt }: Row): Promise<Seen> {
    const started = await this.#server.start();
    this.#options.signal.throwIfAborted();
    this.#run = [];
    this.#last = { recorded: what === 'start' ? endedAt : t, now: performance.now() };
    if ('info' in started) return seenOf('', { type: 'result', result: started.info });
    const { details = {}, code } = started.failure;
    const { kind, text } = seenDeath(started.failure, 'start');
    // Tells a server that fails from one that this machine cannot reach.
    const hasRun = (details['exit_code'] ?? details['signal'] ?? null) !== null || code === 'ServerLost';
    return { kind, text: `it did not start: ${text}`, ...(!hasRun && { isForeign: true }) };
  }
  async #settled(which: (row: Row) => boolean): Promise<void> {
    await Promise.all(this.#run.filter(({ row }) => which(row)).map(({ ends }) => ends));
  }
  async #over(): Promise<void> {
    await this.#settled(() => true);
    const last = this.#run.at(-1);
    if (!last || !this.#isUp || this.#run.some(({ now }) => now?.kind === 'death')) return;
    const died = await this.#server.diesWithin(last.row.what === 'idle' ? 0 : restMs);
    if (died) last.now = died;
    for (const asked of died ? [] : this.#run.toReversed())
      if (this.#server.changed.has(asked.row.method) && !asked.row.hasChanged)
        asked.now = await this.#ask(asked.row);
  }
  /** As long as the caller had waited; returns the number of a request that does not run any more. */
  async #pause(row: Row): Promise<number | undefined> {
    const running = this.#run.filter((each) => each.row.answeredAt > row.s);
    const { recorded, now } = this.#last;
    const longest = row.isFailure ? longestPause.beforeFailure : longestPause.otherwise;
    const pause = now + Math.min(longest, row.t - recorded);
    const due = running.map(({ began, row: { t } }) => began + (row.t - t));
    const ms = Math.max(running.length > 0 ? 0 : pause, ...due) - performance.now();
    // Sends at once what was sent in one turn, because a timer takes at least 1 ms.
    if (ms > 1) await within(new Promise(() => {}), ms, this.#options.signal);
    return running.find((each) => each.now && each.row.was.kind === 'good')?.row.s;
  }
  async #ask(row: Row): Promise<Seen> {
    const { timeoutMs, paramsOf } = this.#options;
    const { what, method, silenceMs, t, params } = row;
    const subject = subjectOf({ params });
    const tool = toolIn(this.#list, subject);
    if (what === 'idle') {
      const after = t - this.#last.recorded;
      const died = await this.#server.diesWithin(Math.min(timeoutMs, after + graceMs));
      const isTooLong = after + graceMs > timeoutMs;
      const text = `it ended by itself after ${Math.round(after / 1000)} s, which is longer than the time limit`;
      return died ?? (isTooLong ? { kind: 'unasked', text } : { kind: 'good', text: 'it lives on' });
    }
    if (what === 'wanted' && !tool) return goneFrom([String(subject)]);
    const answer = await this.#server.ask(method, paramsOf(row), silenceMs ?? timeoutMs);
    if (answer.type === 'unsent')
      return (await this.#server.diesWithin(restMs)) ?? { kind: 'unasked', text: answer.failure.message };
    if (method === 'tools/list' && answer.type === 'result') this.#list = answer.result;
    const missing = row.wanted.filter((name) => !toolIn(this.#list, name));
    if (answer.type === 'result' && missing.length > 0)
      return { ...goneFrom(missing), value: { result: answer.result } };
    return answer.type === 'lost' ? answer.died : seenOf(method, answer, tool);
  }
}

export async function openServer(
  name: string,
  target: Target,
  options: PlayOptions,
): Promise<{ readonly server: RealServer; close(): Promise<void> }> {
  const runtime = new Runtime({ stateDir: false, record: false });
  const config = {
    config: foreign(target.config),
    input: async ({ id }: { readonly id: string }) => target.inputs[id],
  };
  const quiet = { name: 'verify', autoConnect: false, stateDir: false, record: false } as const;
  const computer = await createComputer({ ...config, ...quiet }, { runtime }).catch(
    async (error: unknown) => {
      await runtime.close();
      throw error;
    },
  );
  const server = new RealServer(runtime, name, target, options);
  const close = async (): Promise<void> => {
    await server.stop();
    await computer.close();
    await runtime.close();
  };
  return { server, close };
}
