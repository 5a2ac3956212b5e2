import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';

/** Differences between MCP 2026-07-28 and older revisions, as pure functions. */

/** MCP revision without sessions: each request names its client and the capabilities of that. */
export const statelessRevision = '2026-07-28';
const prefix = 'io.modelcontextprotocol/';
export const keys = {
  version: `${prefix}protocolVersion`,
  client: `${prefix}clientInfo`,
  capabilities: `${prefix}clientCapabilities`,
  server: `${prefix}serverInfo`,
} as const;
/**
 * Error codes that only servers of the stateless revision use: headers that do not match the body, a missing
 * capability, an unsupported revision.
 */
const ofRevision = new Set([-32_020, -32_021, -32_022]);
const noSuchMethod = -32_601;
/** Tells whether an error code is used only by servers of the stateless revision. */
export const isOfRevision = (code: unknown): boolean => ofRevision.has(Number(code));
/** Protocol version that servers assume when no header names one, so every server that reads the header accepts it. */
export const assumedRevision = '2025-03-26';

export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: string;
  readonly params?: Fields;
}
export interface Answer {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export const isRequest = (message: object): message is Request => 'method' in message && 'id' in message;
export const isAnswer = (message: object): message is Answer => !('method' in message) && 'id' in message;
export const asMessage = (message: object): JSONRPCMessage => message as JSONRPCMessage;

/** Returns the members of `_meta` that name the client and its capabilities, taken from the params of `initialize`. */
export function envelopeOf(initialize: Fields, version: string = statelessRevision): Fields {
  return {
    [keys.version]: version,
    [keys.client]: initialize['clientInfo'],
    [keys.capabilities]: initialize['capabilities'],
  };
}
export const enveloped = (params: Fields | undefined, envelope: Fields): Fields => ({
  ...params,
  _meta: { ...fieldsOf(params?.['_meta']), ...envelope },
});

/** Tells whether the answer to `initialize` shows that the server may speak the stateless revision. */
export function mayBeStateless({ result, error }: Answer): boolean {
  if (!error) return result?.['protocolVersion'] === statelessRevision;
  const supported = fieldsOf(error.data)['supported'];
  if (Array.isArray(supported)) return supported.includes(statelessRevision);
  return error.code === noSuchMethod || isOfRevision(error.code);
}
/**
 * Converts the answer to `server/discover` into the result of `initialize`; undefined when the server does not
 * speak the stateless revision.
 */
export function initializedBy({ result }: Answer, version: string): Fields | undefined {
  const versions = result?.['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(statelessRevision)) return undefined;
  // The values stay unchecked, because the reader of `initialize` results handles wrong shapes.
  return {
    protocolVersion: version,
    capabilities: result?.['capabilities'],
    serverInfo: fieldsOf(result?.['_meta'])[keys.server] ?? result?.['serverInfo'],
    instructions: result?.['instructions'],
  };
}

/** Questions that a server wants answered before it answers a request. */
export interface InputRequired {
  readonly requests: readonly (readonly [
    key: string,
    request: { readonly method: string; readonly params: Fields },
  ])[];
  readonly state: string | undefined;
}
export function inputRequiredBy({ result }: Answer): InputRequired | undefined {
  if (result?.['resultType'] !== 'input_required') return undefined;
  const state = result['requestState'];
  return {
    requests: Object.entries(fieldsOf(result['inputRequests'])).map(([key, request]) => {
      const { method, params } = fieldsOf(request);
      return [key, { method: typeof method === 'string' ? method : '', params: fieldsOf(params) }] as const;
    }),
    state: typeof state === 'string' ? state : undefined,
  };
}
/**
 * Returns the notifications to subscribe to, by the declared capabilities and the followed resources;
 * undefined when there are none.
 */
export function listenedTo(capabilities: Fields, resources: ReadonlySet<string>): Fields | undefined {
  const changes = (of: string): boolean => fieldsOf(capabilities[of])['listChanged'] === true;
  const wanted = {
    ...(changes('tools') && { toolsListChanged: true }),
    ...(changes('prompts') && { promptsListChanged: true }),
    ...(changes('resources') && { resourcesListChanged: true }),
    ...(resources.size > 0 && { resourceSubscriptions: [...resources] }),
  };
  return Object.keys(wanted).length > 0 ? wanted : undefined;
}
