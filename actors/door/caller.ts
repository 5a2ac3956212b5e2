/** Side of a command that uses the servers of another host of its user. */
import type { CallOutcome, WatchedCall } from '../api/call-outcome.ts';
import type { Answers } from '../api/computer-options.ts';
import type { Computer, ComputerDebug, ComputerEvents, ComputerStatus } from '../api/computer-handle.ts';
import { A2cError, failureOf } from '../kernel/errors.ts';
import { deferred, Listeners, onAbort, reasonOf } from '../kernel/listeners.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { knockAtDoors, type DoorLine } from '../../adapters/door/door.ts';
import { newId } from '../../adapters/clock.ts';
import type { Progress } from '../../machines/protocol/messages/messages.ts';
import { hostFailure, type Failure } from '../../machines/protocol/failure.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import { version } from '../../machines/version.ts';
import { proofOf } from './identity.ts';
import {
  peerOn,
  type DoorPeer,
  type DoorRequests,
  type DoorStatus,
  type DoorVerb,
  type Greeting,
} from './wire.ts';
import { RpcError, type RpcListener } from '../serve/json-rpc.ts';

export { defaultStateDir };

/** `LentServer`, a server that another host runs, also implements it. */
export interface CallHost extends Pick<Computer, 'tools'> {
  status(): Pick<ComputerStatus, 'servers'>;
  readonly debug: Pick<ComputerDebug, 'cachedResult'>;
  callTool(...call: Parameters<Computer['callTool']>): WatchedCall<CallOutcome>;
  on<Name extends keyof ComputerEvents>(
    name: Name,
    listener: (value: ComputerEvents[Name]) => void,
  ): () => void;
  calls(): readonly { readonly reqId: string; readonly server: string; readonly tool: string }[];
}
/** A host that is suspended, or busy for so long, is not used. */
const patienceMs = 1_000;
const inTime = <T>(answer: Promise<T>): Promise<T | undefined> => {
  const late = deferred<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), patienceMs);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
};

export class DoorVisit {
  readonly #peer: DoorPeer;
  readonly #greeted = deferred<Greeting | undefined>();
  readonly over = deferred();
  greeting: Greeting | undefined;
  onNews: RpcListener['notified'] = () => {};
  onQuestion: RpcListener['asked'] = () => Promise.reject(new Error('no question is expected'));

  constructor(line: DoorLine) {
    this.#peer = peerOn(line, {
      asked: (...asked) => this.onQuestion(...asked),
      notified: (...news) => this.onNews(...news),
      over: () => {
        this.#greeted.resolve(undefined);
        this.over.resolve();
      },
    });
  }
  heard(message: Fields): void {
    if (!('door' in message)) return this.#peer.heard(message);
    this.greeting = message as unknown as Greeting;
    this.#greeted.resolve(this.greeting);
  }
  ended(): void {
    this.#peer.ended();
  }
  lost(): Failure {
    const { pid = 0 } = this.greeting ?? {};
    return { code: 'ServerLost', message: `The host that has the server (pid ${pid}) has ended` };
  }
  /** Undefined for a host that does not answer now. */
  greeted(): Promise<Greeting | undefined> {
    return inTime(this.#greeted.promise);
  }
  async ask<Verb extends DoorVerb>(
    verb: Verb,
    ask: DoorRequests[Verb]['ask'],
  ): Promise<DoorRequests[Verb]['answer']> {
    try {
      const answer: unknown = await this.#peer.ask(verb, ask as Fields, new AbortController().signal);
      return answer as DoorRequests[Verb]['answer'];
    } catch (error) {
      throw new A2cError(error instanceof RpcError ? (error.data as Failure) : this.lost());
    }
  }
  tell(notice: string, params: Fields): void {
    this.#peer.notify(notice, params);
  }
  close(): void {
    this.#peer.close();
  }
}

/** Only hosts that answer. The caller closes each connection. */
export async function hostsWithDoors(stateDir: string): Promise<readonly DoorVisit[]> {
  const visits: DoorVisit[] = [];
  await knockAtDoors(stateDir, (line) => {
    const visit = new DoorVisit(line);
    visits.push(visit);
    return visit;
  });
  const greetings = await Promise.all(visits.map((visit) => visit.greeted()));
  return visits.filter((visit, n) => {
    if (!greetings[n]) visit.close();
    return greetings[n] !== undefined;
  });
}

