import type { Capabilities } from '../kernel/ports.ts';

/** What a server has to declare so that its windows and documents are looked for (seed 001; a2c-wire §9 X1). */
export type Participation = 'subscribe' | 'resources';

/** `subscribe`, the default: that it tells of changes. `resources`: that it has any; then changes are seen by asking again. */
export const takesPart = (
  resources: Capabilities['resources'],
  participation: Participation = 'subscribe',
): boolean => resources !== null && (participation === 'resources' || resources.subscribe);
