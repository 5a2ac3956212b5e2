/** Register of seats and nodes of an office, kept in Redis. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { SeatFacts } from '../../machines/ports/office.ts';
import {
  placeOf,
  type ClaimAnswer,
  type Holder,
  type NodeMessage,
  type Register,
  type RegisterNews,
  type RenewedLease,
  type RegisterCallback,
  type WantedSeat,
  type RegisterOptions,
} from '../../machines/office/rooms/register.ts';
import {
  clientsOf,
  claim,
  commandMs,
  renew,
  A2cRedisError,
  type Clients,
  KeptClient,
  redisErrorOf,
  defaultPrefix,
  endsWithServer,
  keysOf,
  lookAgain,
  publish,
  end,
  release,
  run,
  type Keys,
} from './clients.ts';
import { answers } from './answers.ts';
import { Mail } from './mail.ts';

/** Redis 6.2 or later. Rejects with an `A2cRedisError` when it cannot be reached. */
export { A2cRedisError };

export async function redisRegister(options: RegisterOptions): Promise<Register> {
  const clients = await clientsOf(options.place);
  const keys = keysOf(options.prefix ?? defaultPrefix, clients.db, clients.front);
  const open = (): Promise<KeptClient> =>
    KeptClient.open(() => clients.forCommands(), { opened: (client) => allowed(client, keys) });
  const commands = await open();
  try {
    await copied(commands.now, keys, options.replicas ?? 0);
    const bulk = await open();
    return new RedisRegister({ clients, keys, commands, bulk, options });
  } catch (error) {
    commands.close();
    throw error;
  }
}
async function copied(client: Redis | undefined, { fence }: Keys, replicas: number): Promise<void> {
  if (replicas === 0) return;
  const [, copies] = (await client?.pipeline().get(fence).wait(replicas, copyMs).exec()) ?? [];
  const found = answers.number.safeParse(copies?.[1]).data ?? 0;
  if (found >= replicas) return;
  throw new A2cRedisError(
    'unreached',
    `Redis has ${found} replicas that answer, and the office wants ${replicas}`,
    'Start them, or ask for fewer: --redis-replicas, redis.replicas. docs/scale.md says how many are needed.',
  );
}
/** Longest wait in ms for the replicas; short, because other commands wait meanwhile. */
const copyMs = 1_000;
/**
 * Publishes an empty message, which everybody ignores, to find out whether the credential permits it. It also has
 * a Cluster client connect to the server of our keys: a second command while it still connects would be refused.
 */
async function allowed(client: Redis, { node, news }: Keys): Promise<void> {
  await run(client, end, [`${node}nobody`], [news, '']).catch((error: unknown) => {
    throw redisErrorOf([error]);
  });
  endsWithServer(client);
}
interface Parts {
  readonly clients: Clients;
  readonly keys: Keys;
  readonly commands: KeptClient;
  readonly bulk: KeptClient;
  readonly options: RegisterOptions;
}

class RedisRegister implements Register {
  readonly node = randomUUID();
  readonly #clients: Clients;
  readonly #keys: Keys;
  readonly #commands: KeptClient;
  readonly #mail: Mail;
  readonly #leaseMs: number;
  readonly #replicas: number;
  readonly #notice: (text: string) => void;
  #news: KeptClient | undefined;
  #saidAt: number | undefined;
  #lease: number | undefined;
  /** Tells whether the replicas had the last renewed lease in time; no claim is tried otherwise, as each would wait. */
  #isCopied = true;
  #isOddTold = false;

