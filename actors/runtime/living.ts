import { liveOnClock } from '../../adapters/index.ts';
import type { Root } from './root.ts';

/** Counts a host that lives on the clock, by the kinds of its roots, until the returned function is called. */
export const liveOn = (roots: () => Iterable<Root>): (() => void) =>
  liveOnClock(() => {
    const own = [...roots()].filter(({ owner }) => !owner);
    return own.map(({ name }) => name).join(' and ') || 'a host';
  });
