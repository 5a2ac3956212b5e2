import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { entryTexts, grantFields, type Entry, type Grant } from '../../../machines/office/rooms/entry.ts';

/** A token, or its SHA-256 in hex, and what it lets its holder do: all that is left out. */
export interface TokenGrant extends Omit<Grant, 'expiresAt' | 'subject'> {
  /** The token. */
  readonly token?: string | undefined;
  /** Or its SHA-256 in hex, so that who reads the list cannot use it. */
  readonly sha256?: string | undefined;
  /** When it ends, such as `2027-01-31T00:00:00Z`. Who has entered with it is disconnected then. */
  readonly expires?: string | undefined;
  /** Whose it is, for logs. */
  readonly label?: string | undefined;
}
/** A file with `{"tokens": […]}`; it is read again when it has changed. */
export interface TokensFile {
  /** Its path. */
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

/** Says whose a token is. Takes as long whichever is right, and however much of it. */
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

/**
 * Those of a file. What it says is asked for at each connection, which costs one look at its times; a change that cannot be
 * read leaves the last that could. Throws when it cannot be read now.
 */
export function tokensOfFile({ tokensFile: path }: TokensFile, warn: (text: string) => void): Tokens {
  const stampOf = (): string => {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}:${size}:${ino}`;
  };
  const read = (): readonly Known[] => {
    const parsed = file.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (parsed.success) return parsed.data.tokens.map(known);
    const [issue] = parsed.error.issues;
    throw new TypeError(`${issue?.path.join('.')}: ${issue?.message}`);
  };
  const failed = (error: unknown): string =>
    `the tokens in ${path} cannot be read: ${
      // What JSON.parse says quotes the text, which has tokens in it.
      error instanceof SyntaxError ? 'it is no JSON' : error instanceof Error ? error.message : String(error)
    }`;
  let stamp: string | undefined;
  let all: readonly Known[] = [];
  const refresh = (): void => {
    const now = stampOf();
    if (now === stamp) return;
    stamp = now;
    all = read();
  };
  try {
    refresh();
  } catch (error) {
    throw new TypeError(failed(error), { cause: error });
  }
  let warned = '';
  return (shown) => {
    try {
      refresh();
      warned = '';
    } catch (error) {
      const text = `${failed(error)}; those that were read before are still in force`;
      if (text !== warned) warn((warned = text));
    }
    return among(all, shown);
  };
}
