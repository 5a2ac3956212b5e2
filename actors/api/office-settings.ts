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
/** Throws an `A2cError` for wrong options or an unreachable Redis. */
export async function joinNodes(
  { redis }: OfficeOptions,
  notice: Warn,
): Promise<Pick<OfficeSettings, 'register' | 'leaseMs'>> {
  if (redis === undefined) return {};
  const { url = '', client, leaseMs = 10_000, prefix, replicas = 0 } = redisOf(redis);
  const { A2cRedisError, redisRegister } = await extra('nodes');
  try {
    return {
      register: await redisRegister({ place: client ?? url, prefix, leaseMs, replicas, notice }),
      leaseMs,
    };
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
export const isRedisClient = (value: unknown): value is RedisClient | (() => RedisClient) =>
  typeof value === 'function' || typeof (value as Partial<RedisClient> | null)?.duplicate === 'function';
/** A URL, the path of a unix socket, or a client stands for the options. */
export const redisOf = (redis: NonNullable<OfficeOptions['redis']>): OfficeRedis =>
  typeof redis === 'string' ? { url: redis } : isRedisClient(redis) ? { client: redis } : redis;
/** The message of the error names the option. */
const wrong = (of: string, option: string, error: unknown, remedy: string): A2cError =>
  new A2cError({
    code: wireCodes.badRequest,
    message: `${of}: ${error instanceof Error ? error.message : String(error)}`,
    details: { option },
    remedy,
  });
/** The error of wrong ones begins with the function that was called. */
export const readAuth = (
  of: 'createOffice' | 'admit' | 'reload',
  auth: OfficeAuth | undefined,
  warn: Warn,
): Authenticate | undefined => {
  try {
    return auth === undefined ? undefined : authenticateBy(auth, warn);
  } catch (error) {
    throw wrong(
      of,
      'auth',
      error,
      "A token: crypto.randomBytes(24).toString('base64url'). Files and signed tokens: docs/office.md.",
    );
  }
};
const readTls = (tls: NonNullable<OfficeOptions['tls']>): OfficeTls =>
  typeof tls === 'function' ? tls() : tls;
export function readSettings(
  { limits = {}, trustProxy = 0, tls }: OfficeOptions,
  of: 'createOffice' | 'reload' = 'createOffice',
): OfficeSettings {
  try {
    if (tls) checkTls(readTls(tls));
  } catch (error) {
    throw wrong(`${of}: tls`, 'tls', error, 'docs/operate.md has an example with its files.');
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
