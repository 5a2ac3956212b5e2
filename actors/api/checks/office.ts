import {
  isRate,
  limitNames,
  officeLimits,
  type GivenLimits,
  type Rate,
} from '../../../machines/office/rooms/limits.ts';
import * as is from '../../kernel/options.ts';
import type { OfficeOptions } from '../office-handle.ts';
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

// Leaves `auth`, `redis`, `tls` and `trustProxy` out, because they are checked where they are read, with their own remedies.
export const officeOptions = is.options<OfficeOptions>({
  ...host,
  host: is.name,
  port: is.port,
  auth: is.anything,
  requireVersion: is.flag,
  limits,
  trustProxy: is.anything,
  tls: is.anything,
  metrics: is.needing(
    ['port'],
    is.options<NonNullable<OfficeOptions['metrics']>>({ port: is.port, host: is.name, token: is.text }),
  ),
  redis: is.anything,
});

/** Without `admit`, whose arguments are checked where they are read. */
export const officeMethods: is.MethodArguments = {
  ...methods,
  disconnect: [
    ['id', is.text],
    ['why', is.optional(is.text)],
  ],
};
