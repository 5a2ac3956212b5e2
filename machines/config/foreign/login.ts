import { nearest } from '../../text.ts';
import { oauthSchema } from '../oauth.ts';
import { isObject } from '../../protocol/json.ts';

/** A login as other clients write it, in our words. */
export interface ForeignLogin {
  /** Absent: nothing in it means something here. */
  readonly oauth?: Readonly<Record<string, unknown>>;
  /** Keys that mean nothing here, such as the port that another client listens on. */
  readonly unused: readonly string[];
}
const spellings: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  CLIENT_ID: 'clientId',
  client_secret: 'clientSecret',
  CLIENT_SECRET: 'clientSecret',
  scope: 'scopes',
};
const ours: readonly string[] = Object.keys(oauthSchema.shape);
/** A slip in one of our own keys stays, so that it is a mistake: without `issuer` a login may go elsewhere. */
const isOurs = (key: string): boolean => ours.includes(key) || nearest(key, ours).length > 0;

export function foreignLogin(value: unknown): ForeignLogin {
  if (!isObject(value)) return { unused: [] };
  const oauth: Record<string, unknown> = {};
  const unused: string[] = [];
  for (const [key, part] of Object.entries(value)) {
    const name = Object.hasOwn(spellings, key) ? String(spellings[key]) : key;
    if (part === '' || part === null || key === 'enabled') continue;
    if (!isOurs(name)) unused.push(key);
    else oauth[name] = name === 'scopes' && typeof part === 'string' ? part.split(/\s+/) : part;
  }
  return { ...(Object.keys(oauth).length > 0 && { oauth }), unused };
}
