import type { RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import { readBody, refusalReasonIn, type RefusalReason } from './bodies.ts';
import type { SessionLost } from '../../machines/ports/session.ts';
import { NotSent, Refused } from './transport.ts';
import { answeredId } from './lenient.ts';
import { isForgotten } from './http/forgotten.ts';
import { Unreached } from './http/http.ts';
import {
  brokenOff,
  expired,
  failedOn,
  statusFailure,
  unreachable,
  type Phase,
} from './http/http-failures.ts';
import { versionRefusal } from './messages/refusal.ts';

/** Largest part in bytes of the body of a refusal that is read. */
const refusalBytes = 64 * 1024;
/** They leave open whether the server behind them worked on the request; 520 and 524 are of Cloudflare. */
const gateways: readonly number[] = [502, 504, 520, 524];
/** Servers also use these for JSON-RPC answers; with any other status the status alone counts. */
const answering: readonly number[] = [400, 409, 422, 500];
/** HTTP statuses with which a server that does not speak streamable HTTP refuses the first POST. */
export const ofOtherTransport: readonly number[] = [400, 404, 405, 406, 415];

export interface RefusedRequest {
  readonly phase: Phase;
  readonly id: RequestId | undefined;
  readonly hasSession: boolean;
  readonly redact: (text: string) => string;
  readonly url: URL;
}
/** Judgement on an HTTP answer whose status is not success. */
export type Verdict =
  /** JSON-RPC answer to the request, which the body holds in spite of the status. */
  | { readonly answer: object; readonly bytes: number }
  /**
   * Refusal of the request. `ends`: reason why the session is over, too. `unlessKnown`: refusal and end of the session that
   * apply instead when a ping shows that the server no longer knows the session.
   */
  | { readonly refused: Refused; readonly ends?: SessionLost; readonly unlessKnown?: Over };
interface Over {
  readonly refused: Refused;
  readonly ends: SessionLost;
}

/** 401 and 404 end the session: with an invalid token all requests would fail. 403 may concern only this one. */
export async function verdictOn(answer: IncomingMessage, at: RefusedRequest): Promise<Verdict> {
  const { statusCode: status = 0, headers } = answer;
  const said = refusalReasonIn(await readBody(answer, refusalBytes));
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
/** At `initialize` some of these statuses may instead refuse the transport. */
const mayAnswer = (status: number, phase: Phase): boolean =>
  answering.includes(status) && (phase === 'session' || !ofOtherTransport.includes(status));

function failureFor(
  status: number,
  { headers }: IncomingMessage,
  { phase, url }: RefusedRequest,
  { error, words }: Omit<RefusalReason, 'words'> & { readonly words: string | undefined },
) {
  const isOfVersion = status === 400 && phase !== 'session';
  const version = isOfVersion ? versionRefusal(error ?? { message: words ?? '' }) : undefined;
  const about = { phase, headers, url, said: words };
  const failure = statusFailure(status, about);
  if (version) return { ...version, details: { ...failure.details, ...version.details } };
  if (typeof error?.code !== 'number') return failure;
  return { ...failure, details: { ...failure.details, code: error.code } };
}

export function refusedBy(error: unknown, phase: Phase): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof Unreached))
    return new Refused(brokenOff(error instanceof NotSent ? error.message : failedOn(error), phase), 'lost');
  const { cause, isReached, isProxied } = error;
  if (isReached) return new Refused(brokenOff(cause, phase), 'lost');
  return new Refused(unreachable(cause, phase === 'session' ? 'session' : 'connect', isProxied), 'unsent');
}
