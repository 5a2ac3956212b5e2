import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import type { Failure } from '../../machines/protocol/failure.ts';
import type { RpcError } from './messages/envelope.ts';

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
