import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import {
  type RpcError,
  notesOf,
  errorOf,
  hasError,
  hasResult,
  tooLargeOf,
  type Envelope,
} from './envelope.ts';
import { Refused } from '../transport.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import { type Failure, rpcErrorDetails, wireCodes } from '../../../machines/protocol/failure.ts';

/** Versions are short words; whatever else stands there is not repeated. */
const isVersion = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,40}$/.test(text);
const mostShown = 20;

/** Another try would fail in the same way: one of the two has to be another version. */
const refusedVersion = (message: string, details: Readonly<Record<string, unknown>>): Failure => ({
  code: 'NotStartable',
  message,
  details: { asked: LATEST_PROTOCOL_VERSION, speaks: SUPPORTED_PROTOCOL_VERSIONS, ...details },
  remedy: `Take a version of the server that speaks one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`,
});

/** MCP: an error whose `data.supported` lists versions says no to the one that was asked for. Undefined: it is another. */
export function versionRefusal({ message, data }: RpcError): Failure | undefined {
  const listed: unknown =
    typeof data === 'object' && data !== null && 'supported' in data ? data.supported : [];
  const supported = Array.isArray(listed) ? listed.filter(isVersion).slice(0, mostShown) : [];
  if (supported.length === 0) return undefined;
  return refusedVersion(
    `we asked for protocol version ${LATEST_PROTOCOL_VERSION}, and the server supports ${supported.join(', ')}: ${message.slice(0, 200)}`,
    { supported },
  );
}

/** The server wants to speak a version that we do not speak. */
export function foreignVersion(version: unknown): Failure {
  const theirs = isVersion(version) ? version : 'what is no version';
  return refusedVersion(
    `we asked for protocol version ${LATEST_PROTOCOL_VERSION}, and the server wants to speak ${theirs}, which we do not`,
    isVersion(version) ? { supported: [version] } : {},
  );
}

type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

/** It surely never reached the server. */
export const unsent = (id: string, failure: Failure): Refusal => ({
  type: 'ask.refused',
  id,
  failure,
  sent: false,
});
export const notConnected: Failure = {
  code: 'ServerNotActive',
  message: 'the server is not connected',
  remedy: 'start the server, then call again',
};
export const unwritable: Failure = {
  code: wireCodes.badRequest,
  message: 'the arguments cannot be written as JSON',
};

/** It went out, and nobody will answer. */
export const lost = (id: string, reason: string): Refusal => ({
  type: 'ask.refused',
  id,
  failure: { code: 'ServerLost', message: `${reason} before it answered` },
  sent: true,
  lost: true,
});

/** What became of it on its way: refused for a reason of its own, or never gone. Its session lives, or ends by itself. */
export function refusedOnTheWay(id: string, error: unknown): Refusal {
  if (!(error instanceof Refused)) return unsent(id, notConnected);
  const { failure, sent, isLost } = error;
  return { type: 'ask.refused', id, failure, sent, ...(isLost && { lost: true, alone: true }) };
}

/** It was answered, but the answer cannot be used. */
export const unusable = (id: string, message: string): Refusal => ({
  type: 'ask.refused',
  id,
  failure: { code: wireCodes.internal, message },
  sent: true,
});
/** The same of a call of a tool, which has run. */
export const unusableCall = (id: string, message: string): Refusal => unread(unusable(id, message));

/** The answer as a fact: the result exactly as received, or why there is none. */
export function factOf(id: string, answer: Envelope, method: string): RequestFact {
  const isCall = method === 'tools/call';
  // Whatever a tool has answered is a result. What has neither member is none, and nobody knows what came of the call.
  const error = isCall && hasResult(answer) ? undefined : errorOf(answer);
  if (!error) return { type: 'ask.answered', id, result: answer.result, ...(isCall && notesOf(answer)) };
  const refused: Refusal = { type: 'ask.refused', id, failure: failureOf(error, method), sent: true };
  return isCall && (tooLargeOf(error) || !hasError(answer)) ? unread(refused) : refused;
}
/** The tool ran, and what it answered cannot be read: whether it went well is unknown. */
const unread = (refused: Refusal): Refusal => ({ ...refused, lost: true, alone: true });

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function failureOf(error: RpcError, what: string): Failure {
  const tooLarge = tooLargeOf(error);
  if (!tooLarge)
    return { code: wireCodes.toolFailed, message: error.message, details: rpcErrorDetails(error) };
  const { bytes, limit } = tooLarge;
  return {
    code: wireCodes.tooLarge,
    message: `the answer to ${what} has ${mebibytes(bytes)}, the limit is ${mebibytes(limit)}`,
    details: { bytes, limit },
    remedy: 'ask for less at once: a part, a page, or a link instead of the content',
  };
}

/** Why a session never opened: the stream ended, or the request for it was refused on its way. */
export function handshakeFailure(error: unknown, lostBecause: string | undefined): Failure {
  if (error instanceof Refused) return error.failure;
  if (lostBecause) return { code: 'ServerLost', message: `${lostBecause} before the handshake was done` };
  const sentence = error instanceof Error ? error.message : 'the connection ended';
  return { code: wireCodes.internal, message: `the handshake failed: ${sentence}` };
}
/** The server answered `initialize` with an error. */
export const handshakeRefusal = (error: RpcError): Failure =>
  versionRefusal(error) ?? {
    code: wireCodes.toolFailed,
    message: `the server refused: ${error.message}`,
    details: { code: error.code },
  };
