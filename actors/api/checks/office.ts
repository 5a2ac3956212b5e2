import {
  isRate,
  limitNames,
  officeLimits,
  type GivenLimits,
  type Rate,
} from '../../../machines/office/rooms/limits.ts';
import * as is from '../../kernel/options.ts';
import type { OfficeOptions, OfficeRedis } from '../office-handle.ts';
import { isRedisClient, redisOf } from '../office-settings.ts';
import { host, methods } from './host.ts';

const rateOf = is.needing(
  ['perSecond', 'burst'],
  is.options<Rate>({ perSecond: is.positive, burst: is.fromOne }),
);
const limitOrRate: is.Check = (value, at) =>
  typeof value === 'object' ? rateOf(value, at) : is.noLimit(value, at);

const limits = is.options<GivenLimits>(
  Object.fromEntries(
    limitNames.map((each) => [each, isRate(officeLimits[each]) ? limitOrRate : is.count]),
  ) as is.Checks<GivenLimits>,
  'docs/office.md has the limits and their defaults.',
);

const redisOptions = is.options<OfficeRedis>({
  url: is.check(
    'a redis:// or rediss:// URL, or the path of a unix socket',
    (value) =>
      typeof value === 'string' &&
      (/^\/[^/]/.test(value) || (URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol))),
    'Such as redis://127.0.0.1:6379 or /run/redis.sock. With Sentinel, give a client of ioredis: docs/scale.md.',
    // Hides a password in it.
    () => 'something else',
  ),
  client: is.check(
    'a client of ioredis or a function that makes one',
    isRedisClient,
    'Such as new Redis({ sentinels, name }) or new Cluster(nodes).',
  ),
  prefix: is.text,
  leaseMs: is.within(1_000, 86_400_000, 'Its default is 10000.'),
  replicas: is.within(0, 100, 'docs/scale.md says how many are needed.'),
});
const redis: is.Check = (value, at) => {
  const given = redisOf(value as NonNullable<OfficeOptions['redis']>);
  const fault = redisOptions(given, at);
  if (fault || (given.url === undefined) !== (given.client === undefined)) return fault;
  return { at, message: 'needs either a url or a client', remedy: "Such as 'redis://127.0.0.1:6379'." };
};

const token = is.check(
  'a text that is not blank',
  (value) => typeof value === 'string' && value.trim() !== '',
  "Such as crypto.randomBytes(24).toString('base64url').",
  () => 'something else',
);

// Leaves `auth` and `tls` out, because they are checked where they are read, with their own remedies.
export const officeOptions = is.options<OfficeOptions>({
  ...host,
  host: is.name,
  port: is.port,
  auth: is.anything,
  requireVersion: is.flag,
  limits,
  trustProxy: is.within(0, 10, 'It is how many proxies stand before the office.'),
  tls: is.anything,
  metrics: is.needing(
    ['port'],
    is.options<NonNullable<OfficeOptions['metrics']>>({ port: is.port, host: is.name, token }),
  ),
  redis,
});

/** Without `admit`, whose arguments are checked where they are read. */
export const officeMethods: is.MethodArguments = {
  ...methods,
  disconnect: [
    ['id', is.text],
    ['why', is.optional(is.text)],
  ],
};
