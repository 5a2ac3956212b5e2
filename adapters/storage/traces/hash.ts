import { createHash, createHmac, hash as hashOf, randomBytes } from 'node:crypto';
import type { KeyedHash } from '../../../machines/trace/index.ts';

/** Hex digits of a keyed hash: enough that two secrets of one trace do not fall together. */
const shown = 16;

export const sha256Of = (texts: Iterable<string>): string => {
  // At once, where there is one: each step of a machine is hashed.
  if (Array.isArray(texts) && texts.length === 1) return hashOf('sha256', `${texts[0]}\n`);
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text).update('\n');
  return sum.digest('hex');
};
export const sha256OfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** Characters: a short text costs about as much to hash as a long one. */
const mostWaiting = 64 * 1024;
/** The same, fed line by line. */
export function createDigest(): { add(text: string): void; value(): string } {
  const sum = createHash('sha256');
  let waiting = '';
  const take = (): void => {
    sum.update(waiting);
    waiting = '';
  };
  return {
    add: (text) => {
      waiting += `${text}\n`;
      if (waiting.length > mostWaiting) take();
    },
    value: () => {
      take();
      return sum.copy().digest('hex');
    },
  };
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
