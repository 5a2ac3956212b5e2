import type { Inspection, InspectOptions } from '../inspector/inspections.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { OfficeAuth, OfficeTls, RedisClient, RefusedPeer } from '../../adapters/index.ts';
import type { SeatChanged } from '../../machines/office/office.machine.ts';
import type { GivenLimits, OfficePeer, OfficeStats } from '../../machines/office/rooms/limits.ts';

/** Options of an office: its address, its limits, its recording. */
export interface OfficeOptions extends LogOptions {
  /** Without `auth` loopback only. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3000; 0 = any free port. */
  readonly port?: number;
  /**
   * Credentials of peers: a token; a token with its rights; `{tokensFile}`, a file of these that is read again when
   * it changes; `{jwks, audience}`, signed tokens (JWT); several of these, any of which lets a peer in; or a function
   * that is asked for each connection (8 s; a throw refuses). Other peers are refused before they can say anything,
   * with a Socket.IO `connect_error` whose `data.code` is 401. Left out: every program that reaches `host` may enter,
   * and `host` has to be loopback. See docs/office.md.
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
   * Number of proxies before this office, each of which adds the address of its client to `X-Forwarded-For`. Default
   * 0: that header is not believed, and all peers behind a proxy have its address.
   */
  readonly trustProxy?: number;
  /**
   * Options of Node's TLS server: `cert` and `key` make an `https` office; `ca` with `requestCert: true` refuses
   * peers without a certificate of these authorities, before anything is read from them, and `auth` gets
   * `certificate`. A function is called at the start and at each `reload`.
   */
  readonly tls?: OfficeTls | (() => OfficeTls);
  /**
   * Address of `/metrics` for Prometheus, and of `/healthz` and `/readyz` (503 after `drain`) for supervisors. `host`
   * is 127.0.0.1 by default; no token is asked for there. Needs the package `prom-client`. With `token` its holder
   * (`Authorization: Bearer TOKEN`) may also see and disconnect peers and reload: docs/operate.md.
   */
  readonly metrics?: { readonly port: number; readonly host?: string; readonly token?: string };
  /**
   * The office is one of any number of nodes behind a load balancer with sticky sessions, which agree in this Redis (6.2 or
   * later) on who sits where. A URL such as `redis://127.0.0.1:6379` (of a Cluster: of any node), the path of a unix socket, a
   * client of `ioredis` (also with Sentinel, or a Cluster), a function that makes one, or one of these with more about it.
   * A URL needs the package `ioredis`. docs/scale.md has more.
   */
  readonly redis?: string | RedisClient | (() => RedisClient) | OfficeRedis;
  /** Options of the recording for a replay; on by default, in memory. `false`: nothing is recorded. */
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
   * Prefix of all keys and channels, before the number of the database: offices that differ in either never meet.
   * Letters, digits and `_ . : -`. Default `a2c`.
   */
  readonly prefix?: string;
  /** ms for which a node that is not heard of keeps its seats, from 1,000 on. Default 10,000. */
  readonly leaseMs?: number;
}
/** Events of an office, by the name for `office.on`. */
export interface OfficeEvents {
  /** Somebody took a seat, or left it. */
  readonly 'seat.changed': SeatChanged;
  /** A connection was not let in. */
  readonly 'peer.refused': RefusedPeer;
  /** Credentials cannot be read any more, such as a file of tokens; the last ones that were read hold. */
  readonly 'auth.failed': { readonly message: string };
  /** With `redis`: the register is lost, so that no peer can join, or is back; or a node is lost. */
  readonly 'register.changed': { readonly message: string };
}
/** A running office. `await using` closes it. */
export interface Office extends AsyncDisposable {
  /** Address for agents and computers, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Address of the metrics, with the option `metrics`. */
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
  /** Replaces `auth` from the next connection on; connected peers stay. For tokens that change. */
  admit(auth: OfficeAuth): void;
  /** Counts of the office: what it holds now, and what it has refused since it was opened. */
  stats(): OfficeStats;
  /** Peers that are connected to this process, with a seat or without. */
  peers(): readonly OfficePeer[];
  /**
   * Disconnects a peer of `peers()`, and tells it `why`. False: there is none of this `id`. It may come back as long as its credential lets
   * it in: take that back first.
   */
  disconnect(id: string, why?: string): boolean;
  /**
   * Reads the files, functions and addresses of `auth` (tokens, keys) and `tls` again. Then all connected peers are
   * checked again with the credentials that they have shown: a peer that may not enter any more, or with other
   * rights, is disconnected; a peer that cannot be checked now stays. Resolves to the disconnected peers. Rejects,
   * and changes nothing, when something cannot be read.
   */
  reload(): Promise<readonly OfficePeer[]>;
  /**
   * Closes the office without cutting calls short: from now on no peer enters, joins or asks (503); a peer without
   * open calls is told `notify:disconnecting` and disconnected at once, the others when their last call is answered,
   * after `ms` (default 10,000) at the latest. Then as `close`, which may be called meanwhile.
   */
  drain(ms?: number): Promise<void>;
  /** Answers what waits, disconnects everybody, gives the port back. May be called again. */
  close(): Promise<void>;
}
