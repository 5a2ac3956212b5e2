import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { limits, sizeText } from '../../../machines/documents/index.ts';
import { annotations, answered, count, limit, note, path, pattern, result, truncated } from './answer.ts';
import { locate, type Folder } from '../files/place.ts';
import { searchFiles, type Answer } from './search.ts';

export const addSearchFiles = (server: McpServer, folders: readonly Folder[]): void => {
  server.registerTool(
    'search_files',
    {
      title: 'Search files',
      description:
        'Finds the lines that contain a text literally (no regular expression), in one file or all below a folder. ' +
        `Leaves out hidden entries, node_modules, dist, links, files that are not text and those above ${sizeText(limits.fileBytes)}.`,
      inputSchema: z.strictObject({
        query: z
          .string()
          .min(1)
          .max(limits.wordChars)
          .regex(/^[^\r\n]*$/, 'query must be one line: the search goes line by line')
          .describe('Text to find, within one line.'),
        path: path.default('.').describe('Folder or file to search, relative to the root.'),
        pattern: pattern.optional(),
        limit: limit.default(limits.results),
        case_sensitive: z.boolean().default(false),
      }),
      outputSchema: z.object({
        query: z.string(),
        matches: z.array(z.object({ path: z.string(), line: count, column: count, text: z.string() })),
        files_searched: count,
        files_skipped: z.object({ binary: count, large: count, unreadable: count }),
        truncated,
        note,
      }),
      annotations: { title: 'Search files', ...annotations },
    },
    (args, { mcpReq: { signal } }) =>
      answered(async () => {
        const place = await locate(folders, args.path);
        const most = Math.min(args.limit, limits.results);
        const query = { text: args.query, isCaseSensitive: args.case_sensitive, pattern: args.pattern, most };
        const { matches, searched, skipped, cut } = await searchFiles(place, query, signal);
        const lines = matches.map((match) => `${match.path}:${match.line}: ${match.text}`);
        const facts = { query: args.query, matches, files_searched: searched, files_skipped: skipped };
        const advice =
          cut === undefined ? undefined : `Incomplete: ${cut}. Name a smaller folder or a pattern.`;
        return result(facts, lines.join('\n') || `no match in ${searched} files${leftOut(skipped)}`, advice);
      }),
  );
};

const leftOut = ({ binary, large, unreadable }: Answer['skipped']): string => {
  const parts = [
    binary > 0 ? `${binary} not text` : '',
    large > 0 ? `${large} above ${sizeText(limits.fileBytes)}` : '',
    unreadable > 0 ? `${unreadable} not readable` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (left out: ${parts.join(', ')})`;
};
