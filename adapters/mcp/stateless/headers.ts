import { assumedRevision, statelessRevision, type Request } from './revision.ts';
import { isObject, type Fields, fieldsOf } from '../../../machines/protocol/json.ts';

/** HTTP headers that repeat parts of a request of MCP 2026-07-28, so that gateways need not read its body (SEP-2243). */

/** Encodes a text as a header value, in base64 when it holds characters that are not allowed there. */
function encoded(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
const nameKeys: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Argument of a tool that is repeated in a header: its path within the arguments, and the name of the header. */
interface HeaderParam {
  readonly path: readonly string[];
  readonly name: string;
}
/** Returns the headers of a request. `wanted`: arguments that the called tool wants in headers. */
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
/**
 * Returns the arguments that the schema of a tool wants in headers, or the reason why the tool must not be
 * used: it marks an argument that no client could send. Only arguments reached by `properties` alone may be
 * marked.
 */
export function headerParams(schema: unknown): readonly HeaderParam[] | { readonly problem: string } {
  const found: HeaderParam[] = [];
  const names = new Set<string>();
  /** Searches a schema for marks; `path` is undefined where no mark is allowed. */
  const look = (node: unknown, path: readonly string[] | undefined, depth: number): string | undefined => {
    if (depth > deepest || typeof node !== 'object' || node === null) return undefined;
    if (Array.isArray(node))
      return first(
        node.map((each) => [each, undefined]),
        depth,
      );
    const fields = node as Fields;
    if (Object.hasOwn(fields, mark)) {
      const problem = judge(fields, path);
      if (problem !== undefined) return problem;
    }
    const { properties, ...others } = fields;
    const inner = Object.entries(isObject(properties) ? properties : {});
    return (
      first(
        inner.map(([key, each]) => [each, path && [...path, key]]),
        depth,
      ) ??
      // Examples and defaults are searched as well, although they are no schemas, because that does no harm.
      first(
        Object.values(others).map((each) => [each, undefined]),
        depth,
      )
    );
  };
  const first = (
    nodes: readonly (readonly [unknown, readonly string[] | undefined])[],
    depth: number,
  ): string | undefined => {
    for (const [node, path] of nodes) {
      const problem = look(node, path, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const judge = (fields: Fields, path: readonly string[] | undefined): string | undefined => {
    const name = fields[mark];
    if (path === undefined || path.length === 0)
      return `${mark} stands where it is not reached by properties alone`;
    if (typeof name !== 'string' || !token.test(name)) return `${mark} is no name of a header`;
    if (!['string', 'integer', 'boolean'].includes(String(fields['type'])))
      return `${mark} of what is no string, integer or boolean`;
    if (names.has(name.toLowerCase())) return `${mark} ${name} stands there twice`;
    names.add(name.toLowerCase());
    found.push({ path, name });
    return undefined;
  };
  const problem = look(schema, [], 0);
  return problem === undefined ? found : { problem };
}

/**
 * Returns the headers of a request to a server of an older revision. Gateways of the new revision want them on
 * the first request; older servers ignore them.
 */
export function headersBefore(request: Request): Record<string, string> {
  if (request.method !== 'initialize') return {};
  return request.params?.['_meta'] ? headersOf(request, assumedRevision) : { 'mcp-method': request.method };
}

/** Headers that the calls of tools need, learned from the tool list. */
export class ToolHeaders {
  readonly #params = new Map<string, readonly HeaderParam[]>();
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }
  for(request: Request): Record<string, string> {
    return headersOf(request, statelessRevision, this.#params.get(String(request.params?.['name'])));
  }
  /** Returns the result of a list without members of the new revision; tools whose marked arguments cannot be sent are left out. */
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
