/** Rates of an office: how fast each peer may ask, and that each room has its turn. */
import { TokenBucket } from 'limiter';
import { isLoopback } from '../../machines/office/rooms/loopback.ts';
import {
  isRate,
  overLimit,
  type Gate,
  type LimitName,
  type OfficeLimits,
  type Rate,
  type RefusalKind,
} from '../../machines/office/rooms/limits.ts';
import type { Failure } from '../../machines/protocol/failure.ts';

type RateName = {
  [K in LimitName]: OfficeLimits[K] extends Rate ? K : never;
}[LimitName];

function bucketOf({ perSecond, burst }: Rate): TokenBucket | undefined {
  if (perSecond === 0) return undefined;
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: 'second' });
  bucket.content = burst;
  return bucket;
}
class Buckets {
  readonly #all = new Map<string, TokenBucket>();
  readonly #rate: Rate;
  constructor(limit: Rate) {
    this.#rate = limit;
  }
  /** Takes at most a whole burst. When there are too few, returns the time in ms until there are enough. */
  take(key: string, count = 1): number | undefined {
    const bucket = this.#of(key);
    if (!bucket) return undefined;
    const wanted = Math.min(count, this.#rate.burst);
    return bucket.tryRemoveTokens(wanted) ? undefined : Math.max(1, Math.ceil(bucket.getWaitTime(wanted)));
  }
  spend(key: string, count: number): void {
    const bucket = this.#of(key);
    if (!bucket) return;
    bucket.drip();
    bucket.content = Math.max(0, bucket.content - count);
  }
  #of(key: string): TokenBucket | undefined {
    const known = this.#all.get(key);
    if (known) return known;
    const bucket = bucketOf(this.#rate);
    if (bucket) this.#all.set(key, bucket);
    return bucket;
  }
  drop(key: string): void {
    this.#all.delete(key);
  }
  /** Drops full buckets, because a new bucket starts full as well. */
  sweep(): void {
    for (const [key, bucket] of this.#all) {
      bucket.drip();
      if (bucket.content >= this.#rate.burst) this.#all.delete(key);
    }
  }
  get size(): number {
    return this.#all.size;
  }
}

interface Peer {
  readonly address: string;
  /** Tells whether the peer is on loopback, where limits by address do not apply. */
  readonly isNear: boolean;
  /** Token bucket for refused events: each takes its tokens, and without enough the peer is disconnected. */
  readonly patience: TokenBucket | undefined;
}
/** Number of deliveries that a room may make at once, before other rooms have their turn. */
const atOnce = 32;
const sweepMs = 60_000;
const everybody = '';

export class OfficeGate implements Gate {
  readonly limits: OfficeLimits;
  readonly refusals = new Map<RefusalKind, number>();
  readonly #buckets: Readonly<Record<RateName, Buckets>>;
  readonly #peers = new Map<string, Peer>();
  readonly #connections = new Map<string, number>();
  #total = 0;
  #shut: Failure | undefined;
  readonly #flooded: (socket: string, failure: Failure) => void;
  readonly #sweeping: NodeJS.Timeout;

  /** `flooded` is called for a socket that keeps sending although its events are refused. */
  constructor(limits: OfficeLimits, flooded: (socket: string, failure: Failure) => void) {
    this.limits = limits;
    this.#flooded = flooded;
    const rates = Object.entries(limits).filter((entry): entry is [RateName, Rate] => isRate(entry[1]));
    this.#buckets = Object.fromEntries(rates.map(([name, limit]) => [name, new Buckets(limit)])) as Record<
      RateName,
      Buckets
    >;
    this.#sweeping = setInterval(() => {
      for (const buckets of Object.values(this.#buckets)) buckets.sweep();
    }, sweepMs);
    this.#sweeping.unref();
  }

  shut(why: Failure): void {
    this.#shut = why;
  }
  over(address: string | undefined, by: number): LimitName | undefined {
    const { connections, connectionsPerAddress } = this.limits;
    if (connections > 0 && this.#total > connections + by) return 'connections';
    if (connectionsPerAddress === 0 || address === undefined || isNear(address)) return undefined;
    const here = this.#connections.get(address) ?? 0;
    return here > connectionsPerAddress + by ? 'connectionsPerAddress' : undefined;
  }
  /** Decides whether a connection, already counted, may stay; at a limit, `makeRoom` ends one that is not let in yet. */
  connecting(address: string, makeRoom: (limit: LimitName) => boolean): Failure | undefined {
    if (this.#shut) return this.#shut;
    const limit = this.over(address, 0);
    if (limit === undefined || makeRoom(limit)) return undefined;
    return this.#refuse(limit);
  }
  connected(address: string | undefined): void {
    this.#total++;
    if (address !== undefined) this.#connections.set(address, (this.#connections.get(address) ?? 0) + 1);
  }
  gone(address: string | undefined): void {
    this.#total--;
    if (address === undefined) return;
    const left = (this.#connections.get(address) ?? 1) - 1;
    if (left > 0) this.#connections.set(address, left);
    else this.#connections.delete(address);
  }
  get sizes(): { readonly connections: number; readonly addresses: number; readonly buckets: number } {
    const buckets = Object.values(this.#buckets).reduce((sum, { size }) => sum + size, 0);
    return { connections: this.#total, addresses: this.#connections.size, buckets };
  }

  opened(socket: string, address: string): void {
    const patience = bucketOf(this.limits.eventsPerSocket);
    this.#peers.set(socket, { address, isNear: isNear(address), patience });
  }
  closed(socket: string): void {
    this.#peers.delete(socket);
    this.#buckets.eventsPerSocket.drop(socket);
    this.#buckets.joinsPerSocket.drop(socket);
  }

  event(socket: string, office: string | undefined): Failure | undefined {
    const peer = this.#peers.get(socket);
    const failure =
      this.#take('eventsPerSocket', socket) ??
      (peer && !peer.isNear ? this.#take('eventsPerAddress', peer.address) : undefined) ??
      (office === undefined ? undefined : this.#take('eventsPerOffice', office)) ??
      this.#take('events', everybody);
    return failure && this.#endured(socket, failure, 1);
  }
  weighed(socket: string, weight: number): Failure | undefined {
    const failure = this.#take('eventsPerSocket', socket, weight);
    return failure && this.#endured(socket, failure, Math.min(weight, this.limits.eventsPerSocket.burst));
  }
  join(socket: string, office: string, taken: number): Failure | undefined {
    const { seatsPerOffice } = this.limits;
    const peer = this.#peers.get(socket);
    if (seatsPerOffice > 0 && taken >= seatsPerOffice) return this.#refuse('seatsPerOffice');
    return (
      this.#take('joinsPerSocket', socket) ??
      (peer && !peer.isNear ? this.#take('joinsPerAddress', peer.address) : undefined) ??
      this.#take('joinsPerOffice', office)
    );
  }
  notice(socket: string, event: string): number {
    const waitMs = this.#buckets.noticesPerSocket.take(`${socket} ${event}`) ?? 0;
    if (waitMs > 0) this.refused('noticesPerSocket');
    return waitMs;
  }
  deliver(office: string, wanted: number): { readonly now: number; readonly waitMs: number } {
    const now = Math.min(wanted, atOnce);
    for (const [name, key] of [
      ['deliveriesPerOffice', office] as const,
      ['deliveries', everybody] as const,
    ]) {
      const waitMs = this.#buckets[name].take(key, now);
      if (waitMs === undefined) continue;
      this.refused(name);
      return { now: 0, waitMs };
    }
    return { now, waitMs: 0 };
  }
  delivered(office: string, count: number): void {
    this.#buckets.deliveriesPerOffice.spend(office, count);
    this.#buckets.deliveries.spend(everybody, count);
  }
  broadcast(office: string, count: number): Failure | undefined {
    return this.#take('deliveriesPerOffice', office, count) ?? this.#take('deliveries', everybody, count);
  }
  refused(kind: RefusalKind): void {
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
  }
  close(): void {
    clearInterval(this.#sweeping);
  }

  #endured(socket: string, failure: Failure, count: number): Failure {
    if (this.#peers.get(socket)?.patience?.tryRemoveTokens(count) === false) this.#flooded(socket, failure);
    return failure;
  }
  #take(name: RateName, key: string, count = 1): Failure | undefined {
    const waitMs = this.#buckets[name].take(key, count);
    return waitMs === undefined ? undefined : this.#refuse(name, waitMs);
  }
  #refuse(name: LimitName, waitMs?: number): Failure {
    this.refused(name);
    return overLimit(name, this.limits[name], waitMs);
  }
}
const isNear = (address: string): boolean => isLoopback(address.replace(/^::ffff:/i, ''));
