import { Refusal, type Fetch } from '../guarded-fetch.ts';
import { objectIn, placeOf, read, shapes, type Noted } from './reader.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

const word = /^[\w.-]{1,60}$/;
/** Errors of a token endpoint after which another try may help: with another client, or without the old tokens. */
const mendable: readonly (string | undefined)[] = ['invalid_client', 'unauthorized_client', 'invalid_grant'];

/** Tells that a token endpoint does not take the client or the grant. */
export class TokenRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the answers to registrations and requests for tokens, in whatever form they come. Metadata are not asked for again: they were
 * found before.
 */
export function reading(fetch: Fetch, noted: Noted | undefined): Fetch {
  return async (to, init = {}) => {
    if (init.method !== 'POST') return new Response(null, { status: 404 });
    const answer = await fetch(to, init);
    // Followed within one origin, by the SDK and by `withinOrigin`.
    if (answer.status >= 300 && answer.status < 400) return answer;
    const body = await answer.text();
    const said = objectIn(body, answer.headers.get('content-type'));
    const isToken = init.body instanceof URLSearchParams;
    const shape = isToken ? shapes.token : shapes.registration;
    const place = placeOf(shape, to);
    const code = said && codeIn(said);
    const isGiven = Object.keys(shape.needed).some((name) => typeof said?.[name] === 'string');
    if (!answer.ok || (code !== undefined && !isGiven)) {
      const error = isToken && isOfClient(answer.status, code, body) ? 'invalid_client' : code;
      const why = code ?? `HTTP ${answer.status}`;
      const words = `${place}: ${why}${code !== undefined && !answer.ok ? ` (HTTP ${answer.status})` : ''}`;
      if (isToken && error !== undefined && mendable.includes(error)) throw new TokenRefused(error, words);
      throw new Refusal(words, !isToken && answer.status < 500 ? 'clientId' : undefined);
    }
    if (!said) throw new Refusal(`${place}: it is no JSON object`);
    const found = read(shape, to, said, noted);
    return Response.json(isToken ? { token_type: 'Bearer', ...found } : registered(found, init.body));
  };
}
function codeIn({ error }: Fields): string | undefined {
  if (error === undefined || error === null || error === '' || error === false) return undefined;
  return typeof error === 'string' && word.test(error) ? error : 'an error without a code';
}
/** The authorization server does not know, or no longer takes, the client that we are. */
function isOfClient(status: number, code: string | undefined, body: string): boolean {
  if (code === 'unauthorized_client' || code === 'invalid_grant') return false;
  if (code !== undefined && /client/i.test(code)) return true;
  const isUnnamed = code === undefined || code.includes(' ');
  return isUnnamed && status >= 400 && status < 500 && (status === 401 || /\bclient/i.test(body));
}
/** Completes what the SDK wants to read and nobody uses. Without a secret no method with one is possible. */
function registered(found: Fields, asked: RequestInit['body']): Fields {
  const { token_endpoint_auth_method: method, ...rest } = found;
  const isPossible = method === 'none' || found['client_secret'] !== undefined;
  const { redirect_uris } = JSON.parse(typeof asked === 'string' ? asked : '{}') as Fields;
  return {
    redirect_uris,
    ...rest,
    ...(isPossible && method !== undefined && { token_endpoint_auth_method: method }),
  };
}
