/** Connections of a node to Redis, and the scripts that run there. */
import type * as Ioredis from 'ioredis';
import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { installCommand, isInstalled, missingText, optionalPackage } from '../optional-packages.ts';
import type { RedisClient } from '../../machines/office/rooms/register.ts';

/** Its message holds no address and no password. */
export class A2cRedisError extends Error {
  /** `usage`: wrong options; `refused`: credential not accepted; `unreached`: Redis cannot be reached. */
  readonly kind: 'usage' | 'refused' | 'unreached';
  readonly remedy: string;

  constructor(kind: A2cRedisError['kind'], message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.remedy = remedy;
  }
}
const refusals: Readonly<Record<string, readonly [string, string]>> = {
  WRONGPASS: [
    'Redis does not take this user and password (WRONGPASS)',
    'Check both: redis://USER:PASSWORD@HOST, or redis://:PASSWORD@HOST where there are no users.',
  ],
  NOAUTH: [
    'Redis wants a password (NOAUTH)',
    'Give it: redis://:PASSWORD@HOST, or redis://USER:PASSWORD@HOST.',
  ],
  NOPERM: [
    'The user in Redis may not do what an office does there (NOPERM)',
    'Give it all commands on our keys and channels: docs/scale.md has the rule.',
  ],
  CLUSTERDOWN: ['The Redis Cluster serves nobody now (CLUSTERDOWN)', 'Ask it why: redis-cli cluster info.'],
};
function* causesOf(error: unknown): Generator<Error> {
  for (let next = error; next instanceof Error;) {
    yield next;
    next = 'lastNodeError' in next ? next.lastNodeError : next.cause;
  }
}
/** Messages of ioredis may hold addresses and passwords, so only the code is kept. */
export function redisErrorOf(errors: readonly unknown[]): A2cRedisError {
  const all = errors.flatMap((error) => [...causesOf(error)]);
  for (const { message } of all) {
    const code = /\b(WRONGPASS|NOAUTH|NOPERM|CLUSTERDOWN)\b/.exec(message)?.[1];
    const kind = code === 'CLUSTERDOWN' ? 'unreached' : 'refused';
    const [text, remedy] = refusals[code ?? ''] ?? [];
    if (text !== undefined && remedy !== undefined) return new A2cRedisError(kind, text, remedy, all[0]);
  }
  const code = all.map((error) => ('code' in error ? String(error.code) : '')).find(Boolean) ?? 'no answer';
  return new A2cRedisError(
    'unreached',
    `Redis cannot be reached: ${code}`,
    /CERT|SIGNATURE|ERR_SSL|ERR_TLS/.test(code)
      ? 'Name the authority of its certificate: NODE_EXTRA_CA_CERTS=ca.pem, or a client of ioredis with tls.ca.'
      : 'Check the URL, and that Redis runs: redis-cli ping.',
    all[0],
  );
}

/** A server that was restarted or replaced may lack the latest claims, so its data count as new. */
const aged = (since: string, server: string): string => `
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)
    local info = redis.pcall('INFO', 'replication')
    local run = type(info) == 'string' and string.match(info, 'master_replid:(%w+)') or ''
    if redis.call('GET', ${server}) ~= run then
      redis.call('SET', ${server}, run)
      redis.call('SET', ${since}, string.format('%.0f', now))
    end
    local since = tonumber(redis.call('GET', ${since}) or now)
    local age = now - since`;

/** The number of a lease is the time of its beginning. KEYS node, since, server. ARGV lease in ms. */
export const renew = `${aged('KEYS[2]', 'KEYS[3]')}
    if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then
      redis.call('SET', KEYS[1], string.format('%.0f', now), 'PX', ARGV[1])
    end
    return { tonumber(redis.call('GET', KEYS[1])), age, since }`;

/**
 * Script that claims a seat. Its fence is the time, or one more than the last fence, so that fences grow even
 * when Redis has lost its data. KEYS office, fence, offices, since, server. ARGV field, node, socket, holder,
 * prefix of nodes, channel, office, least age in ms.
 */
export const claim = `${aged('KEYS[4]', 'KEYS[5]')}
    if redis.call('EXISTS', ARGV[5] .. ARGV[2]) == 0 then return { 'ended' } end
    if age < tonumber(ARGV[8]) then return { 'ended' } end
    local old = redis.call('HGET', KEYS[1], ARGV[1])
    if old then
      local held = cjson.decode(old)
      local mine = held.node == ARGV[2] and held.socket == ARGV[3]
      if not mine and redis.call('EXISTS', ARGV[5] .. held.node) == 1 then return { 'taken', old } end
      if not mine then
        redis.call('PUBLISH', ARGV[6], cjson.encode({ type = 'freed', seat = held.seat, fence = held.fence }))
      end
    end
    local holder = cjson.decode(ARGV[4])
    holder.fence = math.max(tonumber(redis.call('GET', KEYS[2]) or 0) + 1, now)
    redis.call('SET', KEYS[2], string.format('%.0f', holder.fence))
    local text = cjson.encode(holder)
    redis.call('HSET', KEYS[1], ARGV[1], text)
    redis.call('SADD', KEYS[3], ARGV[7])
    redis.call('PUBLISH', ARGV[6], '{"type":"taken","holder":' .. text .. '}')
    return { 'held', holder.fence }`;

