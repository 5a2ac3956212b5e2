import type { IncomingHttpHeaders } from 'node:http';
import type { RpcError } from '../messages/envelope.ts';

/** Id of the ping that asks whether a server still knows a session; its answer is never passed on. */
export const check = 'is-session-known';

/** The last is what Python servers say to a request before `initialize`; they say the same of wrong parameters of a call. */
const ofSession = /session|initiali[sz]|^invalid request parameters$/i;
const passing: readonly number[] = [408, 429, 502, 503, 504];

/** `ask`: the message may mean another kind of session, such as that of a browser tool, so a ping decides. */
export function isForgotten(
  status: number,
  headers: IncomingHttpHeaders,
  body: string,
): 'yes' | 'ask' | 'no' {
  if (status === 404) return 'yes';
  if (status < 400 || passing.includes(status)) return 'no';
  return headers['www-authenticate'] === undefined && ofSession.test(body) ? 'ask' : 'no';
}
export const maySpeakOfSession = ({ message, data }: RpcError): boolean =>
  ofSession.test(message) || (typeof data === 'string' && ofSession.test(data));
