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
  type RenewedLease,
  type RegisterCallback,
  type WantedSeat,
} from '../../machines/office/rooms/register.ts';
import {
  clientsOf,
  commandMs,
  type Client,
  type Clients,
  type RedisClient,
  KeptClient,
  redisErrorOf,
  defaultPrefix,
  keysOf,
  type Keys,
} from './clients.ts';
import { Mail } from './mail.ts';

export interface RedisOptions {
  /**
   * Location of Redis: a `redis://` or `rediss://` URL, the path of a unix socket, a client of `ioredis`, or a
   * function that makes one.
   */
  readonly place: string | RedisClient | (() => RedisClient);
  /** Prefix of all keys and channels in Redis, `a2c` by default. */
  readonly prefix?: string | undefined;
  readonly leaseMs: number;
  /** Callback for messages about a lost or restored connection or node, without addresses. */
  readonly notice?: (text: string) => void;
}

/** Opens the register in a Redis of version 6.2 or later. Rejects with an `A2cRedisError` when Redis cannot be reached. */
export async function redisRegister(options: RedisOptions): Promise<Register> {
  const clients = await clientsOf(options.place);
  const keys = keysOf(options.prefix ?? defaultPrefix, clients.db, clients.front);
  const commands = await KeptClient.open(() => clients.forCommands(), {
    opened: (client) => allowed(client, keys),
  });
  const bulk = await KeptClient.open(() => clients.forCommands()).catch((error: unknown) => {
    commands.close();
    throw error;
  });
  return new RedisRegister({ clients, keys, commands, bulk, options });
}
/** Publishes a harmless message before the office opens, to find out whether the credential permits it. */
async function allowed(client: Client, { node, news }: Keys): Promise<void> {
  await client.a2cEnd(`${node}nobody`, news, '{}').catch((error: unknown) => {
    throw redisErrorOf([error]);
  });
}
interface Parts {
  readonly clients: Clients;
  readonly keys: Keys;
  readonly commands: KeptClient<Client>;
  readonly bulk: KeptClient<Client>;
  readonly options: RedisOptions;
}

class RedisRegister implements Register {
  readonly node = randomUUID();
  readonly #clients: Clients;
  readonly #keys: Keys;
  readonly #commands: KeptClient<Client>;
  readonly #mail: Mail;
  readonly #leaseMs: number;
  readonly #notice: (text: string) => void;
  #news: KeptClient<Redis> | undefined;
  /** Time of the latest message that this node sent to itself and that has not arrived yet. */
  #saidAt: number | undefined;
  #lease: number | undefined;