/** Script that frees a seat if its fence matches. KEYS office, offices. ARGV field, fence, channel, news, office. */
export const release = `
    local old = redis.call('HGET', KEYS[1], ARGV[1])
    if not old or cjson.decode(old).fence ~= tonumber(ARGV[2]) then return 0 end
    redis.call('HDEL', KEYS[1], ARGV[1])
    if redis.call('HLEN', KEYS[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[5]) end
    redis.call('PUBLISH', ARGV[3], ARGV[4])
    return 1`;

/** Script that ends the lease of a node. KEYS node. ARGV channel, news. */
export const end = `
    redis.call('DEL', KEYS[1])
    return redis.call('PUBLISH', ARGV[1], ARGV[2])`;

/** Script that stores a large message and publishes where it is. KEYS message. ARGV message, ms, channel, letter. */
export const store = `
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return redis.call('PUBLISH', ARGV[3], ARGV[4])`;

export const defaultPrefix = 'a2c';

export type Keys = ReturnType<typeof keysOf>;
/**
 * One hash tag, so that one Cluster node holds all; with the database, because all share the channels. `front`: key
 * prefix of the host's client. Throws for signs that a hash tag must not have.
 */
export function keysOf(prefix: string, db: number, front = '') {
  if (!/^[\w.:-]{1,100}$/.test(prefix))
    throw new A2cRedisError(
      'usage',
      'the prefix in Redis has other signs than letters, digits and _ . : -, or is too long',
      `By default it is ${defaultPrefix}.`,
    );
  const at = (name: string): string => `${front}{${prefix}:${db}}:${name}`;
  return {
    fence: at('fence'),
    offices: at('offices'),
    /** Key of the time since which the data exist. */
    since: at('since'),
    /** Key of the id of the Redis run that holds them. */
    server: at('server'),
    news: at('news'),
    node: at('node:'),
    office: (office: string) => at(`office:${office}`),
    mail: (node: string) => at(`mail:${node}`),
    large: (node: string, count: number) => at(`large:${node}:${count}`),
  };
}

/** Runs a script by its text: one by its hash may have to be sent again, behind what came later. */
export async function run(
  client: Redis | undefined,
  script: string,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  if (!client) throw new Error('there is no connection');
  return client.eval(script, keys.length, ...keys, ...args).catch((error: unknown) => {
    lookAgain(client);
    throw error;
  });
}
/** By the server that holds our keys, as the scripts do: what two servers of a Cluster publish is in no order. */
export const publish = (client: Redis, channel: string, said: string | Buffer): Promise<unknown> =>
  run(client, "return redis.call('PUBLISH', KEYS[1], ARGV[1])", [channel], [said]);

/** Time-out of a command in ms; whether a command was carried out after all is unknown. */
export const commandMs = 3_000;
const once = (): null => null;
/** Never resends a command, because its owner must know when a new connection begins. */
const ours = {
  lazyConnect: true,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  commandTimeout: commandMs,
  // Sets a time-out, because a network that drops packets closes no connection.
  socketTimeout: commandMs,
  connectTimeout: commandMs,
  // Connects again to the current master when a server accepts no writes, because it is the old master of a fail-over.
  reconnectOnError: (error: Error) => /^(READONLY|MASTERDOWN)/.test(error.message),
  keyPrefix: '',
  stringNumbers: false,
  enableAutoPipelining: false,
} satisfies RedisOptions;
const ofSingle = {
  ...ours,
  enableOfflineQueue: false,
  retryStrategy: once,
  sentinelRetryStrategy: once,
  sentinelCommandTimeout: commandMs,
  readOnly: false,
} satisfies RedisOptions;
const ofCluster = {
  lazyConnect: true,
  enableOfflineQueue: false,
  // After a check that fails ioredis never says that it could not connect; the first script tells more.
  enableReadyCheck: false,
  clusterRetryStrategy: once,
  clusterNodeRetryStrategy: once,
  // A command that is sent again later would come behind others.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  enableAutoPipelining: false,
  keyPrefix: '',
  scaleReads: 'master',
  redisOptions: ours,
} satisfies ClusterOptions;

const isCluster = (client: Redis | Cluster | undefined): client is Cluster =>
  (client as Partial<Cluster> | undefined)?.isCluster === true;

/** After an error another server may have our keys; a client of a Cluster asks for that only after some. */
export const lookAgain = (client?: Redis | Cluster): void =>
  void (isCluster(client) && client.refreshSlotsCache());
