import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { SeatFacts } from '../../machines/kernel/ports.ts';
import {
  placeOf,
  type ClaimAnswer,
  type Holder,
  type NodeMessage,
  type Register,
  type RegisterNews,
  type Renewed,
  type Told,
  type Wanted,
} from '../../machines/office/rooms/register.ts';
import { claim, keys, release, renew } from './scripts.ts';

/** A command that is not answered for so long has failed; whether it was done nobody knows. */
const commandMs = 3_000;
/** A connection that was lost is tried again, after so long at most. */
const retryMs = 1_000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password where it wants them. */
  readonly url: string;
  readonly leaseMs: number;
  /** Hears that the connection was lost or is back, in words without the URL. */
  readonly notice?: (text: string) => void;
}
interface Scripts {
  a2cClaim(...args: readonly string[]): Promise<[string, (string | number)?]>;
  a2cRenew(...args: readonly string[]): Promise<[number, number]>;
  a2cRelease(...args: readonly string[]): Promise<number>;
}

async function connected(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw new Error('the optional package ioredis is not installed: npm install ioredis', { cause: error });
  });
  const redis = new Redis(url, {
    lazyConnect: true,
    // What cannot be sent now fails now; what was sent is never sent twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // The register does so, and hears whether it could. A failure of ioredis' own would end the process.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    // A network that swallows what is sent closes no connection: this does.
    socketTimeout: commandMs,
    connectTimeout: commandMs,
    retryStrategy: (tries) => Math.min(tries * 50, retryMs),
  });
  // The commands that fail tell less.
  let last: unknown;
  redis.on('error', (error) => (last = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw new Error(`Redis cannot be reached: ${wordsOf(last ?? error)}`, { cause: error });
  }
  return redis;
}
/** Words of ioredis name addresses, and may name passwords: a code does not. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no answer';

/** The register in a Redis of version 6.2 or later. Rejects where it cannot be reached. */
export async function redisRegister({ url, leaseMs, notice }: RedisOptions): Promise<Register> {
  const commands = await connected(url);
  const subscriber = await connected(url).catch((error: unknown) => {
    commands.disconnect();
    throw error;
  });
  commands.defineCommand('a2cClaim', claim);
  commands.defineCommand('a2cRelease', release);
  commands.defineCommand('a2cRenew', renew);
  return new RedisRegister(commands as Redis & Scripts, subscriber, leaseMs, notice);
}

class RedisRegister implements Register {
  readonly node = randomUUID();
  readonly #commands: Redis & Scripts;
  readonly #subscriber: Redis;
  readonly #leaseMs: number;
  readonly #notice: RedisOptions['notice'];

  constructor(commands: Redis & Scripts, subscriber: Redis, leaseMs: number, notice: RedisOptions['notice']) {
    this.#commands = commands;
    this.#subscriber = subscriber;
    this.#leaseMs = leaseMs;
    this.#notice = notice;
  }
  listen(hear: (news: RegisterNews) => void, told: Told<true>): void {
    const subscriber = this.#subscriber;
    const mail = keys.mail(this.node);
    let wasLost = false;
    subscriber.on('close', () => {
      if (!wasLost) this.#notice?.('the connection to Redis is lost: nobody can join until it is back');
      wasLost = true;
    });
    subscriber.on('message', (channel: string, text: string) => {
      const said = parsed(text);
      if (said === undefined) return;
      if (channel === keys.news) hear(said as RegisterNews);
      else hear({ type: 'message', ...(said as { from: string; message: NodeMessage }) });
    });
    // What was said meanwhile is missed.
    subscriber.on('ready', () => {
      if (!wasLost) return;
      wasLost = false;
      this.#notice?.('the connection to Redis is back');
      asked(subscriber.subscribe(keys.news, mail), (is) => is !== undefined && hear({ type: 'resumed' }));
    });
    asked(subscriber.subscribe(keys.news, mail), (is) => told(is === undefined ? undefined : true));
  }
  claim({ socket, seat, version, minAgeMs }: Wanted, told: Told<ClaimAnswer>): void {
    const holder = { node: this.node, socket, seat, ...(version !== undefined && { version }) };
    const answer = this.#commands.a2cClaim(
      ...[keys.office(seat.office), keys.fence, keys.offices, keys.since],
      ...[placeOf(seat), this.node, socket, JSON.stringify(holder), keys.node, keys.news, seat.office],
      String(minAgeMs),
    );
    asked(answer, (said) => {
      const [how, more] = said ?? [];
      if (how === undefined) return told(undefined);
      if (how === 'held') return told({ ok: true, fence: Number(more) });
      told(how === 'taken' ? { ok: false, holder: JSON.parse(String(more)) as Holder } : { ok: false });
    });
  }
  release(seat: SeatFacts, fence: number, told: Told<true>): void {
    const news: RegisterNews = { type: 'freed', seat, fence };
    const done = this.#commands.a2cRelease(
      ...[keys.office(seat.office), keys.offices],
      ...[placeOf(seat), String(fence), keys.news, JSON.stringify(news), seat.office],
    );
    asked(done, (is) => told(is === undefined ? undefined : true));
  }
  renew(told: Told<Renewed>): void {
    // It sends nothing else, so it would never find that its connection is dead.
    this.#subscriber.ping().catch(() => {});
    const answer = this.#commands.a2cRenew(`${keys.node}${this.node}`, keys.since, String(this.#leaseMs));
    asked(answer, (said) => told(said && { lease: said[0], ageMs: said[1] }));
  }
  dead(nodes: readonly string[], told: Told<readonly string[]>): void {
    asked(this.#commands.mget(nodes.map((node) => `${keys.node}${node}`)), (alive) =>
      told(alive && nodes.filter((_, n) => alive[n] === null)),
    );
  }
  seats(office: string | undefined, told: Told<readonly Holder[]>): void {
    asked(this.#seats(office), told);
  }
  async #seats(office: string | undefined): Promise<readonly Holder[]> {
    const offices = office === undefined ? await this.#commands.smembers(keys.offices) : [office];
    const texts = await Promise.all(offices.map((one) => this.#commands.hvals(keys.office(one))));
    return texts.flat().flatMap((text) => {
      const holder = parsed(text);
      return holder === undefined ? [] : [holder as Holder];
    });
  }
  send(node: string, message: NodeMessage, told: Told<boolean>): void {
    // What is known not to be sent may be sent again.
    if (this.#commands.status !== 'ready') return told(false);
    asked(
      this.#commands.publish(keys.mail(node), JSON.stringify({ from: this.node, message })),
      (listeners) => told(listeners === undefined ? undefined : listeners > 0),
    );
  }
  async close(): Promise<void> {
    this.#subscriber.removeAllListeners('close');
    const ended: RegisterNews = { type: 'ended', node: this.node };
    await this.#commands
      .multi()
      .del(`${keys.node}${this.node}`)
      .publish(keys.news, JSON.stringify(ended))
      .exec()
      .catch(() => {});
    for (const redis of [this.#subscriber, this.#commands]) redis.disconnect();
  }
}
function asked<T>(answer: Promise<T>, told: Told<T>): void {
  answer.then(told, () => told(undefined));
}
const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
