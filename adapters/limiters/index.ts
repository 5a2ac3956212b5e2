import {
  callLimiters,
  type CallLimiters,
  type CallLimitersOptions,
} from '../../machines/call/policy/index.ts';
import { QueueLimiter } from './queue-limiter.ts';

export { QueueLimiter } from './queue-limiter.ts';

/** The limiters of one computer, each over p-queue. */
export const createCallLimiters = (options: CallLimitersOptions): CallLimiters =>
  callLimiters(options, (concurrency) => new QueueLimiter(concurrency));