/** Without the connection to its one server a client of a Cluster would ask any others, in no order. */
export function endsWithServer(client: Redis | Cluster): void {
  if (!isCluster(client)) return;
  const end = (): void => client.disconnect();
  const watch = (one: Redis): unknown =>
    one.status === 'ready' ? one.once('end', end) : one.once('ready', () => one.once('end', end));
  for (const one of client.nodes()) watch(one);
  client.on('+node', watch);
}

export interface Clients {
  readonly db: number;
  /** Prefix that the host's own client puts before all keys. */
  readonly front: string;
  /** `all`: one server; `some`: replicas, so there may be more; `none`: a Cluster, where most listen elsewhere. */
  readonly counts: 'all' | 'some' | 'none';
  forCommands(): Redis;
  forNews(known: Redis | undefined): Redis;
}

async function connected(client: Redis): Promise<Redis> {
  let errors: unknown[] | undefined = [];
  const keep = (error: unknown): void => void errors?.push(error);
  client.on('error', keep);
  client.on('node error', keep);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw redisErrorOf([...(errors ?? []), error]);
  } finally {
    errors = undefined;
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
  const db = isCluster(first) ? 0 : (first.options.db ?? 0);
  const front = first.options.keyPrefix ?? '';
  if (!isCluster(first)) {
    const open = (): Redis => (next() as Redis).duplicate(ofSingle);
    const counts = first.options.sentinels ? 'some' : 'all';
    return { db, front, counts, forCommands: open, forNews: open };
  }
  const seeds = new Seeds();
  const open = (): Redis => (next() as Cluster).duplicate([...seeds.known], ofCluster) as unknown as Redis;
  return { db, front, counts: 'none', forCommands: open, forNews: (known) => seeds.one(known) };
}
/** Nodes of a Cluster at the last contact, because the nodes of the configuration may be gone. */
class Seeds {
  known: readonly ClusterNode[] = [];

  /** Creates a connection to a random node of the Cluster, since `PUBLISH` reaches all of them. */
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

export async function clientsOf(place: string | RedisClient | (() => RedisClient)): Promise<Clients> {
  if (typeof place !== 'string') return ofGiven(place);
  if (!isInstalled('ioredis'))
    throw new A2cRedisError(
      'unreached',
      missingText('ioredis', 'an office in Redis'),
      installCommand('ioredis'),
    );
  const { Cluster, Redis } = await optionalPackage<typeof Ioredis>('ioredis', 'an office in Redis');
  const single = new Redis(place, ofSingle);
  await connected(single);
  // Asks the server whether it belongs to a Cluster, because the URL may name any of its nodes.
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

const retryMs = 1_000;
const firstRetryMs = 50;

interface KeptHearing {
  /** A rejection discards the connection. */
  readonly opened?: (client: Redis) => Promise<void>;
  readonly back?: () => void;
  readonly lost?: () => void;
  readonly refused?: (error: A2cRedisError) => void;
}
/** Connection that is opened again whenever it ends, until `close`. */
export class KeptClient {
  readonly #make: () => Redis;
  readonly #hearing: KeptHearing;
  #client: Redis | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #isClosed = false;
  #isRefused = false;

  private constructor(make: () => Redis, hearing: KeptHearing) {
    this.#make = make;
    this.#hearing = hearing;
  }
  static async open(make: () => Redis, hearing: KeptHearing): Promise<KeptClient> {
    const kept = new KeptClient(make, hearing);
    await kept.#open();
    return kept;
  }
  /** Undefined while disconnected. */
  get now(): Redis | undefined {
    return this.#client?.status === 'ready' ? this.#client : undefined;
  }
  drop(): void {
    this.#client?.disconnect();
  }
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#client?.disconnect();
  }
  async #open(): Promise<void> {
    const client = await connected(this.#make());
    try {
      await this.#hearing.opened?.(client);
    } catch (error) {
      client.disconnect();
      throw error;
    }
    if (this.#isClosed || client.status !== 'ready') {
      client.disconnect();
      throw new Error('it was closed meanwhile');
    }
    this.#client = client;
    this.#tries = 0;
    this.#isRefused = false;
    client.once('end', () => this.#lost(client));
  }
  #lost(client: Redis): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = undefined;
    this.#hearing.lost?.();
    this.#later();
  }
  #later(): void {
    if (this.#isClosed) return;
    this.#tries += 1;
    this.#timer = setTimeout(() => void this.#again(), Math.min(this.#tries * firstRetryMs, retryMs));
  }
  async #again(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (error instanceof A2cRedisError && error.kind === 'refused' && !this.#isRefused) {
        this.#isRefused = true;
        this.#hearing.refused?.(error);
      }
      return this.#later();
    }
    this.#hearing.back?.();
  }
}
