import type { Give, AskFact } from '../../machines/ports.ts';
import type { Envelope } from './envelope.ts';
import { factOf, unusable } from './refusal.ts';

/** A list with more pages than this never ends. */
const mostPages = 1_000;

/** Methods whose answers come in pages → the member that holds the entries, and what an entry must have. */
export const listed: Readonly<Record<string, { readonly member: string; readonly key: string }>> = {
  'tools/list': { member: 'tools', key: 'name' },
  'resources/list': { member: 'resources', key: 'uri' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate' },
  'prompts/list': { member: 'prompts', key: 'name' },
};

export interface ListQuestion {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}

/**
 * Gathers all pages of one list: give it each answer, and it names the params of the next request, or gives the
 * one fact `{<member>: entries}` and names none. Entries without their key are left out and counted as `malformed`.
 */
export function gather(
  question: ListQuestion,
  give: Give<AskFact>,
): (answer: Envelope) => object | undefined {
  const { id, method } = question;
  const { member, key } = listed[method] ?? { member: 'items', key: 'name' };
  const entries: object[] = [];
  const cursors = new Set<string>();
  let malformed = 0;
  /** One page: the cursor of the next, the fact that ends the list, or neither at the last page. */
  const read = (answer: Envelope): { cursor?: string; refused?: AskFact } => {
    const fact = factOf(id, answer, method);
    if (fact.type !== 'ask.answered') return { refused: fact };
    const page = fact.result as Readonly<Record<string, unknown>>;
    const found = page[member];
    if (!Array.isArray(found))
      return { refused: unusable(id, `the server answered ${method} without a list of ${member}`) };
    for (const entry of found) {
      if (has(entry, key)) entries.push(entry);
      else malformed += 1;
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
    if (cursor !== undefined) return { ...(question.params as object | undefined), cursor };
    const result = { [member]: entries, ...(malformed > 0 && { malformed }) };
    give(refused ?? { type: 'ask.answered', id, result });
    return undefined;
  };
}

const has = (entry: unknown, key: string): entry is object => {
  if (typeof entry !== 'object' || entry === null) return false;
  const value = (entry as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' && value !== '';
};
