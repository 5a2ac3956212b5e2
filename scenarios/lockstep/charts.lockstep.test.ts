import { expect, it } from 'vitest';
import { differenceAt, eventsAt, spacesInLockstep } from './driving.ts';

const most = 5;
it('the charts step as XState does from every state that the samples reach, with every event', () => {
  const differences = new Set<string>();
  for (const space of spacesInLockstep())
    for (const { snapshot } of space.stops)
      for (const event of eventsAt(space, snapshot)) {
        const difference = differenceAt(snapshot, event);
        if (difference !== undefined && differences.size < most) differences.add(difference);
      }
  expect([...differences]).toEqual([]);
});
