import type { SeatFacts } from '../../ports/office.ts';

export interface Holder {
  readonly node: string;
  readonly socket: string;
  readonly seat: SeatFacts;
  readonly version?: string;
  /** Grows with each claim, even after the register was emptied: the larger number is the later claim. */
  readonly fence: number;
}
export interface WantedSeat extends Omit<Holder, 'fence' | 'node'> {
  /** In ms. A younger register refuses claims, because other nodes may hold seats that it does not know. */
  readonly minAgeMs: number;
}
export interface RenewedLease {
  /** A changed number tells that the old lease had expired, so other nodes may have taken its seats. */
  readonly lease: number;
  /** By its own clock; another time means another or an emptied register, which may lack the latest claims. */
  readonly since: number;
  readonly ageMs: number;
}
export type ClaimAnswer =
  | { readonly ok: true; readonly fence: number }
  /** Refused: a connection of a living node holds the seat. */
  | { readonly ok: false; readonly holder: Holder }
  /** Refused: the lease of this node has expired, or the register is too young. */
  | { readonly ok: false; readonly holder?: undefined };

/** Message from one node to another; it may arrive late, twice, or never. */
export type NodeMessage =
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly socket: string;
      readonly fence: number;
      readonly event: string;
      readonly body: object;
    }
  /** Without `ack` the seat was empty, so no peer was asked. */
  | { readonly type: 'answer'; readonly id: number; readonly ack?: readonly unknown[] }
  | { readonly type: 'check'; readonly ids: readonly number[] }
  /** Answer to `check`: the question never arrived, or its answer was lost. */
  | { readonly type: 'lost'; readonly id: number }
  | { readonly type: 'notify'; readonly socket: string; readonly event: string; readonly body: object }
  | {
      readonly type: 'broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: string;
      readonly body: object;
    };
export type RegisterNews =
  | { readonly type: 'taken'; readonly holder: Holder }
  | { readonly type: 'freed'; readonly seat: SeatFacts; readonly fence: number }
  | { readonly type: 'message'; readonly from: string; readonly message: NodeMessage }
  | { readonly type: 'ended'; readonly node: string }
  /** Reports that the register is reachable again; news may have been missed meanwhile. */
  | { readonly type: 'resumed' };

/** Called once. Undefined: failed or not answered in time, but the operation may still have been done. */
export type RegisterCallback<T> = (result: T | undefined) => void;

/** A claim is atomic and holds while its node renews its lease; operations of one node run in order. */
export interface Register {
  /** A new one at each start. */
  readonly node: string;
  listen(hear: (news: RegisterNews) => void, told: RegisterCallback<true>): void;
  claim(wanted: WantedSeat, told: RegisterCallback<ClaimAnswer>): void;
  /** Only if this claim still holds it; also used for nodes that died. */
  release(seat: SeatFacts, fence: number, told: RegisterCallback<true>): void;
  renew(told: RegisterCallback<RenewedLease>): void;
  dead(nodes: readonly string[], told: RegisterCallback<readonly string[]>): void;
  seats(told: RegisterCallback<readonly Holder[]>): void;
  at(seat: SeatFacts, told: RegisterCallback<Holder | 'nobody'>): void;
  /** False: no node listens there. Smaller messages may overtake large ones on the way out, but what has come is heard in its order. */
  send(node: string, message: NodeMessage, told: RegisterCallback<boolean>): void;
  /** Ends the lease at once, informs the other nodes, and closes open connections. Never rejects. */
  close(): Promise<void>;
}
export const registerUnreached = 'The register of the office cannot be reached';
/** Returns the place within a room that only one peer can hold: a computer name, or the seat of the agent. */
export const placeOf = ({ role, name }: SeatFacts): string =>
  role === 'agent' ? 'agent' : `computer:${name}`;
/** Unique among all rooms, whatever names strangers choose. */
export const seatKey = ({ office, role, name }: SeatFacts): string =>
  JSON.stringify(role === 'agent' ? [office] : [office, name]);

