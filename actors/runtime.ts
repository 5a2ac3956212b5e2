import type { AnyEventObject } from 'xstate';
import {
  createLedger,
  createLinks,
  createOffices,
  processPortOf,
  sessionPortOf,
  sweepLeftovers,
  systemClock,
  type Launcher,
  type Ledger,
  type LedgerOptions,
  type Answers,
  type Noise,
  type ServerLog,
  type SessionPort,
} from '../adapters/index.ts';
import type { Address } from '../machines/address.ts';
import type { OwnedEnded } from '../machines/effects.ts';
import type { Ports } from '../machines/ports.ts';
import type { Known } from '../machines/calls/index.ts';
import { CallPorts } from './call-ports.ts';
import { deferred } from './deferred.ts';
import { assemble } from './assemble.ts';
import { Directory } from './directory.ts';
import { discreet, discreetAnswer, discreetSession, discreetValue } from './discreet.ts';
import { FlightRecorder, notRecorded, type FlightOptions } from './flight-recorder.ts';
import type { Reach } from './servers.ts';
import { Tap } from './tap.ts';
import { version } from './version.ts';

/** How long a host waits for what the operating system still has to finish after all machines have ended. */
const leftoverMs = 3_000;

/**
 * One directory with the real adapters behind it. Whatever its machines say, `close` leaves nothing behind: the
 * ledger ends every process group that still lives.
 */
export interface RuntimeOptions extends LedgerOptions, Omit<FlightOptions, 'notice' | 'stateDir'> {
  readonly tap?: Tap;
  /** How servers come to life. Default: as children of this process. */
  readonly launcher?: Launcher | undefined;
}
export class Runtime {
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly flight: FlightRecorder | undefined;
  /** By server, by generation. */
  readonly #reaches = new Map<string, Map<number, Reach>>();
  /** By server, the longest first: one may be a part of another. */
  readonly #secrets = new Map<string, readonly string[]>();
  /** What a call asks before it is sent, in whose turn it is sent, and what becomes of its result. */
  readonly calls = new CallPorts(
    (address) => this.directory.find(address)?.ref.getSnapshot().context as Known,
  );
  /** Who answers when a server asks its host something; what is not here is not declared to servers. */
  answers: Answers = {};
  /** Hears what servers log over MCP. */
  log: (server: string, entry: ServerLog) => void = () => {};
  readonly #offices = createOffices();
  readonly #links = createLinks();
  readonly #sessions: SessionPort;
  readonly #survival: LedgerOptions;
  #hosts = 0;

