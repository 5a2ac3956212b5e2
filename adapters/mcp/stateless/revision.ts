import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { versionsIn } from '../messages/refusal.ts';
import { fieldsOf, type Fields, isObject } from '../../../machines/protocol/json.ts';

/** Differences between MCP 2026-07-28 and older revisions, as pure functions. */

/** MCP revision without sessions: each request names its client and the capabilities of that client. */
export const statelessRevision = '2026-07-28';
const prefix = 'io.modelcontextprotocol/';
export const keys = {
  version: `${prefix}protocolVersion`,
  client: `${prefix}clientInfo`,
  capabilities: `${prefix}clientCapabilities`,
  server: `${prefix}serverInfo`,
} as const;
/** Headers that do not match the body, a missing capability, an unsupported revision. */
const ofRevision = new Set([-32_020, -32_021, -32_022]);
const noSuchMethod = -32_601;
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

export function mayBeStateless({ result, error }: Answer): boolean {
  if (!error) return result?.['protocolVersion'] === statelessRevision;
  const named = versionsIn(error);
  if (named.length > 0) return named.includes(statelessRevision);
  return error.code === noSuchMethod || isOfRevision(error.code);
}
export function initializedBy({ result }: Answer, version: string): Fields | undefined {
  const versions = result?.['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(statelessRevision)) return undefined;
  // Passes the values on unchecked, because the reader of `initialize` results handles wrong shapes.
  return {
    protocolVersion: version,
    capabilities: result?.['capabilities'],
    serverInfo: fieldsOf(result?.['_meta'])[keys.server] ?? result?.['serverInfo'],
    instructions: result?.['instructions'],
  };
}

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

/** HTTP headers that repeat parts of a request of MCP 2026-07-28, so that gateways need not read its body (SEP-2243). */

function encoded(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
const nameKeys: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

interface HeaderParam {
  readonly path: readonly string[];
  readonly name: string;
}
export function headersOf(
  { method, params }: { readonly method: string; readonly params?: unknown },
  version: string,
  wanted: readonly HeaderParam[] = [],
): Record<string, string> {
  const fields = isObject(params) ? params : {};
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method };
  const name = fields[nameKeys[method] ?? ''];
  if (typeof name === 'string') headers['mcp-name'] = encoded(name);
  for (const { path, name: header } of wanted) {
    let value: unknown = fields['arguments'];
    for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const isWritten = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
    if (isWritten) headers[`mcp-param-${header}`] = encoded(String(value));
  }
  return headers;
}

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const deepest = 64;
type Marked = readonly [fields: Fields, path: readonly string[] | undefined];
/** `path` is undefined below anything but `properties`. Searches examples and defaults as well, which does no harm. */
function* markedIn(node: unknown, path: readonly string[] | undefined, depth = 0): Generator<Marked> {
  if (depth > deepest || typeof node !== 'object' || node === null) return;
  if (Object.hasOwn(node, mark)) yield [node as Fields, path];
  for (const [key, each] of Object.entries(node)) {
    if (key !== 'properties' || !isObject(each)) yield* markedIn(each, undefined, depth + 1);
    else
      for (const [name, inner] of Object.entries(each))
        yield* markedIn(inner, path && [...path, name], depth + 1);
  }
}
/** A tool with a `problem` must not be used. Only arguments reached by `properties` alone may be marked. */
export function headerParams(schema: unknown): readonly HeaderParam[] | { readonly problem: string } {
  const found: HeaderParam[] = [];
  const names = new Set<string>();
  for (const [fields, path] of markedIn(schema, [])) {
    const name = fields[mark];
    if (path === undefined || path.length === 0)
      return { problem: `${mark} stands where it is not reached by properties alone` };
    if (typeof name !== 'string' || !token.test(name)) return { problem: `${mark} is no name of a header` };
    if (!['string', 'integer', 'boolean'].includes(String(fields['type'])))
      return { problem: `${mark} of what is no string, integer or boolean` };
    if (names.has(name.toLowerCase())) return { problem: `${mark} ${name} stands there twice` };
    names.add(name.toLowerCase());
    found.push({ path, name });
  }
  return found;
}

/** Gateways of the new revision want them on the first request; older servers ignore them. */
export const headersBefore = (request: Request): Record<string, string> =>
  request.method === 'initialize' ? headersOf(request, assumedRevision) : {};

export class ToolHeaders {
  readonly #params = new Map<string, readonly HeaderParam[]>();
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }
  for(request: Request): Record<string, string> {
    return headersOf(request, statelessRevision, this.#params.get(String(request.params?.['name'])));
  }
  /** Returns the result of a list without members of the new revision, and without tools whose headers no client can send. */
  read(method: string, { resultType: _, ...result }: Fields): Fields {
    if (method !== 'tools/list' || !Array.isArray(result['tools'])) return result;
    const tools = result['tools'].filter((tool: unknown) => {
      const { name, inputSchema } = fieldsOf(tool);
      const params = headerParams(inputSchema);
      if ('problem' in params) this.#note(`its tool ${JSON.stringify(name)} is left out: ${params.problem}`);
      else this.#params.set(String(name), params);
      return !('problem' in params);
    });
    return { ...result, tools };
  }
}
