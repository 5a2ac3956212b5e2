import type { GivenLimits } from '../../actors/index.ts';

const rate = { perSecond: 1_000_000, burst: 1_000_000 };
/** Every event is held against each limit, and none is refused: what is measured is what the limits cost. */
export const unmetLimits: GivenLimits = { eventsPerSocket: rate, eventsPerOffice: rate, events: rate };
