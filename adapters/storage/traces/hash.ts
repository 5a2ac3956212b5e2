import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../../../machines/trace/index.ts';

/** Hex digits of a keyed hash: enough that two secrets of one trace do not fall together. */
const shown = 16;

export const sha256Of = (texts: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('hex');
};
export const sha256OfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** The same, fed line by line. */
export function createDigest(): { add(text: string): void; value(): string } {
  const hash = createHash('sha256');
  return { add: (text) => void hash.update(text).update('\n'), value: () => hash.copy().digest('hex') };
}

export interface RedactionKey {
  readonly hash: KeyedHash;
  /** Tells whether two traces were redacted with the same key, and nothing else. */
  readonly keyId: string;
}
/** Without a key a new one is made, which is never written down: equality holds within one run of the host. */
export function createRedactionKey(given?: string): RedactionKey {
  // An empty one is what an unset variable leaves: everybody has that key.
  const key = given === undefined || given === '' ? randomBytes(32) : Buffer.from(given);
  const hash: KeyedHash = (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, shown);
  return { hash, keyId: hash('a2c-trace key') };
}