  constructor({ clients, keys, commands, bulk, options }: Parts) {
    this.#clients = clients;
    this.#keys = keys;
    this.#commands = commands;
    this.#mail = new Mail({ node: this.node, keys, counts: clients.counts, commands, bulk });
    this.#leaseMs = options.leaseMs;
    this.#replicas = options.replicas ?? 0;
    this.#notice = options.notice ?? (() => {});
  }
  listen(hear: (news: RegisterNews) => void, told: RegisterCallback<true>): void {
    const mail = this.#keys.mail(this.node);
    const opened = async (client: Redis): Promise<void> => {
      client.on('messageBuffer', (channel: Buffer, said: Buffer) => {
        const isMail = channel.toString() === mail;
        if (said.length === 0) return void (isMail && (this.#saidAt = undefined));
        if (isMail) return this.#mail.receive(said, hear, () => this.#odd());
        const { data: news } = answers.news.safeParse(said.toString());
        if (!news) return this.#odd();
        this.#mail.inOrder(() => hear(news));
      });
      await client.subscribe(this.#keys.news, mail);
    };
    const hearing = {
      opened,
      lost: () => this.#notice('the connection to Redis is lost: nobody can join until it is back'),
      refused: ({ message, remedy }: { readonly message: string; readonly remedy: string }) =>
        this.#notice(`${message}: nobody can join. ${remedy}`),
      // Reads all seats again, because news of other nodes were missed while the connection was lost.
      back: () => {
        this.#notice('the connection to Redis is back');
        hear({ type: 'resumed' });
      },
    };
    KeptClient.open(() => this.#clients.forNews(this.#commands.now), hearing).then(
      (news) => {
        this.#news = news;
        told(true);
      },
      () => told(undefined),
    );
  }
  claim({ socket, seat, version, minAgeMs }: WantedSeat, told: RegisterCallback<ClaimAnswer>): void {
    const keys = this.#keys;
    const holder = { node: this.node, socket, seat, ...(version !== undefined && { version }) };
    if (!this.#isCopied) return told(undefined);
    const answer = this.#copied(
      claim,
      [keys.office(seat.office), keys.fence, keys.offices, keys.since, keys.server],
      [
        placeOf(seat),
        this.node,
        socket,
        JSON.stringify(holder),
        keys.node,
        keys.news,
        seat.office,
        `${minAgeMs}`,
      ],
    );
    this.#asked(answer, answers.claimed, told);
  }
  /** Rejects unless the replicas have the write, because a successor of this server would not know of it. */
  async #copied(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    // Sends both in one pipeline: `WAIT` counts what its own connection has written, to the server that it reaches.
    const client = this.#commands.now;
    const line = client?.pipeline().eval(script, keys.length, ...keys, ...args);
    if (this.#replicas > 0) line?.wait(this.#replicas, copyMs);
    const [said, copies] = (await line?.exec()) ?? [];
    if (said?.[0]) lookAgain(client);
    if (!said || said[0]) throw said?.[0] ?? new Error('there is no connection');
    const wasCopied = this.#isCopied;
    this.#isCopied = this.#replicas === 0 || answers.number.parse(copies?.[1]) >= this.#replicas;
    if (wasCopied && !this.#isCopied)
      this.#notice(`fewer than ${this.#replicas} replicas of Redis keep up: nobody can join, and leases end`);
    if (!this.#isCopied) throw new Error('too few replicas have it');
    return said[1];
  }
  release(seat: SeatFacts, fence: number, told: RegisterCallback<true>): void {
    const keys = this.#keys;
    const news: RegisterNews = { type: 'freed', seat, fence };
    const done = run(
      this.#commands.now,
      release,
      [keys.office(seat.office), keys.offices],
      [placeOf(seat), String(fence), keys.news, JSON.stringify(news), seat.office],
    );
    this.#asked(done, answers.number, (is) => told(is === undefined ? undefined : true));
  }
  renew(told: RegisterCallback<RenewedLease>): void {
    this.#listenToItself();
    const { node, since, server } = this.#keys;
    const answer = this.#copied(renew, [`${node}${this.node}`, since, server], [String(this.#leaseMs)]);
    this.#asked(answer, answers.renewed, (renewed) => {
      if (renewed && this.#lease !== undefined && this.#lease !== renewed.lease)
        this.#notice('the lease of this node had ended: it claims its seats again');
      this.#lease = renewed?.lease ?? this.#lease;
      told(renewed);
    });
  }
  /** A message that does not arrive in time means that the subscription is dead or leads to another server. */
  #listenToItself(): void {
    const now = performance.now();
    if (this.#saidAt !== undefined && now - this.#saidAt > commandMs) {
      this.#saidAt = undefined;
      return this.#news?.drop();
    }
    const client = this.#commands.now;
    if (!client || !this.#news?.now) return;
    this.#saidAt ??= now;
    publish(client, this.#keys.mail(this.node), '').catch(() => (this.#saidAt = undefined));
  }
  dead(nodes: readonly string[], told: RegisterCallback<readonly string[]>): void {
    const alive = this.#commands.now?.mget(nodes.map((node) => `${this.#keys.node}${node}`));
    this.#asked(alive, answers.lives, (lives) => {
      const dead = lives?.length === nodes.length ? nodes.filter((_, n) => lives[n] === null) : undefined;
      for (const node of dead ?? [])
        this.#notice(`node ${node} of this office is lost: its seats are free, calls to them have ended`);
      told(dead);
    });
  }
  seats(told: RegisterCallback<readonly Holder[]>): void {
    this.#asked(this.#seats(), answers.holders, (found) => told(found?.filter((one) => one !== undefined)));
  }
  async #seats(): Promise<unknown> {
    const client = this.#commands.now;
    const offices = answers.texts.parse(await client?.smembers(this.#keys.offices));
    const texts = await Promise.all(offices.map(async (one) => client?.hvals(this.#keys.office(one))));
    return texts.flatMap((some) => answers.texts.parse(some));
  }
  at(seat: SeatFacts, told: RegisterCallback<Holder | 'nobody'>): void {
    const found = this.#commands.now?.hget(this.#keys.office(seat.office), placeOf(seat));
    this.#asked(found, answers.place, told);
  }
  send(node: string, message: NodeMessage, told: RegisterCallback<boolean>): void {
    this.#mail.send(node, message, told);
  }
  async close(): Promise<void> {
    const ended: RegisterNews = { type: 'ended', node: this.node };
    const { node, news } = this.#keys;
    await run(this.#commands.now, end, [`${node}${this.node}`], [news, JSON.stringify(ended)]).catch(
      () => {},
    );
    for (const one of [this.#news, this.#mail, this.#commands]) one?.close();
  }
  #asked<T>(answer: Promise<unknown> | undefined, of: z.ZodType<T>, told: RegisterCallback<T>): void {
    (answer ?? Promise.reject(new Error('there is no connection'))).then(
      (said) => {
        const { data } = of.safeParse(said);
        if (data === undefined) this.#odd();
        told(data);
      },
      () => told(undefined),
    );
  }
  #odd(): void {
    if (!this.#isOddTold)
      this.#notice(
        'Redis, or a proxy before it, gave an answer of another type than asked for: that request failed. Is another program writing to the keys of the office?',
      );
    this.#isOddTold = true;
  }
}
