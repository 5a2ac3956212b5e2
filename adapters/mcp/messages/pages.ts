import type { Emit, RequestFact } from '../../../machines/kernel/ports.ts';
import type { Tool } from '../../../machines/catalog/index.ts';
import { decoders, unusableTool } from './codec.ts';
import type { Envelope } from './envelope.ts';
import { factOf, unusable } from './refusal.ts';

/** A list with more pages than this never ends. */
const mostPages = 1_000;
const mostUnusable = 100;

/** Methods whose answers come in pages → the member that holds the entries. */
export const listed: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

export interface ListRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}

/**
 * Gathers all pages of one list: give it each answer, and it names the params of the next request, or gives the
 * one fact `{<member>: entries}` and names none. What is no such entry is left out and counted as `malformed`;
 * of tools the first hundred stand in `unusable`, with the reason.
 */
export function gather(
  request: ListRequest,
  emit: Emit<RequestFact>,
): (answer: Envelope) => object | undefined {
  const { id, method } = request;
  const member = listed[method] ?? 'items';
  const entries: object[] = [];
  const cursors = new Set<string>();
  let malformed = 0;
  const flawed: Tool[] = [];
  /** One page: the cursor of the next, the fact that ends the list, or neither at the last page. */
  const read = (answer: Envelope): { cursor?: string; refused?: RequestFact } => {
    const fact = factOf(id, answer, method);
    if (fact.type !== 'ask.answered') return { refused: fact };
    const page = fact.result as Readonly<Record<string, unknown>>;
    const found = page[member];
    if (!Array.isArray(found))
      return { refused: unusable(id, `the server answered ${method} without a list of ${member}`) };
    for (const entry of found) {
      const decoded = decoders[method]?.(entry);
      if (decoded) entries.push(decoded);
      else {
        malformed += 1;
        if (member === 'tools' && flawed.length < mostUnusable)
          flawed.push(unusableTool(entry, entries.length + malformed));
      }
    }
    const cursor = page['nextCursor'];
    if (typeof cursor !== 'string' || cursor === '') return {};
    if (cursors.has(cursor))
      return { refused: unusable(id, `the list of ${member} does not end: one page came twice`) };
    cursors.add(cursor);
    if (cursors.size >= mostPages)
      return { refused: unusable(id, `the list of ${member} has more than ${mostPages} pages`) };
    return { cursor };
  };
  return (answer) => {
    const { cursor, refused } = read(answer);
    if (cursor !== undefined) return { ...(request.params as object | undefined), cursor };
    const result = {
      [member]: entries,
      ...(malformed > 0 && { malformed }),
      ...(flawed.length > 0 && { unusable: flawed }),
    };
    emit(refused ?? { type: 'ask.answered', id, result });
    return undefined;
  };
}
