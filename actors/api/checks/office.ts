import {
  isRate,
  limitNames,
  officeLimits,
  type GivenLimits,
  type Rate,
} from '../../../machines/office/rooms/limits.ts';
import {
  anything,
  count,
  flag,
  fromOne,
  name,
  needing,
  noLimit,
  optional,
  options,
  port,
  positive,
  text,
  type MethodArguments,
  type Check,
  type Checks,
} from '../../kernel/options.ts';
import type { OfficeOptions } from '../office-handle.ts';
import { host } from './host.ts';

const limitOrRate = (value: unknown, at: string): ReturnType<Check> =>
  typeof value === 'object' ? rateOf(value, at) : noLimit(value, at);

const rateOf = needing(['perSecond', 'burst'], options<Rate>({ perSecond: positive, burst: fromOne }));

const limits = options<GivenLimits>(
  Object.fromEntries(
    limitNames.map((each) => [each, isRate(officeLimits[each]) ? limitOrRate : count]),
  ) as Checks<GivenLimits>,
  'docs/office.md has the limits and their defaults.',
);

// Leaves `auth`, `redis`, `tls` and `trustProxy` out, because they are checked where they are read, with their own remedies.
export const officeOptions = options<OfficeOptions>({
  ...host,
  host: name,
  port,
  auth: anything,
  requireVersion: flag,
  limits,
  trustProxy: anything,
  tls: anything,
  metrics: needing(
    ['port'],
    options<NonNullable<OfficeOptions['metrics']>>({ port, host: name, token: text }),
  ),
  redis: anything,
});

/** Without `admit`, whose arguments are checked where they are read. */
export const officeArguments: MethodArguments = {
  disconnect: [
    ['id', text],
    ['why', optional(text)],
  ],
};
