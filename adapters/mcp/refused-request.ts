import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { IncomingMessage } from 'node:http';
import { readBody } from './messages/bodies.ts';
import type { SessionLost } from '../../machines/kernel/ports.ts';
import { Refused } from './transport.ts';
import { errorOf, type Envelope } from './messages/envelope.ts';
import { Unreached } from './http/http.ts';
import { brokenOff, expired, statusFailure, unreachable, type Phase } from './http/http-failures.ts';

/** So much of what a server says about a refusal is read. */
const refusalBytes = 64 * 1024;
/** Gateways that do not know whether the server behind them has worked on it. */
const gateways: readonly number[] = [502, 504];

export interface RefusedRequest {
  readonly phase: Phase;
  /** The request that was refused; undefined for what has no answer. */
  readonly id: RequestId | undefined;
  /** It named a session of this server. */
  readonly hasSession: boolean;
  readonly redact: (text: string) => string;
}
/** What a status other than success means. */
export type Verdict =
  /** It is the JSON-RPC answer to the request after all. */
  | { readonly answer: object; readonly bytes: number }
  /** `ends`: the session is over, and why. */
  | { readonly refused: Refused; readonly ends?: SessionLost };

/**
 * 401 and 404 are said before a server works on anything, and are the end of the session: with a token that is no
 * longer good everything else would fail, too. 403 may be about this one
 * request (a scope), and 429 and 5xx pass.
 */
export async function verdictOn(answer: IncomingMessage, at: RefusedRequest): Promise<Verdict> {
  const { statusCode: status = 0, headers } = answer;
  const said = envelopeOf(await readBody(answer, refusalBytes));
  const error = said && errorOf(said.envelope);
  if (said && error && at.id !== undefined && said.envelope.id === at.id)
    return { answer: said.envelope, bytes: said.bytes };
  const isForgotten =
    at.hasSession &&
    // A server that routes by session, as the examples of the SDK do, answers 400 where it knows none.
    (status === 404 || (status === 400 && error !== undefined && /\bsession\b/i.test(error.message)));
  if (isForgotten) {
    const failure = expired(status);
    return { refused: new Refused(failure, 'unsent'), ends: { reason: failure.message, isExpired: true } };
  }
  const failure = statusFailure(status, {
    phase: at.phase,
    headers,
    said: error && at.redact(error.message),
  });
  if (status === 401 && at.phase === 'session')
    return { refused: new Refused(failure, 'unsent'), ends: { reason: failure.message, wantsLogin: true } };
  const isNever = status === 401 || status === 403 || (status >= 300 && status < 400);
  const how = isNever ? 'unsent' : gateways.includes(status) ? 'lost' : 'answered';
  return { refused: new Refused(failure, how) };
}

function envelopeOf(
  body: Awaited<ReturnType<typeof readBody>>,
): { envelope: Envelope; bytes: number } | undefined {
  if (!('text' in body)) return undefined;
  try {
    const value: unknown = JSON.parse(body.text);
    return typeof value === 'object' && value !== null ? { envelope: value, bytes: body.bytes } : undefined;
  } catch {
    return undefined;
  }
}

/** What became of a request whose exchange failed. */
export function refusedBy(error: unknown, phase: Phase): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof Unreached)) return new Refused(brokenOff('unknown cause', phase), 'lost');
  const { cause, isReached, isProxied } = error;
  if (isReached) return new Refused(brokenOff(cause, phase), 'lost');
  return new Refused(unreachable(cause, phase === 'session' ? 'session' : 'connect', isProxied), 'unsent');
}
