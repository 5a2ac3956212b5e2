import { baselineFull, baselineRelay } from './baseline/chain.ts';
import type { Contender } from './chain.ts';

/** Who runs. Of each group the first is the yardstick; the others are shown as ratios to it. */
export const chains: readonly Contender[] = [
  { group: 'full chain', name: 'baseline', open: baselineFull },
  { group: 'relay alone', name: 'baseline', open: baselineRelay },
];
