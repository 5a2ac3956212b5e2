import { createLanes } from '../../../adapters/index.ts';
import { scriptedLanes } from '../../stage/scripted/lanes.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import { lanesContract } from './lanes.contract.ts';
import { registered } from '../registered.ts';

/** Nothing of it waits for time: what is to come a moment later comes before the next turn of the loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

registered(
  'lanes over p-queue',
  lanesContract(() => ({ create: createLanes, settled: turn })),
);
registered(
  'scripted lanes',
  lanesContract(() => {
    const clock = new VirtualClock();
    return {
      create: (limits) => scriptedLanes(clock, limits),
      settled: () => Promise.resolve(clock.advance(0)),
    };
  }),
);