/** `status` is undefined when the host does not answer in time. */
export interface ListedHost extends Pick<Greeting, 'kind' | 'name' | 'pid' | 'version'> {
  readonly status: DoorStatus | undefined;
}
export async function listedHosts(stateDir: string): Promise<readonly ListedHost[]> {
  const visits = await hostsWithDoors(stateDir);
  const listed = await Promise.all(
    visits.map(async (visit) => {
      const status = await inTime(visit.ask('status', {})).catch(() => undefined);
      visit.close();
      const { kind = 'host', name = '', pid = 0, version: of = '' } = visit.greeting ?? {};
      return { kind, name, pid, version: of, status };
    }),
  );
  return listed.toSorted((a, b) => a.pid - b.pid);
}

export class LentServer implements CallHost {
  readonly #visit: DoorVisit;
  readonly #listeners = new Listeners<ComputerEvents>();
  readonly #progress = new Map<string, (told: Progress) => void>();
  #status: ServerStatus;
  #called: ReturnType<CallHost['calls']> = [];

  constructor(visit: DoorVisit, status: ServerStatus, answers: Answers) {
    this.#visit = visit;
    this.#status = status;
    visit.onNews = (news, told) => this.#hear(news, told);
    visit.onQuestion = async (kind, params, { signal }) => {
      const answer = answers[kind as 'elicit' | 'elicitUrl'];
      if (!answer) throw new Error('no person is at a terminal');
      return answer({ server: this.#status.name, params: params as never, calls: [], signal });
    };
    void visit.over.promise.then(() => this.#listeners.emit('computer.changed', { state: 'closed' }));
  }
  get host(): Greeting | undefined {
    return this.#visit.greeting;
  }
  status: CallHost['status'] = () => ({ servers: [this.#status] });
  tools: CallHost['tools'] = () => this.#visit.ask('tools', {});
  calls: CallHost['calls'] = () => this.#called;
  /** Returns undefined, because the host sends every result in full, so that none has to be completed later. */
  readonly debug: CallHost['debug'] = { cachedResult: () => undefined };
  on: CallHost['on'] = (name, listener) => this.#listeners.on(name, listener);
  callTool: CallHost['callTool'] = (tool, params = {}, options = {}) => {
    const { reqId = newId(), timeoutMs, signal } = options;
    const about = { reqId, server: this.#status.name, tool };
    this.#called = [about];
    const startedAt = performance.now();
    const listeners = new Set<(told: Progress) => void>();
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    const answer = this.#visit.ask('call', { tool, params, reqId, ...limit });
    this.#progress.set(reqId, (told) => listeners.forEach((listener) => listener(told)));
    const cancel = (reason = 'cancelled by the host'): void => this.#visit.tell('cancel', { reqId, reason });
    const stop = signal ? onAbort(signal, () => cancel(reasonOf(signal))) : () => {};
    if (signal?.aborted) cancel(reasonOf(signal));
    const ended = answer
      .catch((error: unknown): CallOutcome => {
        const lost = error instanceof A2cError ? error : new A2cError(this.#visit.lost());
        // Only a lost host may have sent the call to the server; any other failure comes before that.
        const outcome = lost.code === 'ServerLost' ? 'unknown' : 'failed';
        const durationMs = Math.round(performance.now() - startedAt);
        const failure = hostFailure(failureOf(lost));
        const facts = { ...about, durationMs, outcome, end: outcome } as const;
        return { ...facts, toolError: false, phase: 'running', result: null, failure };
      })
      .finally(stop);
    const on = (_: 'progress', listener: (told: Progress) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    return Object.assign(ended, { reqId, cancel: () => cancel(), on });
  };
  /** The host continues to run. */
  close(): void {
    this.#visit.close();
  }
  #hear(news: string, { status, reqId, told }: Fields): void {
    if (news === 'progress') return this.#progress.get(String(reqId))?.(told as Progress);
    this.#status = status as ServerStatus;
    this.#listeners.emit('server.changed', { ...this.#status, failure: this.#status.failure ?? null });
  }
}

/** By two identities, with and without the roots of this command. Asks only hosts of the same version. */
export async function lentServer(
  stateDir: string,
  server: string,
  identities: () => Promise<readonly string[]>,
  answers: Answers,
): Promise<LentServer | undefined> {
  const visits = await hostsWithDoors(stateDir);
  const same = visits.filter(({ greeting }) => greeting?.version === version);
  const known = same.length === 0 ? [] : await identities();
  const used = await Promise.all(
    same.map(async (visit) => {
      const proofs = known.map((identity) => proofOf(identity, visit.greeting?.nonce ?? ''));
      const used = await inTime(visit.ask('use', { server, proofs })).catch(() => undefined);
      return used?.status ? { visit, status: used.status } : undefined;
    }),
  );
  const [found] = used.filter((one) => one !== undefined);
  for (const visit of visits) if (visit !== found?.visit) visit.close();
  return found && new LentServer(found.visit, found.status, answers);
}
