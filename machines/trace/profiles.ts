/** `inputs`: what the world did, enough to replay. `steps`: also what the machines did. `full`: and their memory. */
export const profiles = ['inputs', 'steps', 'full'] as const;
export type Profile = (typeof profiles)[number];
