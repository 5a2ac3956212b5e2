import type { Debug, DrainOptions, HostOptions, Telling } from './handles.ts';
import type { OfficeAuth } from '../../adapters/socket/entry/auth.ts';
import type { OfficeTls } from '../../adapters/socket/http.ts';
import type { RedisClient } from '../../machines/office/rooms/register.ts';
import type { RefusedPeer } from '../../adapters/socket/entry/refusing.ts';
import type { SeatFacts } from '../../machines/ports/office.ts';
import type { GivenLimits, OfficePeer, OfficeStats } from '../../machines/office/rooms/limits.ts';

/** Options of an office: its address, its limits, its recording. */
export interface OfficeOptions extends HostOptions {
  /** Address to listen on, 127.0.0.1 by default. Without `auth` only a loopback address is allowed. */
  readonly host?: string | undefined;
  /** Port to listen on, 3000 by default; 0 takes any free port. */
  readonly port?: number | undefined;
  /**
   * Credentials that peers must show: a token; a token with its rights; `{tokensFile}`, a file of tokens that is
   * read again when it changes; `{jwks, audience}`, signed tokens (JWT); a list of these, any of which lets a peer
   * in; or a function that is asked for each connection (8 s; a throw refuses). Other peers are refused before
   * they can send anything, with a Socket.IO `connect_error` whose `data.code` is 401. Without `auth` every
   * program that reaches `host` may enter, and `host` has to be loopback. See docs/office.md.
   */
  readonly auth?: OfficeAuth | undefined;
  /**
   * Refuses peers that do not say which version of the protocol they speak, with HTTP 400. Default false, because
   * peers of version 0.1 send none. A version that this office does not speak is always refused, with HTTP 400 and
   * the code 4008.
   */
  readonly requireVersion?: boolean | undefined;
  /**
   * Limits of this office, on top of the defaults (`officeLimits`): numbers, and rates as `{ perSecond, burst }`;
   * 0 means no limit. A request over a limit is refused with 429 and the limit's name in `details.limit`.
   * docs/office.md lists all limits.
   */
  readonly limits?: GivenLimits | undefined;
  /**
   * Number of proxies before this office, each of which adds the address of its client to `X-Forwarded-For`. With
   * 0, the default, that header is ignored, and all peers behind a proxy seem to have its address.
   */
  readonly trustProxy?: number | undefined;
  /**
   * Options of Node's TLS server. `cert` and `key` make an `https` office; `ca` with `requestCert: true` refuses
   * peers without a certificate of these authorities before anything is read from them, and gives the peer's
   * `certificate` to `auth`. A function is called at the start and at each `reload`.
   */
  readonly tls?: OfficeTls | (() => OfficeTls) | undefined;
  /**
   * Address of `/metrics` for Prometheus, and of `/healthz` and `/readyz` (503 after `drain`) for supervisors.
   * `host` is 127.0.0.1 by default; these paths ask for no token. Needs the package `prom-client`. With `token`,
   * its holder (`Authorization: Bearer TOKEN`) may also list and disconnect peers and reload: docs/operate.md.
   */
  readonly metrics?:
    | {
        readonly port: number;
        readonly host?: string | undefined;
        readonly token?: string | undefined;
      }
    | undefined;
  /**
   * Redis (6.2 or later) in which several processes that form one office agree on who sits where; they are nodes
   * behind a load balancer with sticky sessions. A URL such as `redis://127.0.0.1:6379` (for a Cluster: of any
   * node), the path of a unix socket, a client of `ioredis` (also with Sentinel or a Cluster), a function that
   * makes one, or an object with one of these and further options. A URL needs the package `ioredis`. See
   * docs/scale.md.
   */
  readonly redis?: string | RedisClient | (() => RedisClient) | OfficeRedis | undefined;
}
/** Options of the Redis in which the nodes of an office agree; they must be the same at every node. */
export interface OfficeRedis {
  /**
   * URL of the Redis, `redis://` or `rediss://`, with user and password where needed, or the path of a unix
   * socket.
   */
  readonly url?: string | undefined;
  /**
   * Client of `ioredis` in place of `url`. The office opens connections like it, never uses it itself, and leaves
   * it for you to close; a client that a function made is closed by the office.
   */
  readonly client?: RedisClient | (() => RedisClient) | undefined;
  /**
   * Prefix of all keys and channels, before the number of the database; offices with another prefix or database
   * never meet. Letters, digits and `_ . : -`. Default `a2c`.
   */
  readonly prefix?: string | undefined;
  /** Time in ms for which a node that is not heard of keeps its seats: 1,000 to a day, 10,000 by default. */
  readonly leaseMs?: number | undefined;
  /**
   * Number of replicas (0 to 100) that must have a claim of a seat, or a renewed lease, within a second before it counts; 0 by
   * default. An office does not open where fewer answer. See docs/scale.md.
   */
  readonly replicas?: number | undefined;
}
/** Change of a seat. */
export interface SeatChange {
  /** State of the seat now. */
  readonly state: 'joined' | 'left';
  /** Peer that took the seat, or left it. */
  readonly seat: SeatFacts;
}
/** Events of an office, by the name for `office.on`. */
export interface OfficeEvents {
  /** A peer took a seat or left it. */
  readonly 'seat.changed': SeatChange;
  /** A connection was refused. */
  readonly 'peer.refused': RefusedPeer;
  /**
   * Credentials cannot be read any more, for example from a file of tokens; the last ones that were read stay in
   * force.
   */
  readonly 'auth.failed': { readonly message: string };
  /** The register of seats (option `redis`) was lost, so that no peer can join, or it is back; or a node was lost. */
  readonly 'register.changed': { readonly message: string };
}
/** A running office. `await using` closes it. */
export interface Office extends Telling<OfficeEvents>, AsyncDisposable {
  /** Address for agents and computers, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Address of the metrics; undefined without the option `metrics`. */
  readonly metricsUrl: string | undefined;
  /** Port that the office listens on; with `port: 0` the free port that was chosen. */
  readonly port: number;
  /** Replaces `auth` for all later connections, for tokens that change; connected peers stay. */
  admit(auth: OfficeAuth): void;
  /** Returns counts of the office: what it holds now, and what it has refused since it was opened. */
  stats(): OfficeStats;
  /** Lists the peers that are connected to this process, with or without a seat. */
  peers(): readonly OfficePeer[];
  /**
   * Disconnects a peer of `peers()` and tells it the reason `why`. Returns false when no peer has this `id`. A
   * peer may connect again while its credential is valid: withdraw the credential first.
   */
  disconnect(id: string, why?: string): boolean;
  /**
   * Reads the files, functions and addresses of `auth` (tokens, keys) and `tls` again. Then all connected peers
   * are checked again with the credentials that they have shown: a peer that may not enter any more, or whose
   * rights have changed, is disconnected; a peer that cannot be checked now stays. Resolves with the disconnected
   * peers. Rejects, and changes nothing, when something cannot be read.
   */
  reload(): Promise<readonly OfficePeer[]>;
  /** Page and traces of the office. */
  readonly debug: Debug;
  /**
   * Closes the office without cutting calls short: from now on every attempt to enter, join or ask is refused with
   * 503. A peer without open calls gets `notify:disconnecting` and is disconnected at once, other peers when their
   * last call is answered, at the latest after `timeoutMs` (default 10,000). Ends like `close`, which may be called
   * meanwhile.
   */
  drain(options?: DrainOptions): Promise<void>;
  /** Closes the office: answers open requests, disconnects all peers and frees the port. May be called again. */
  close(): Promise<void>;
}