export interface Member {
  readonly socket: string;
  readonly seat: SeatFacts;
}
export interface Lookup {
  agent(office: string): string | undefined;
  computer(office: string, name: string): string | undefined;
  members(office: string): readonly Member[];
  versionOf(socket: string): string | undefined;
}

export const isSameSeat = (a: SeatFacts, b: SeatFacts): boolean =>
  a.office === b.office && a.role === b.role && a.name === b.name;

/** Read for every routed call. `claims.ts` decides on seats; this index is updated after each decision. */
export class Seating implements Lookup {
  readonly #seats = new Map<string, SeatFacts>();
  readonly #versions = new Map<string, string>();
  readonly #ours = new Set<string>();
  readonly #offices = new Map<string, Map<string, Member>>();

  opened(socket: string, version: string | undefined, isOurs: boolean): void {
    if (version !== undefined) this.#versions.set(socket, version);
    if (isOurs) this.#ours.add(socket);
  }
  closed(socket: string): void {
    this.#versions.delete(socket);
    this.#ours.delete(socket);
  }
  /** The Python SDK before 0.3 ignores notices of changed tools. */
  hearsConfigOnly(socket: string): boolean {
    const version = this.#versions.get(socket) ?? '0.1.0';
    return !this.#ours.has(socket) && Number(version.split('.')[1]) < 3;
  }
  versionOf(socket: string): string | undefined {
    return this.#versions.get(socket);
  }
  seatOf(socket: string): SeatFacts | undefined {
    return this.#seats.get(socket);
  }
  agent(office: string): string | undefined {
    return this.#offices.get(office)?.get('agent')?.socket;
  }
  computer(office: string, name: string): string | undefined {
    return this.#offices.get(office)?.get(`computer:${name}`)?.socket;
  }
  holderOf(seat: SeatFacts): string | undefined {
    const held = this.#offices.get(seat.office)?.get(placeOf(seat));
    return held?.seat.name === seat.name ? held.socket : undefined;
  }
  members(office: string): readonly Member[] {
    return [...(this.#offices.get(office)?.values() ?? [])];
  }
  sizeOf(office: string): number {
    return this.#offices.get(office)?.size ?? 0;
  }
  get counts(): { readonly seats: number; readonly offices: number } {
    return { seats: this.#seats.size, offices: this.#offices.size };
  }
  seat(socket: string, seat: SeatFacts): void {
    this.unseat(socket);
    this.#seats.set(socket, seat);
    const places = this.#offices.get(seat.office) ?? new Map<string, Member>();
    this.#offices.set(seat.office, places.set(placeOf(seat), { socket, seat }));
  }
  unseat(socket: string): SeatFacts | undefined {
    const seat = this.#seats.get(socket);
    if (!seat) return undefined;
    this.#seats.delete(socket);
    const places = this.#offices.get(seat.office);
    // Deletes only the socket's own entry, because another socket may already hold the same name.
    if (places?.get(placeOf(seat))?.socket === socket) places.delete(placeOf(seat));
    if (places?.size === 0) this.#offices.delete(seat.office);
    return seat;
  }
}

/**
 * Client of `ioredis`, `Redis` or `Cluster`, given by the host. No commands are sent over it: it is
 * duplicated, and its own connection is not used.
 */
export interface RedisClient {
  /** State of the connection, such as `ready`. */
  readonly status: string;
  /** Creates a client with the same settings, except for the given ones. */
  duplicate(...how: never[]): unknown;
}
/** Where the nodes of one office keep its seats. */
export interface RegisterOptions {
  /** A `redis://` or `rediss://` URL, the path of a unix socket, or a client of `ioredis`. */
  readonly place: string | RedisClient | (() => RedisClient);
  /** Prefix of all keys and channels in Redis, `a2c` by default. */
  readonly prefix?: string | undefined;
  readonly leaseMs: number;
  /** Number of replicas that must have a claim or a renewed lease before it counts. */
  readonly replicas?: number;
  readonly notice?: (text: string) => void;
}
