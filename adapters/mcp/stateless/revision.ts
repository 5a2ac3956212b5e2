import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';

/** What MCP 2026-07-28 writes otherwise than the revisions before it. Pure. */

/** The revision without sessions: each request says who asks, and what it can answer. */
export const statelessRevision = '2026-07-28';
const prefix = 'io.modelcontextprotocol/';
export const keys = {
  version: `${prefix}protocolVersion`,
  client: `${prefix}clientInfo`,
  capabilities: `${prefix}clientCapabilities`,
  server: `${prefix}serverInfo`,
} as const;
/** How only a server of the revision refuses: headers that do not fit the body, a capability that is missing, no such revision. */
const ofRevision = new Set([-32_020, -32_021, -32_022]);
const noSuchMethod = -32_601;
/** A code that only a server of the revision refuses with. */
export const isOfRevision = (code: unknown): boolean => ofRevision.has(Number(code));
/** The version that a server assumes where no header names one: each that looks at the header takes it. */
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

/** Who asks, as `initialize` said it. */
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

/** Whether a server that answers `initialize` with this may speak the revision without it. */
export function mayBeStateless({ result, error }: Answer): boolean {
  if (!error) return result?.['protocolVersion'] === statelessRevision;
  const supported = fieldsOf(error.data)['supported'];
  if (Array.isArray(supported)) return supported.includes(statelessRevision);
  return error.code === noSuchMethod || isOfRevision(error.code);
}
/** The answer to `server/discover` in the words of one to `initialize`; undefined: it does not speak the revision. */
export function initializedBy({ result }: Answer, version: string): Fields | undefined {
  const versions = result?.['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(statelessRevision)) return undefined;
  // As they came: whoever reads an answer to `initialize` reads what no server should write.
  return {
    protocolVersion: version,
    capabilities: result?.['capabilities'],
    serverInfo: fieldsOf(result?.['_meta'])[keys.server] ?? result?.['serverInfo'],
    instructions: result?.['instructions'],
  };
}

/** What the server wants to know before it answers. */
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
/** What a subscription hears of, by what a server declares and who listens to which resources. */
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
