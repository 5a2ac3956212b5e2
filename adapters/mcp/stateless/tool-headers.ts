import { headerParams, headersOf, type HeaderParam } from './headers.ts';
import { assumedRevision, statelessRevision, type Request } from './revision.ts';
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';

/** Headers of a request to a server of before. A gateway that knows the revision wants them at the first; others pass over them. */
export function headersBefore(request: Request): Record<string, string> {
  if (request.method !== 'initialize') return {};
  return request.params?.['_meta'] ? headersOf(request, assumedRevision) : { 'mcp-method': request.method };
}

/** Headers that tools want beside their calls, as their list has named them. */
export class ToolHeaders {
  readonly #params = new Map<string, readonly HeaderParam[]>();
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }
  for(request: Request): Record<string, string> {
    return headersOf(request, statelessRevision, this.#params.get(String(request.params?.['name'])));
  }
  /** The result without what only the revision has; of tools without those that mark what cannot be sent. */
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
