import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { documentUri, limits } from '../../../machines/documents/index.ts';
import type { Shared } from '../resources/shared.ts';
import { annotations, answered, count, note, result, truncated } from './answer.ts';

const waitMs = 20_000;

export const addSearch = (server: McpServer, shared: Shared): void => {
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        'Finds documents (Markdown, text, HTML, CSV, JSON, XLSX, DOCX, PPTX, PDF) that have all words of the query in their ' +
        'title, keywords or text, and says where: the dpe:// URIs of pages and elements, to be read as resources.',
      inputSchema: z.strictObject({
        query: z.string().min(1).max(limits.wordChars).describe('Words; case does not matter.'),
        limit: z.int().min(1).max(50).default(10).describe('At most so many documents.'),
      }),
      outputSchema: z.object({
        query: z.string(),
        documents: z.array(
          z.object({
            uri: z.string(),
            title: z.string(),
            places: z.array(
              z.object({
                uri: z.string(),
                page_uri: z.string(),
                page_title: z.string(),
                category: z.string(),
                text: z.string(),
              }),
            ),
          }),
        ),
        total_count: count,
        documents_searched: count,
        unread: z.array(z.object({ doc_ref: z.string(), reason: z.string() })),
        truncated,
        note,
      }),
      annotations: { title: 'Search documents', ...annotations },
    },
    (args) => answered(() => searched(shared, args.query, args.limit)),
  );
};

/** What was found, for programs and as a text, and why something may be missing. */
async function searched({ words, host }: Shared, query: string, limit: number): Promise<CallToolResult> {
  const answer = await words.search(query, limit, waitMs);
  const documents = answer.found.map(({ ref, title, places }) => {
    const uri = documentUri(host, ref);
    const shown = places.map(({ pageIndex, pageTitle, elementId, category, text }) => ({
      uri: `${uri}/elements/${encodeURIComponent(elementId)}`,
      page_uri: `${uri}/pages/${pageIndex}`,
      page_title: pageTitle,
      category,
      text,
    }));
    return { uri, title, places: shown };
  });
  const lines = documents.flatMap(({ uri, title, places }) => [
    `${title}  ${uri}`,
    ...places.map((place) => `  ${place.page_uri} (${place.page_title}) ${place.category}: ${place.text}`),
  ]);
  const unread = answer.unread.slice(0, 20).map(({ ref, reason }) => ({ doc_ref: ref, reason }));
  const waiting = answer.documents - answer.indexed - answer.unread.length;
  const advice = [
    waiting > 0 ? `${waiting} documents are not read yet; ask again in a while.` : '',
    answer.total > documents.length
      ? `There are ${answer.total} documents; this shows ${documents.length}.`
      : '',
    answer.unread.length > 0 ? `${answer.unread.length} documents cannot be read.` : '',
  ].filter((part) => part !== '');
  const facts = { query, documents, total_count: answer.total, documents_searched: answer.indexed, unread };
  const text = lines.join('\n') || `nothing found in ${answer.indexed} documents`;
  return result(facts, text, advice.length > 0 ? advice.join(' ') : undefined);
}