  constructor({ clients, keys, commands, bulk, options }: Parts) {
    this.#clients = clients;
    this.#keys = keys;
    this.#commands = commands;
    this.#mail = new Mail({ node: this.node, keys, counts: clients.counts, commands, bulk });
    this.#leaseMs = options.leaseMs;
    this.#notice = options.notice ?? (() => {});
  }
  listen(hear: (news: RegisterNews) => void, told: RegisterCallback<true>): void {
    const mail = this.#keys.mail(this.node);
    const opened = async (client: Redis): Promise<void> => {
      client.on('messageBuffer', (channel: Buffer, said: Buffer) => {
        if (channel.toString() === mail)
          return said.length === 0 ? void (this.#saidAt = undefined) : this.#mail.receive(said, hear);
        const news = parsed(said.toString()) as RegisterNews | undefined;
        if (news?.type === 'ended') this.#mail.forget(news.node);
        if (news?.type) hear(news);
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
    asked(
      KeptClient.open(() => this.#clients.forNews(this.#commands.now), hearing),
      (news) => {
        this.#news = news;
        told(news && true);
      },
    );
  }
  claim({ socket, seat, version, minAgeMs }: WantedSeat, told: RegisterCallback<ClaimAnswer>): void {
    const keys = this.#keys;
    const holder = { node: this.node, socket, seat, ...(version !== undefined && { version }) };
    const answer = this.#commands.now?.a2cClaim(
      ...[keys.office(seat.office), keys.fence, keys.offices, keys.since, keys.server],
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
  release(seat: SeatFacts, fence: number, told: RegisterCallback<true>): void {
    const keys = this.#keys;
    const news: RegisterNews = { type: 'freed', seat, fence };
    const done = this.#commands.now?.a2cRelease(
      ...[keys.office(seat.office), keys.offices],
      ...[placeOf(seat), String(fence), keys.news, JSON.stringify(news), seat.office],
    );
    asked(done, (is) => told(is === undefined ? undefined : true));
  }
  renew(told: RegisterCallback<RenewedLease>): void {
    this.#listenToItself();
    const { node, since, server } = this.#keys;
    const answer = this.#commands.now?.a2cRenew(`${node}${this.node}`, since, server, String(this.#leaseMs));
    asked(answer, (said) => {
      if (!said) return told(undefined);
      const [lease, ageMs] = said;
      if (this.#lease !== undefined && this.#lease !== lease)
        this.#notice('the lease of this node had ended: it claims its seats again');
      this.#lease = lease;
      told({ lease, ageMs });
    });
  }
  /**
   * Sends a message to this node itself. When it does not arrive in time, the subscription is dead or leads to
   * another server than that of the other nodes, so it is opened again.
   */
  #listenToItself(): void {
    const now = performance.now();
    if (this.#saidAt !== undefined && now - this.#saidAt > commandMs) {
      this.#saidAt = undefined;
      return this.#news?.drop();
    }
    const client = this.#commands.now;
    if (!client || !this.#news?.now) return;
    this.#saidAt ??= now;
    client.publish(this.#keys.mail(this.node), '').catch(() => (this.#saidAt = undefined));
  }
  dead(nodes: readonly string[], told: RegisterCallback<readonly string[]>): void {
    const alive = this.#commands.now?.mget(nodes.map((node) => `${this.#keys.node}${node}`));
    asked(alive, (lives) => {
      const dead = lives && nodes.filter((_, n) => lives[n] === null);
      for (const node of dead ?? []) {
        this.#mail.forget(node);
        this.#notice(`node ${node} of this office is lost: its seats are free, calls to them have ended`);
      }
      told(dead);
    });
  }
  seats(told: RegisterCallback<readonly Holder[]>): void {
    asked(this.#seats(), told);
  }
  async #seats(): Promise<readonly Holder[] | undefined> {
    const client = this.#commands.now;
    if (!client) return undefined;
    const offices = await client.smembers(this.#keys.offices);
    const texts = await Promise.all(offices.map((one) => client.hvals(this.#keys.office(one))));
    return texts.flat().flatMap(holderIn);
  }
  at(seat: SeatFacts, told: RegisterCallback<Holder | 'nobody'>): void {
    asked(this.#commands.now?.hget(this.#keys.office(seat.office), placeOf(seat)), (text) =>
      told(text === undefined ? undefined : (holderIn(text ?? '')[0] ?? 'nobody')),
    );
  }
  send(node: string, message: NodeMessage, told: RegisterCallback<boolean>): void {
    this.#mail.send(node, message, told);
  }
  async close(): Promise<void> {
    const ended: RegisterNews = { type: 'ended', node: this.node };
    const { node, news } = this.#keys;
    await this.#commands.now?.a2cEnd(`${node}${this.node}`, news, JSON.stringify(ended)).catch(() => {});
    for (const one of [this.#news, this.#mail, this.#commands]) one?.close();
  }
}
function asked<T>(answer: Promise<T | undefined> | undefined, told: RegisterCallback<T>): void {
  (answer ?? Promise.reject(new Error('there is no connection'))).then(told, () => told(undefined));
}
const parsed = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
const holderIn = (text: string): readonly Holder[] => {
  const holder = parsed(text);
  return holder === undefined ? [] : [holder as Holder];
};
