import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { entryTexts, tokenIn, type Entrant, type Entry } from '../../machines/office/rooms/entry.ts';

/** Says who may enter. What it throws, or does not say within 10 s, refuses. */
export type Authenticate = (entrant: Entrant) => Entry | Promise<Entry>;
/** One token, several of which each lets in (so that they can be changed one peer after the other), or a function. */
export type OfficeAuth = string | readonly string[] | Authenticate;

/** A person may be behind it, or a slow directory service; but a socket that waits costs memory. */
const checkMs = 10_000;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Takes as long whichever token is right, and however much of it. */
function byTokens(tokens: readonly string[]): Authenticate {
  const known = tokens.map(digest);
  return ({ token }) => {
    if (token === null) return { reason: entryTexts.missing };
    const shown = digest(token);
    return known.reduce((found, one) => timingSafeEqual(one, shown) || found, false)
      ? true
      : { reason: entryTexts.unknown };
  };
}
/** Throws a `TypeError` for tokens that anybody could guess: none, or an empty one. */
export function authenticateBy(auth: OfficeAuth): Authenticate {
  if (typeof auth === 'function') return auth;
  const tokens: readonly unknown[] = Array.isArray(auth) ? auth : [auth];
  if (tokens.length === 0 || !tokens.every((token) => typeof token === 'string' && token.trim() !== ''))
    throw new TypeError('auth of an office is a token, a list of at least one, or a function');
  return byTokens(tokens as string[]);
}

export const entrantOf = (handshake: {
  readonly auth: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}): Entrant => {
  const { headers, address } = handshake;
  const given = handshake.auth;
  const auth =
    typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  return { auth, headers, address, token: tokenIn({ auth, headers }) };
};

interface Refused {
  readonly reason: string;
}
/** Whatever the function does, there is an answer, and a text to tell. */
export async function entryOf(authenticate: Authenticate, entrant: Entrant): Promise<true | Refused> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Refused>((resolve) => {
    timer = setTimeout(() => resolve({ reason: entryTexts.failed }), checkMs);
  });
  try {
    const said = await Promise.race([Promise.resolve(entrant).then(authenticate), late]);
    if (said === true) return true;
    // A function of a host may give anything.
    const { reason } = (said || {}) as Partial<Refused>;
    return { reason: typeof reason === 'string' && reason !== '' ? reason : entryTexts.refused };
  } catch {
    return { reason: entryTexts.failed };
  } finally {
    clearTimeout(timer);
  }
}
