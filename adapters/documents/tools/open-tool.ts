import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { limits } from '../../../machines/documents/index.ts';
import { parseDpeUri } from '../../../machines/resources/dpe-uri.ts';
import { RpcRefusal } from '../resources/refused.ts';
import type { Shared } from '../resources/shared.ts';
import { annotations, count, result } from './answer.ts';

export const addOpen = (server: McpServer, shared: Shared): void => {
  server.registerTool(
    'open',
    {
      title: 'Open a page',
      description:
        `Puts a page of a document on the Desktop as a window, where it stays true to its file. The last ${limits.openPages} ` +
        'opened pages stay.',
      inputSchema: z.strictObject({
        uri: z.string().max(4096).describe('dpe:// URI of a document or of one of its pages.'),
        page: z.int().min(0).optional().describe('Page, counted from 0. Default: that of the URI, else 0.'),
      }),
      outputSchema: z.object({
        uri: z.string(),
        page_index: count,
        title: z.string(),
        truncated: z.boolean(),
      }),
      annotations: { title: 'Open a page', ...annotations },
    },
    async (args) => {
      const parsed = parseDpeUri(args.uri);
      const refused = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });
      if (!parsed.ok) return refused(parsed.failure.message);
      const { uri } = parsed;
      if (uri.level === 0 || uri.level === 3 || uri.host !== shared.host)
        return refused(`name a document or a page of dpe://${shared.host}`);
      const index = args.page ?? (uri.level === 2 ? uri.pageIndex : 0);
      try {
        const page = await shared.documents.page(uri.docRef, index);
        shared.open(uri.docRef, index);
        return result(
          { uri: args.uri, page_index: index, title: page.title },
          `opened: ${page.title}`,
          undefined,
        );
      } catch (error) {
        return refused(error instanceof RpcRefusal ? error.message : 'the page cannot be read');
      }
    },
  );
};
