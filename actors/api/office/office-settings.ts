import {
  authenticateBy,
  checkTls,
  openMetrics,
  redisRegister,
  type Authenticate,
  type MetricsServer,
  type OfficeAuth,
  type OfficeSettings,
} from '../../../adapters/index.ts';
import { readLimits } from '../../../machines/office/rooms/limits.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/index.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { A2cError } from '../errors.ts';
import type { OfficeOptions } from './office-handle.ts';

type Warn = (text: string) => void;
const leastLeaseMs = 1_000;
/** Joins the other nodes of the office, where there are some. What is wrong, or not reached, is an `A2cError`. */
export async function joinNodes(
  { redis }: OfficeOptions,
  notice: Warn,
): Promise<Pick<OfficeSettings, 'register' | 'leaseMs'>> {
  if (redis === undefined) return {};
  const { url, leaseMs = 10_000 } = typeof redis === 'string' ? { url: redis } : redis;
  const wrong = (code: Failure['code'], message: string, remedy: string): A2cError =>
    new A2cError({ code, message, remedy });
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw wrong(
      wireCodes.badRequest,
      'redis is no redis:// or rediss:// URL',
      'Such as redis://127.0.0.1:6379',
    );
  if (!Number.isInteger(leaseMs) || leaseMs < leastLeaseMs)
    throw wrong(
      wireCodes.badRequest,
      `leaseMs is a whole number from ${leastLeaseMs}`,
      'Its default is 10000.',
    );
  try {
    return { register: await redisRegister({ url, leaseMs, notice }), leaseMs };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw wrong(wireCodes.unavailable, message, 'Check the URL, and that Redis runs: redis-cli ping.');
  }
}
export const readAuth = (auth: OfficeAuth | undefined, warn: Warn): Authenticate | undefined => {
  try {
    return auth === undefined ? undefined : authenticateBy(auth, warn);
  } catch (error) {
    throw new A2cError({
      code: wireCodes.badRequest,
      message: error instanceof Error ? error.message : String(error),
      remedy:
        "A token: crypto.randomBytes(24).toString('base64url'). Files and signed tokens: docs/office.md.",
    });
  }
};
/** What an office takes; what is wrong with it is an `A2cError`. */
export function readSettings({ limits = {}, trustProxy = 0, tls }: OfficeOptions): OfficeSettings {
  const wrong = (message: string, remedy: string): A2cError =>
    new A2cError({ code: wireCodes.badRequest, message, remedy });
  const read = readLimits(limits);
  if ('problem' in read) throw wrong(read.problem, 'docs/office.md has the limits and their defaults.');
  if (!Number.isInteger(trustProxy) || trustProxy < 0 || trustProxy > 10)
    throw wrong(
      'trustProxy is a whole number from 0 to 10',
      'It is how many proxies stand before the office.',
    );
  try {
    if (tls) checkTls(tls);
  } catch (error) {
    throw wrong(
      `tls: ${error instanceof Error ? error.message : String(error)}`,
      'docs/operate.md has an example with its files.',
    );
  }
  return { limits: read, proxies: trustProxy, ...(tls && { tls }) };
}

/** Opens the port of its metrics, where it is wanted, and lets them hear of its events. Before the office is opened. */
export async function measure(
  { metrics }: OfficeOptions,
  runtime: Runtime,
  isReady: () => boolean,
): Promise<MetricsServer | undefined> {
  if (!metrics) return undefined;
  const { port, host = '127.0.0.1' } = metrics;
  try {
    const stats = () => runtime.access.stats();
    const server = await openMetrics({ port, host }, { stats, isReady });
    runtime.access.meter = server.meter;
    return server;
  } catch (error) {
    throw new A2cError({
      code: wireCodes.conflict,
      message: error instanceof Error ? error.message : String(error),
      remedy: 'Metrics have a port of their own: port 0 takes any free one.',
    });
  }
}
