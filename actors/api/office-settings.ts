import type { OfficeOptions, OfficeRedis } from './office-handle.ts';
import type { OfficePart } from './office-part.ts';
import { A2cError, badRequest } from '../kernel/errors.ts';
import type { RedisClient } from '../../machines/office/rooms/register.ts';
import { authenticateBy, type Authenticate, type OfficeAuth } from '../../adapters/socket/entry/auth.ts';
import { checkTls, type OfficeTls } from '../../adapters/socket/http.ts';
import { openMetrics, type MetricsServer, type Operator } from '../../adapters/metrics.ts';
import { PackageMissing } from '../../adapters/optional-packages.ts';
import { extra } from '../extras.ts';
import type { OfficeSettings } from '../../adapters/socket/office.ts';
import { limitsWith } from '../../machines/office/rooms/limits.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';

type Warn = (text: string) => void;
const leastLeaseMs = 1_000;
/** Throws an `A2cError` for wrong options or an unreachable Redis. */
export async function joinNodes(
  { redis }: OfficeOptions,
  notice: Warn,
): Promise<Pick<OfficeSettings, 'register' | 'leaseMs'>> {
  if (redis === undefined) return {};
  const { place, leaseMs, prefix, replicas } = placeOf(redis);
  const { A2cRedisError, redisRegister } = await extra('nodes');
  try {
    return { register: await redisRegister({ place, prefix, leaseMs, replicas, notice }), leaseMs };
  } catch (error) {
    if (!(error instanceof A2cRedisError)) throw error;
    const { kind, message, remedy } = error;
    throw new A2cError({ code: redisCodes[kind], message, remedy });
  }
}
const redisCodes = {
  usage: wireCodes.badRequest,
  refused: wireCodes.tokenRefused,
  unreached: wireCodes.unavailable,
} as const;
/** A URL, the path of a unix socket, or a client. */
function placeOf(redis: NonNullable<OfficeOptions['redis']>): {
  readonly prefix: string | undefined;
  readonly place: string | RedisClient | (() => RedisClient);
  readonly leaseMs: number;
  readonly replicas: number;
} {
  const given: OfficeRedis =
    typeof redis === 'string' ? { url: redis } : isClient(redis) ? { client: redis } : redis;
  const { url, client, leaseMs = 10_000, prefix, replicas = 0 } = given;
  const place = client ?? url;
  if (place === undefined || (url !== undefined && client !== undefined))
    throw badRequest('redis has either a url or a client', 'Such as { url: "redis://127.0.0.1:6379" }.');
  if (typeof place === 'string' && !isRedisUrl(place))
    throw badRequest(
      'redis is no redis:// or rediss:// URL, nor the path of a unix socket',
      'Such as redis://127.0.0.1:6379 or /run/redis.sock. With Sentinel, give a client of ioredis: docs/scale.md.',
    );
  if (typeof place !== 'string' && !isClient(place))
    throw badRequest(
      'redis.client is neither a client of ioredis nor a function that makes one',
      'Such as new Redis({ sentinels, name }) or new Cluster(nodes).',
    );
  if (!Number.isInteger(leaseMs) || leaseMs < leastLeaseMs)
    throw badRequest(`leaseMs is a whole number from ${leastLeaseMs}`, 'Its default is 10000.');
  if (!Number.isInteger(replicas) || replicas < 0)
    throw badRequest('replicas is a whole number from 0', 'docs/scale.md says how many are needed.');
  return { place, leaseMs, prefix, replicas };
}
const isRedisUrl = (text: string): boolean =>
  /^\/[^/]/.test(text) || (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol));
const isClient = (value: object): value is RedisClient | (() => RedisClient) =>
  typeof value === 'function' || typeof (value as Partial<RedisClient>).duplicate === 'function';
/** The error of wrong ones begins with the function that was called. */
export const readAuth = (
  of: 'createOffice' | 'admit' | 'reload',
  auth: OfficeAuth | undefined,
  warn: Warn,
): Authenticate | undefined => {
  try {
    return auth === undefined ? undefined : authenticateBy(auth, warn);
  } catch (error) {
    throw new A2cError({
      code: wireCodes.badRequest,
      message: `${of}: ${error instanceof Error ? error.message : String(error)}`,
      details: { option: 'auth' },
      remedy:
        "A token: crypto.randomBytes(24).toString('base64url'). Files and signed tokens: docs/office.md.",
    });
  }
};
const readTls = (tls: NonNullable<OfficeOptions['tls']>): OfficeTls =>
  typeof tls === 'function' ? tls() : tls;
export function readSettings({ limits = {}, trustProxy = 0, tls }: OfficeOptions): OfficeSettings {
  if (!Number.isInteger(trustProxy) || trustProxy < 0 || trustProxy > 10)
    throw badRequest(
      'trustProxy is a whole number from 0 to 10',
      'It is how many proxies stand before the office.',
    );
  try {
    if (tls) checkTls(readTls(tls));
  } catch (error) {
    throw badRequest(
      `tls: ${error instanceof Error ? error.message : String(error)}`,
      'docs/operate.md has an example with its files.',
    );
  }
  return { limits: limitsWith(limits), proxies: trustProxy, ...(tls && { tls: readTls(tls) }) };
}

/** Called before the office is opened. */
export async function measure(
  { metrics }: OfficeOptions,
  access: OfficePart,
  isReady: () => boolean,
  orders: Omit<Operator, 'token'>,
): Promise<MetricsServer | undefined> {
  if (!metrics) return undefined;
  const { port, host = '127.0.0.1', token } = metrics;
  if (token?.trim() === '')
    throw badRequest(
      'metrics.token is no blank text',
      "Such as crypto.randomBytes(24).toString('base64url').",
    );
  const operator = token === undefined ? undefined : { token, ...orders };
  try {
    const stats = () => access.stats();
    const incidents = () => access.incidents();
    const server = await openMetrics({ port, host }, { stats, incidents, isReady, operator });
    access.meter = server.meter;
    return server;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof PackageMissing) throw badRequest(message);
    const remedy = 'Metrics have a port of their own: port 0 takes any free one.';
    throw new A2cError({ code: wireCodes.conflict, message, remedy });
  }
}
