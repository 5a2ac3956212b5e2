export const profiles = ['boundary', 'steps', 'full'] as const;
/**
 * How much a trace holds. `boundary`: what crosses between a host and its world, which is all that a replay compares. `steps`
 * adds what the machines did in between, as an explanation, `full` what they remembered.
 */
export type Profile = (typeof profiles)[number];