  constructor({ tap = new Tap(), record, launcher, ...survival }: RuntimeOptions = {}) {
    this.#survival = survival;
    this.flight = record === false ? undefined : new FlightRecorder({ record, ...survival }, tap);
    this.ledger = createLedger(survival);
    this.#sessions = this.#openSessions();
    const secretsOf = (server: string): readonly string[] => this.#secrets.get(server) ?? [];
    const ports: Ports = {
      process: discreet(
        processPortOf({
          ledger: this.ledger,
          launchOf: (server, generation) => this.#reachOf(server, generation)?.process,
          launcher,
        }),
        secretsOf,
      ),
      session: discreetSession(this.#sessions.open, secretsOf),
      link: this.#links.open,
      office: this.#offices.open,
      ask: (from, question, give) => this.#ask(from, question, give),
    };
    this.directory = assemble(new Directory({ ...systemClock, ports }, tap));
    this.flight?.watch(this.directory);
  }
  #ask(...[from, question, give]: Parameters<Ports['ask']>): () => void {
    // Why a rule or a confirmation of the host failed may quote what a server was launched with. What a program says is a
    // warning beside the result, and hidden no more than that: it quotes the result, and what its caller has sent.
    const hidden = discreetAnswer(give, () => this.#allSecrets());
    if (this.calls.has(question.session)) return this.calls.ask(from, question, hidden);
    if (question.lane !== undefined)
      return this.calls.inTurn(question, give, (answer) => this.#askSession(from, question, answer));
    if (!this.#sessions.has(question.session)) return this.#links.ask(from, question, give);
    return this.#askSession(from, question, give);
  }
  #askSession(...[from, question, give]: Parameters<Ports['ask']>): () => void {
    return this.#sessions.ask(
      from,
      question,
      discreetAnswer(give, () => this.#allSecrets()),
    );
  }
  #allSecrets(): readonly string[] {
    return [...this.#secrets.values()].flat().toSorted((a, b) => b.length - a.length);
  }
  /** Plain JSON without what servers were launched with, and without what stands under the name of a secret. */
  discreet<T>(value: T): T {
    return discreetValue(value, this.#allSecrets());
  }

  /** How a server is launched or reached. Its secrets never appear in a trace or a failure. */
  introduce(server: string, generation: number, reach: Reach, secrets: readonly string[] = []): void {
    const reaches = this.#reaches.get(server) ?? new Map<number, Reach>();
    this.#reaches.set(server, reaches.set(generation, reach));
    const known = new Set([...(this.#secrets.get(server) ?? []), ...secrets]);
    const all = [...known].toSorted((a, b) => b.length - a.length);
    this.#secrets.set(server, all);
    this.flight?.hide(all, server);
  }
  /** Until this a server may be wanted back as it was in any of its generations. */
  forget(server: string, before: number): void {
    const reaches = this.#reaches.get(server);
    for (const generation of reaches?.keys() ?? []) if (generation < before) reaches?.delete(generation);
  }
  #reachOf(server: string, generation: number): Reach | undefined {
    return this.#reaches.get(server)?.get(generation);
  }
  #openSessions(): SessionPort {
    const of = (): Runtime => this;
    return sessionPortOf({
      ledger: this.ledger,
      clientInfo: { name: 'a2c-actors', version },
      remoteOf: (server, generation) => this.#reachOf(server, generation)?.remote,
      settledKind: (server, generation, kind) => {
        const remote = this.#reachOf(server, generation)?.remote;
        if (remote?.kind !== 'streamable' || kind !== 'sse') return;
        const { url, headers, timeoutMs, sseReadTimeoutMs } = remote;
        const sse = { kind, url, headers, timeoutMs, sseReadTimeoutMs } as const;
        this.#reaches.get(server)?.set(generation, { remote: sse });
      },
      get answers() {
        return of().answers;
      },
      log: (server, entry) => this.log(server, entry),
    });
  }
  /** What a server wrote that reached nobody. */
  noiseOf(server: string): Noise {
    return this.#sessions.noiseOf(server);
  }
  /** Servers that may ask for roots are told that there are others now. */
  announceRoots(): void {
    this.#sessions.announceRoots();
  }
  /** Writes what was recorded so far, and returns the file. */
  async writeTrace(dir: string): Promise<string> {
    if (!this.flight) throw notRecorded;
    // A listener may ask in the midst of an input: a trace that ends there would seem to have lost the rest.
    await Promise.resolve();
    return this.flight.write('asked', dir);
  }
  /** Ends what earlier hosts left behind that were killed, and says so. Before the first server is launched. */
  async sweep(): Promise<void> {
    const { stateDir, notice } = this.#survival;
    const ended = await sweepLeftovers({ stateDir, notice });
    const names = [...new Set(ended.map(({ command }) => command))].join(', ');
    if (ended.length > 0)
      notice?.(`ended ${ended.length} processes that a killed host had left behind: ${names}`);
  }
  /** Starts a root machine; what it says to its host goes to `hear`. `ended` resolves at its end. */
  start(kind: string, input: object, hear: (event: AnyEventObject) => void): Hosted {
    const host = `host:${kind}.${(this.#hosts += 1)}`;
    const { directory } = this;
    const { promise: ended, resolve } = deferred<OwnedEnded>();
    directory.listen(host, (event) => {
      if (event.type === 'owned.ended') resolve(event as OwnedEnded);
      hear(event);
    });
    directory.start(kind, input, host);
    return { address: kind, host, ended };
  }
  /** Asks it to end; ends it by force when it has not done so within `patienceMs`. */
  async end({ address, ended }: Hosted, patienceMs: number): Promise<void> {
    if (this.directory.find(address)) this.directory.send(address, { type: 'close' });
    const timer = systemClock.setTimeout(() => this.directory.abandon(address), patienceMs);
    await ended;
    systemClock.clearTimeout(timer);
  }
  /** After this no process, socket or timer of ours is left; bounded by a few seconds. */
  async close(): Promise<void> {
    for (const root of [...this.directory.roots]) if (!root.owner) this.directory.abandon(root.name);
    this.ledger.killAll();
    let timer: unknown;
    const bound = new Promise<void>((resolve) => (timer = systemClock.setTimeout(resolve, leftoverMs)));
    await Promise.race([
      bound,
      Promise.all([this.ledger.closed(), this.#offices.closed(), this.#sessions.closed()]),
    ]);
    systemClock.clearTimeout(timer);
    this.flight?.close(this.directory.size === 0);
  }
}
export interface Hosted {
  readonly address: Address;
  readonly host: Address;
  readonly ended: Promise<OwnedEnded>;
}
