export const profiles = ['inputs', 'steps', 'full'] as const;
/**
 * How much a trace holds: `inputs` is enough to replay, `steps` adds what the machines did, `full` adds what they
 * remembered.
 */
export type Profile = (typeof profiles)[number];
