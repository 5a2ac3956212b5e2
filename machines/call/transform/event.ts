import { isObject, type Fields } from '../../protocol/json.ts';

/** What is asked of the session `transform`, method `vrl`: the program of this server, over this result of a call. */
export interface TransformRequest {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** An MCP CallToolResult, as the server gave it. */
  readonly result: unknown;
}

/**
 * `meta` of a result and the rest of it. On the wire of MCP it is `_meta`, on ours `meta`, and who gives both means
 * both.
 */
function taken(result: unknown): { readonly meta: Fields | null; readonly rest: Fields } {
  if (!isObject(result)) return { meta: null, rest: {} };
  const { _meta, meta, ...rest } = result;
  if (!isObject(_meta) && !isObject(meta)) return { meta: null, rest };
  return { meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta) }, rest };
}

/**
 * What a program sees (a2c-wire §3.7): `{meta, content, structuredContent, isError, tool_name, parameters}`, the
 * first four always there, so that no program has to ask. Whatever else the server gave stays.
 */
export function eventOf({ tool, parameters, result }: Omit<TransformRequest, 'server'>): Fields {
  const { meta, rest } = taken(result);
  return {
    ...rest,
    meta,
    content: rest['content'] ?? [],
    structuredContent: rest['structuredContent'] ?? null,
    isError: rest['isError'] ?? false,
    tool_name: tool,
    parameters,
  };
}
