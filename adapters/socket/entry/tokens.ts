import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { entryTexts, grantFields, type Entry, type Grant } from '../../../machines/office/rooms/entry.ts';
import { changingFile } from './changing-file.ts';

/** Token, or its SHA-256 in hex, with the permissions of its holder; a permission that is left out is not restricted. */
export interface TokenGrant extends Omit<Grant, 'expiresAt' | 'subject'> {
  /** Token in plain text. */
  readonly token?: string | undefined;
  /** SHA-256 of the token in hex, so that a reader of the list cannot use it. */
  readonly sha256?: string | undefined;
  /** Time when the token expires, such as `2027-01-31T00:00:00Z`; a connected holder is disconnected then. */
  readonly expires?: string | undefined;
  /** Name of the holder, for logs. */
  readonly label?: string | undefined;
}
/** File with `{"tokens": […]}`, read again when it has changed. */
export interface TokensFile {
  /** Path of the file. */
  readonly tokensFile: string;
}
const token = z.string().refine((text) => text.trim() !== '', 'a token is no blank text');
export const tokenGrant = z
  .strictObject({
    token: token.optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'a SHA-256 has 64 hex digits')
      .optional(),
    ...grantFields,
    expires: z.iso.datetime({ offset: true }).optional(),
    label: z.string().max(200).optional(),
  })
  .refine((one) => (one.token === undefined) !== (one.sha256 === undefined), 'either token or sha256');
const file = z.strictObject({ tokens: z.array(z.union([token, tokenGrant])) });

interface Known {
  readonly digest: Buffer;
  readonly grant: Grant;
}
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const known = (given: string | TokenGrant): Known => {
  if (typeof given === 'string') return { digest: digestOf(given), grant: {} };
  const { token: text, sha256 = '', expires, label: subject, ...grant } = given;
  const digest = text === undefined ? Buffer.from(sha256, 'hex') : digestOf(text);
  return { digest, grant: { ...grant, subject, ...(expires && { expiresAt: Date.parse(expires) }) } };
};

/** Its duration does not show which token matches, or how much of it. */
export type Tokens = (token: string | null) => Entry;
const among = (all: readonly Known[], shown: string | null): Entry => {
  if (shown === null) return { reason: entryTexts.missing };
  const digest = digestOf(shown);
  const found = all.reduce<Known | undefined>(
    (last, one) => (timingSafeEqual(one.digest, digest) ? one : last),
    undefined,
  );
  return found ? { grant: found.grant } : { reason: entryTexts.unknown };
};
export function tokensOf(given: readonly (string | TokenGrant)[]): Tokens {
  const all = given.map(known);
  return (shown) => among(all, shown);
}

/** When a change cannot be read, the earlier tokens stay valid. */
export function tokensOfFile({ tokensFile: path }: TokensFile, warn: (text: string) => void): Tokens {
  const read = changingFile('tokens', path, (json): readonly Known[] => {
    const parsed = file.safeParse(json);
    if (parsed.success) return parsed.data.tokens.map(known);
    const [issue] = parsed.error.issues;
    throw new TypeError(`${issue?.path.join('.')}: ${issue?.message}`);
  });
  let all = read();
  let warned = '';
  return (shown) => {
    try {
      all = read();
      warned = '';
    } catch (error) {
      const text = `${(error as Error).message}; those that were read before are still in force`;
      if (text !== warned) warn((warned = text));
    }
    return among(all, shown);
  };
}
