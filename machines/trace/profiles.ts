export const profiles = ['boundary', 'steps', 'full'] as const;
/**
 * Amount of detail in a trace. `boundary`: everything that crosses between a host and its world, which is all
 * that a replay compares. `steps` adds the transitions of the machines in between as an explanation, `full`
 * also their contexts.
 */
export type Profile = (typeof profiles)[number];
