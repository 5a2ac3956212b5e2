import type { RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import { readBody, saidIn, type Said } from './bodies.ts';
import type { SessionLost } from '../../machines/kernel/ports.ts';
import { Refused } from './transport.ts';
import { answeredId } from './lenient.ts';
import { isForgotten } from './http/forgotten.ts';
import { Unreached } from './http/http.ts';
import { brokenOff, expired, statusFailure, unreachable, type Phase } from './http/http-failures.ts';
import { versionRefusal } from './messages/refusal.ts';

/** So much of what a server says about a refusal is read. */
const refusalBytes = 64 * 1024;
/** Gateways that do not know whether the server behind them has worked on it; two are those of Cloudflare. */
const gateways: readonly number[] = [502, 504, 520, 524];
/** Servers answer with these, too; any other status means what HTTP says, whatever stands in the body. */
const answering: readonly number[] = [400, 409, 422, 500];
/** A server that does not speak streamable HTTP refuses the first POST with one of these. */
export const ofOtherTransport: readonly number[] = [400, 404, 405, 406, 415];

export interface RefusedRequest {
  readonly phase: Phase;
  /** The request that was refused; undefined for what has no answer. */
  readonly id: RequestId | undefined;
  /** It named a session of this server. */
  readonly hasSession: boolean;
  readonly redact: (text: string) => string;
  readonly url: URL;
}
/** What a status other than success means. */
export type Verdict =
  /** It is the JSON-RPC answer to the request after all. */
  | { readonly answer: object; readonly bytes: number }
  /**
   * `ends`: the session is over, and why. `unlessKnown`: what it is instead, and why the session is over, when the server does not answer a
   * ping either.
   */
  | { readonly refused: Refused; readonly ends?: SessionLost; readonly unlessKnown?: Over };
interface Over {
  readonly refused: Refused;
  readonly ends: SessionLost;
}

/**
 * The status comes first. 401 and 404 are said before a server works on anything, and are the end of the session: with a token that is
 * no longer good everything else would fail, too. What else speaks of a session may be the end of it. 403 may be about this
 * one request (a scope), and 429 and 5xx pass.
 */
export async function verdictOn(answer: IncomingMessage, at: RefusedRequest): Promise<Verdict> {
  const { statusCode: status = 0, headers } = answer;
  const said = saidIn(await readBody(answer, refusalBytes));
  const { envelope, error } = said;
  if (
    envelope &&
    error &&
    answeredId(envelope.id) === at.id &&
    at.id !== undefined &&
    mayAnswer(status, at.phase)
  )
    return { answer: envelope, bytes: said.bytes };
  const words = said.words === undefined ? undefined : at.redact(said.words);
  const forgotten = at.hasSession ? isForgotten(status, headers, said.text) : 'no';
  const over = overBy(status, words);
  if (forgotten === 'yes') return over;
  const failure = failureFor(status, answer, at, { ...said, words });
  if (forgotten === 'ask') return { refused: new Refused(failure, howOf(status)), unlessKnown: over };
  if (status === 401 && at.phase === 'session')
    return { refused: new Refused(failure, 'unsent'), ends: { reason: failure.message, wantsLogin: true } };
  return { refused: new Refused(failure, howOf(status)) };
}
function overBy(status: number, words: string | undefined): Over {
  const failure = expired(status, status === 404 ? undefined : words);
  const refused = new Refused(failure, status < 500 ? 'unsent' : 'answered');
  return { refused, ends: { reason: failure.message, isExpired: true } };
}
function howOf(status: number): 'unsent' | 'lost' | 'answered' {
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return 'unsent';
  return gateways.includes(status) ? 'lost' : 'answered';
}
/** At `initialize` a refusal may be about the transport. */
const mayAnswer = (status: number, phase: Phase): boolean =>
  answering.includes(status) && (phase === 'session' || !ofOtherTransport.includes(status));

function failureFor(
  status: number,
  { headers }: IncomingMessage,
  { phase, url }: RefusedRequest,
  { error, words }: Omit<Said, 'words'> & { readonly words: string | undefined },
) {
  const version = status === 400 && phase !== 'session' && error ? versionRefusal(error) : undefined;
  const failure = statusFailure(status, { phase, headers, url, said: words });
  if (version) return { ...version, details: { ...failure.details, ...version.details } };
  if (typeof error?.code !== 'number') return failure;
  return { ...failure, details: { ...failure.details, code: error.code } };
}

/** What became of a request whose exchange failed. */
export function refusedBy(error: unknown, phase: Phase): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof Unreached)) return new Refused(brokenOff('unknown cause', phase), 'lost');
  const { cause, isReached, isProxied } = error;
  if (isReached) return new Refused(brokenOff(cause, phase), 'lost');
  return new Refused(unreachable(cause, phase === 'session' ? 'session' : 'connect', isProxied), 'unsent');
}
