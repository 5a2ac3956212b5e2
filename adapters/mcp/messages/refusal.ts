import {
  type RpcError,
  notesOf,
  errorOf,
  hasError,
  hasResult,
  tooLargeOf,
  type Envelope,
} from './envelope.ts';
import { latestSessionRevision, Refused, sessionRevisions } from '../transport.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import { type Failure, rpcErrorDetails, wireCodes } from '../../../machines/protocol/failure.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

/** Tells whether a text may be a protocol version; other text of a server is not repeated in messages. */
const isVersion = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,40}$/.test(text);
const mostShown = 20;

/** Final, because another try would fail in the same way. */
const refusedVersion = (message: string, details: Readonly<Record<string, unknown>>): Failure => ({
  code: 'NotStartable',
  message,
  details: { asked: latestSessionRevision, speaks: sessionRevisions, ...details },
  remedy: `Take a version of the server that speaks one of ${sessionRevisions.join(', ')}`,
});
const mostRead = 2_000;
const dated = /^20\d\d-\d\d-\d\d$/;
const announcing = /\b(?:support(?:s|ed)?|expect(?:s|ed)?|requires?|use|one of|accept(?:s|ed)?)\b/i;

/** In its data (`supported`, `expected` …), or else after a word such as "supported" in its message. */
export function versionsIn({ message, data }: Pick<RpcError, 'message' | 'data'>): readonly string[] {
  const members = Object.entries(fieldsOf(data)).filter(([name]) => !/request|receiv|client|got/i.test(name));
  const listed = members.flatMap(([name, value]) =>
    [value].flat().filter((text) => isVersion(text) && (name === 'supported' || dated.test(text))),
  );
  const read = message.slice(0, mostRead);
  const at = read.search(announcing);
  const words =
    at < 0
      ? []
      : read
          .slice(at)
          .split(/[^\d-]+/)
          .filter((text) => dated.test(text));
  return [...new Set(listed.length > 0 ? (listed as string[]) : words)].slice(0, mostShown);
}
/** Returns the newest version that a failed `initialize` names and we speak, other than the one that was asked for. */
export function spokenIn({ details }: Failure): string | undefined {
  const supported = details?.['supported'];
  if (!Array.isArray(supported)) return undefined;
  return sessionRevisions.find((version) => version !== latestSessionRevision && supported.includes(version));
}

/** MCP servers refuse the requested version by naming others; undefined for any other error. */
export function versionRefusal(error: Pick<RpcError, 'message' | 'data'>): Failure | undefined {
  const { message } = error;
  const supported = versionsIn(error);
  if (supported.length === 0) return undefined;
  const isOurs = supported.some((version) => sessionRevisions.includes(version));
  const refused = refusedVersion(
    `we asked for protocol version ${latestSessionRevision}, and the server supports ${supported.join(', ')}: ${message.slice(0, 200)}`,
    { supported },
  );
  const remedy = 'Update the server: it refuses a version that it names itself';
  return isOurs ? { ...refused, remedy } : refused;
}

export function foreignVersion(version: unknown): Failure {
  const theirs = isVersion(version) ? version : 'what is no version';
  return refusedVersion(
    `we asked for protocol version ${latestSessionRevision}, and the server wants to speak ${theirs}, which we do not`,
    isVersion(version) ? { supported: [version] } : {},
  );
}

type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

export const unsentRequest = (id: string, failure: Failure): Refusal => ({
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

export const lostRequest = (id: string, reason: string): Refusal => ({
  type: 'ask.refused',
  id,
  failure: { code: 'ServerLost', message: `${reason} before it answered` },
  sent: true,
  lost: true,
});

/** Its session lives on, or reports its own end. */
export function refusedOnTheWay(id: string, error: unknown): Refusal {
  if (!(error instanceof Refused)) return unsentRequest(id, notConnected);
  const { failure, sent, isLost } = error;
  return { type: 'ask.refused', id, failure, sent, ...(isLost && { lost: true, alone: true }) };
}

export const unusableAnswer = (id: string, message: string): Refusal => ({
  type: 'ask.refused',
  id,
  failure: { code: wireCodes.internal, message },
  sent: true,
});
export const unusableCall = (id: string, message: string): Refusal => unread(unusableAnswer(id, message));

export function factOf(id: string, answer: Envelope, method: string): RequestFact {
  const isCall = method === 'tools/call';
  // Counts any result of a tool call as a result. An answer with neither result nor error leaves the outcome of the call unknown.
  const error = isCall && hasResult(answer) ? undefined : errorOf(answer);
  if (!error) return { type: 'ask.answered', id, result: answer.result, ...(isCall && notesOf(answer)) };
  const refused: Refusal = { type: 'ask.refused', id, failure: failureOf(error, method), sent: true };
  return isCall && (tooLargeOf(error) || !hasError(answer)) ? unread(refused) : refused;
}
/** Marks a refused tool call as one with an unknown outcome: it ran, and its answer cannot be read. */
const unread = (refused: Refusal): Refusal => ({ ...refused, lost: true, alone: true });

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function failureOf(error: RpcError, what: string): Failure {
  const tooLarge = tooLargeOf(error);
  if (!tooLarge)
    return { code: wireCodes.toolFailed, message: error.message, details: rpcErrorDetails(error) };
  const found =
    'limit_levels' in tooLarge
      ? `is nested too deep, the limit is ${tooLarge.limit_levels} levels`
      : `has ${mebibytes(tooLarge.bytes)}, the limit is ${mebibytes(tooLarge.limit)}`;
  return {
    code: wireCodes.tooLarge,
    message: `the answer to ${what} ${found}`,
    details: tooLarge,
    remedy: 'ask for less at once: a part, a page, or a link instead of the content',
  };
}

export function handshakeFailure(error: unknown, lostBecause: string | undefined): Failure {
  if (error instanceof Refused) return error.failure;
  if (lostBecause) return { code: 'ServerLost', message: `${lostBecause} before the handshake was done` };
  const sentence = error instanceof Error ? error.message : 'the connection ended';
  return { code: wireCodes.internal, message: `the handshake failed: ${sentence}` };
}
export const handshakeRefusal = (error: RpcError): Failure =>
  versionRefusal(error) ?? {
    code: wireCodes.toolFailed,
    message: `the server refused: ${error.message}`,
    details: { code: error.code },
  };

export const notStartable = (message: string, remedy: string): Failure => ({
  code: 'NotStartable',
  message,
  remedy,
});
