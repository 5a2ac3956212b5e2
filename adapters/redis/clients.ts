import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { installCommand, isInstalled, missingText } from '../optional-packages.ts';
import { A2cRedisError, redisErrorOf } from './redis-errors.ts';
import { claim, end, release, renew } from './scripts.ts';

/**
 * A client of `ioredis`, `Redis` or `Cluster`, as far as it is looked at here. It is asked nothing: connections like it are opened,
 * and its own are left as they are.
 */
export interface RedisClient {
  /** Where its connection stands, such as `ready`. */
  readonly status: string;
  /** Makes one like it, with some options of its own. */
  duplicate(...how: never[]): unknown;
}
export interface Scripts {
  a2cClaim(...args: readonly string[]): Promise<[string, (string | number)?]>;
  a2cRenew(...args: readonly string[]): Promise<[number, number]>;
  a2cRelease(...args: readonly string[]): Promise<number>;
  a2cEnd(...args: readonly string[]): Promise<number>;
}
/** What is common to both, which take the same commands. */
export type Client = Redis & Scripts;

/** A command that is not answered for so long has failed; whether it was done nobody knows. */
export const commandMs = 3_000;
const once = (): null => null;
/** A connection is used until it ends: what was sent is never sent twice, and who opens the next one knows that it is another. */
const ours = {
  lazyConnect: true,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  commandTimeout: commandMs,
  // A network that swallows what is sent closes no connection: this does.
  socketTimeout: commandMs,
  connectTimeout: commandMs,
  // The old master of a fail-over, or a node that is not to be written to: another connection finds the new one.
  reconnectOnError: (error: Error) => /^(READONLY|MASTERDOWN)/.test(error.message),
  keyPrefix: '',
} satisfies RedisOptions;
const ofSingle = {
  ...ours,
  enableOfflineQueue: false,
  retryStrategy: once,
  sentinelRetryStrategy: once,
  // A sentinel that hangs is passed over: the next one is asked.
  sentinelCommandTimeout: commandMs,
  readOnly: false,
} satisfies RedisOptions;
const ofCluster = {
  lazyConnect: true,
  enableOfflineQueue: false,
  clusterRetryStrategy: once,
  retryDelayOnFailover: 0,
  keyPrefix: '',
  scaleReads: 'master',
  redisOptions: ours,
} satisfies ClusterOptions;

const isCluster = (client: Redis | Cluster | undefined): client is Cluster =>
  (client as Partial<Cluster> | undefined)?.isCluster === true;
const made = (client: Redis | Cluster): Client => {
  client.defineCommand('a2cClaim', claim);
  client.defineCommand('a2cEnd', end);
  client.defineCommand('a2cRelease', release);
  client.defineCommand('a2cRenew', renew);
  return client as Client;
};

/** How this Redis is reached, again and again. */
export interface Clients {
  readonly db: number;
  /** What its host puts before all keys. */
  readonly front: string;
  /**
   * What the number of listeners says to which `PUBLISH` was sent: with one server all of them; with replicas, one of which may have
   * been the master, at least so many; in a Cluster nothing, for most listen elsewhere.
   */
  readonly counts: 'all' | 'some' | 'none';
  /** Not connected yet. */
  forCommands(): Client;
  /** Not connected yet, and for subscriptions alone. `known`: the client that is there now. */
  forNews(known: Client | undefined): Redis;
}

/** Connects once; rejects with an `A2cRedisError`. */
export async function connected<C extends Pick<Redis, 'connect' | 'on' | 'disconnect'>>(
  client: C,
): Promise<C> {
  const errors: unknown[] = [];
  const keep = (error: unknown): void => void errors.push(error);
  client.on('error', keep);
  client.on('node error', keep);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw redisErrorOf([...errors, error]);
  } finally {
    errors.length = 0;
  }
}

function ofGiven(given: RedisClient | (() => RedisClient)): Clients {
  const next = (): Redis | Cluster => {
    if (typeof given !== 'function') return given as Redis | Cluster;
    const fresh = given() as Redis | Cluster;
    fresh.on('error', () => {});
    fresh.disconnect();
    return fresh;
  };
  const first = next();
  const { options } = first;
  const db = isCluster(first) ? 0 : (first.options.db ?? 0);
  const front = options.keyPrefix ?? '';
  if (!isCluster(first)) {
    const open = (): Redis => (next() as Redis).duplicate(ofSingle);
    const counts = first.options.sentinels ? 'some' : 'all';
    return { db, front, counts, forCommands: () => made(open()), forNews: open };
  }
  const seeds = new Seeds();
  const open = (): Cluster => (next() as Cluster).duplicate([...seeds.known], ofCluster);
  return { db, front, counts: 'none', forCommands: () => made(open()), forNews: (known) => seeds.one(known) };
}
/** Nodes of a Cluster that were known when it was reached last: the one that was named may be gone. */
class Seeds {
  known: readonly ClusterNode[] = [];

  /** A connection to one of them; `PUBLISH` reaches all. */
  one(client: Redis | Cluster | undefined): Redis {
    const nodes = isCluster(client) ? client.nodes('master') : [];
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    if (!node) throw redisErrorOf([]);
    this.known = nodes.flatMap(({ options: { host, port } }) =>
      host === undefined || port === undefined ? [] : [{ host, port }],
    );
    return node.duplicate(ofSingle);
  }
}

/** By a URL, the path of a unix socket, a client of the host, or what makes one. Rejects with an `A2cRedisError`. */
export async function clientsOf(place: string | RedisClient | (() => RedisClient)): Promise<Clients> {
  if (typeof place !== 'string') return ofGiven(place);
  if (!isInstalled('ioredis'))
    throw new A2cRedisError(
      'unreached',
      missingText('ioredis', 'an office in Redis'),
      installCommand('ioredis'),
    );
  const { Cluster, Redis } = await import('ioredis');
  const single = new Redis(place, ofSingle);
  await connected(single);
  // Any node of a Cluster may have been named.
  const info = await single.info('cluster').catch(() => '');
  single.disconnect();
  if (!/^cluster_enabled:1/m.test(info)) return ofGiven(single);
  const { host = '127.0.0.1', port = 6379, username, password, tls } = single.options;
  const redisOptions = {
    ...(username !== undefined && username !== null && { username }),
    ...(password !== undefined && password !== null && { password }),
    ...(tls && { tls }),
  };
  return ofGiven(new Cluster([{ host, port }], { ...ofCluster, redisOptions }));
}
