import type { Inspection, InspectOptions } from '../inspector/inspections.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { OfficeAuth, OfficeTls, RedisClient, RefusedPeer } from '../../adapters/index.ts';
import type { SeatChanged } from '../../machines/office/office.machine.ts';
import type { GivenLimits, OfficePeer, OfficeStats } from '../../machines/office/rooms/limits.ts';

/** Where an office listens, and what it records. */
export interface OfficeOptions extends LogOptions {
  /** Without `auth` loopback only. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3000; 0 = any free port. */
  readonly port?: number;
  /**
   * Who may enter: a token; a token with what it lets its holder do; `{tokensFile}`, a file of these that is read again when
   * it changes; `{jwks, audience}`, tokens that somebody signs (JWT); several of these, of which each lets in; or a function
   * that is asked for each connection (8 s; what it throws refuses). Others are refused before they can say anything, with a Socket.IO `connect_error` whose `data.code` is
   * 401. Left out: every program that reaches `host`, which then has to be loopback. docs/office.md has more.
   */
  readonly auth?: OfficeAuth;
  /**
   * Peers that do not say which version of the protocol they speak are refused: HTTP 400. By default they are let in, as
   * those of 0.1 send none. A version that we do not speak is refused either way: HTTP 400 with the code 4008.
   */
  readonly requireVersion?: boolean;
  /**
   * How much this office takes, on top of the defaults (`officeLimits`): numbers, and rates as `{ perSecond, burst }`; 0 = without
   * limit. What is over a limit is refused with 429 and `details.limit`, the name of the limit. docs/office.md has the list.
   */
  readonly limits?: GivenLimits;
  /**
   * So many proxies stand before this office, and each adds where it was asked from to `X-Forwarded-For`. Default 0: that
   * header is not believed, and all peers behind a proxy have its address.
   */
  readonly trustProxy?: number;
  /**
   * Node's own options of a TLS server: `cert` and `key` make it an `https` office; `ca` with `requestCert: true` refuses whoever
   * has no certificate of these authorities, before anything is read of it, and `auth` is asked with `certificate`. A function is
   * asked for them at start and at each `reload`.
   */
  readonly tls?: OfficeTls | (() => OfficeTls);
  /**
   * Where Prometheus finds `/metrics`, and what starts and stops offices finds `/healthz` and `/readyz` (503 once it is drained).
   * `host` is 127.0.0.1 by default: nobody is asked for a token there. Needs the package `prom-client`. With `token` whoever shows
   * it (`Authorization: Bearer TOKEN`) may also see and disconnect peers and reload: docs/operate.md.
   */
  readonly metrics?: { readonly port: number; readonly host?: string; readonly token?: string };
  /**
   * The office is one of any number of nodes behind a load balancer with sticky sessions, which agree in this Redis (6.2 or
   * later) on who sits where. A URL such as `redis://127.0.0.1:6379` (of a Cluster: of any node), the path of a unix socket, a
   * client of `ioredis` (also with Sentinel, or a Cluster), a function that makes one, or one of these with more about it.
   * A URL needs the package `ioredis`. docs/scale.md has more.
   */
  readonly redis?: string | RedisClient | (() => RedisClient) | OfficeRedis;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /**
   * Makes a span of OpenTelemetry of each call, from its arrival to its answer.
   * Needs the package `@opentelemetry/api`; where spans go the SDK says that your program sets up (docs/operate.md). Default false.
   */
  readonly tracing?: boolean;
}
/** The Redis in which the nodes of an office agree, and how. The same at every node. */
export interface OfficeRedis {
  /** `redis://` or `rediss://` with user and password where it wants them, or the path of a unix socket. */
  readonly url?: string;
  /** In place of `url`. Connections like its own are opened, it is not used itself, and stays yours to close; what a function makes is closed. */
  readonly client?: RedisClient | (() => RedisClient);
  /**
   * What all keys and channels begin with, before the number of the database: offices that differ in either never meet. Letters,
   * digits and `_ . : -`. Default `a2c`.
   */
  readonly prefix?: string;
  /** ms for which a node that is not heard of keeps its seats, from 1,000 on. Default 10,000. */
  readonly leaseMs?: number;
}
/** What an office tells its host, by the name for `office.on`. */
export interface OfficeEvents {
  /** Somebody took a seat, or left it. */
  readonly 'seat.changed': SeatChanged;
  /** A connection was not let in. */
  readonly 'peer.refused': RefusedPeer;
  /** What is asked of peers cannot be read any more, such as a file of tokens; what was read before holds. */
  readonly 'auth.failed': { readonly message: string };
  /** With `redis`: it cannot be reached, so nobody can join, or it can again; or a node is lost. */
  readonly 'register.changed': { readonly message: string };
}
/** A running office. `await using` closes it. */
export interface Office extends AsyncDisposable {
  /** What agents and computers take as `url`, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Where its metrics are, with `metrics`. */
  readonly metricsUrl: string | undefined;
  /** The port it listens on; with `port: 0` the one that was free. */
  readonly port: number;
  /** Listens until the returned function is called. What a listener throws becomes a warning of the process. */
  on<Name extends keyof OfficeEvents>(name: Name, listener: (value: OfficeEvents[Name]) => void): () => void;
  /**
   * Shows this host in a browser, from now on until it closes: who lives, in which state and why, what happens. Nothing is
   * recorded for it while no page is open. Resolves with the address; rejects with an `A2cError` when it cannot listen on
   * `port`. A page can order nothing here.
   */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  /**
   * Puts a line for people between what is recorded, such as `checkout retry`: `a2c show` has it, no replay compares it. At most
   * 200 characters of it; nothing with `record: false`.
   */
  mark(text: string): void;
  /** Who may enter from the next connection on, in place of `auth`; who is connected stays. For tokens that change. */
  admit(auth: OfficeAuth): void;
  /** What it holds now, and what it has refused since it was opened. */
  stats(): OfficeStats;
  /** Who is connected to this process, with a seat or without. */
  peers(): readonly OfficePeer[];
  /**
   * Disconnects a peer of `peers()`, and tells it `why`. False: there is none of this `id`. It may come back as long as its credential lets
   * it in: take that back first.
   */
  disconnect(id: string, why?: string): boolean;
  /**
   * Reads anew what it was given as files, functions and addresses: `auth` (tokens, keys) and `tls`. Then all who are connected are checked again by
   * what they have shown: those who may not enter any more, or otherwise than before, are disconnected; whom nobody can check now
   * stays. Resolves to those who were disconnected. Rejects, and leaves all as it was, when something cannot be read.
   */
  reload(): Promise<readonly OfficePeer[]>;
  /**
   * Closes it without cutting calls short: from now on nobody comes in, joins or asks (503); who waits for nothing is told
   * `notify:disconnecting` and disconnected at once, the others when the last call is answered, after `ms` (default 10,000) at
   * the latest. Then as `close`, which may be called meanwhile.
   */
  drain(ms?: number): Promise<void>;
  /** Answers what waits, disconnects everybody, gives the port back. May be called again. */
  close(): Promise<void>;
}
