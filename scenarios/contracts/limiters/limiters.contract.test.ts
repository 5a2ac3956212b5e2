import { createCallLimiters } from '../../../adapters/call-limiters.ts';
import { scriptedLimiters } from '../../stage/scripted/limiters.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import { limitersContract } from './limiters.contract.ts';
import { registered } from '../registered.ts';

/** Nothing of it waits for time: what is to come a moment later comes before the next turn of the loop. */
const entrant = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

registered(
  'limiters over p-queue',
  limitersContract(() => ({ create: createCallLimiters, settled: entrant })),
);
registered(
  'scripted limiters',
  limitersContract(() => {
    const clock = new VirtualClock();
    return {
      create: (limits) => scriptedLimiters(clock, limits),
      settled: () => Promise.resolve(clock.advance(0)),
    };
  }),
);
