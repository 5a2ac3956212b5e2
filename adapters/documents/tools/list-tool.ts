import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { limits, sizeText } from '../../../machines/documents/index.ts';
import { annotations, answered, count, limit, note, path, pattern, result, truncated } from './answer.ts';
import { listFiles } from './list.ts';
import { locate, type Folder } from '../files/place.ts';

export const addListFiles = (server: McpServer, folders: readonly Folder[]): void => {
  server.registerTool(
    'list_files',
    {
      title: 'List files',
      description:
        'Lists files and folders below a folder, nearest level first. Leaves out hidden entries, node_modules and ' +
        'dist unless path names such a folder itself. Symbolic links are shown and not followed.',
      inputSchema: z.strictObject({
        path: path.default('.').describe('Folder to list, relative to the root.'),
        pattern: pattern.optional(),
        depth: z
          .int()
          .min(1)
          .optional()
          .describe(`Levels to go down; 1 is the folder itself. Default 1, with a pattern ${limits.depth}.`),
        limit: limit.default(limits.results),
      }),
      outputSchema: z.object({
        path: z.string(),
        entries: z.array(
          z.object({
            path: z.string(),
            type: z.enum(['file', 'folder', 'link']),
            size_bytes: count.optional(),
          }),
        ),
        truncated,
        note,
      }),
      annotations: { title: 'List files', ...annotations },
    },
    (args, { mcpReq: { signal } }) =>
      answered(async () => {
        const place = await locate(folders, args.path);
        const depth = Math.min(args.depth ?? (args.pattern === undefined ? 1 : limits.depth), limits.depth);
        const most = Math.min(args.limit, limits.results);
        const { entries, cut } = await listFiles(place, { pattern: args.pattern, depth, most }, signal);
        const lines = entries.map(({ path: name, kind, sizeBytes }) => {
          if (kind === 'folder') return `${name}/`;
          return kind === 'link' ? `${name} -> (link)` : `${name}  ${sizeText(sizeBytes ?? 0)}`;
        });
        const advice =
          cut === undefined ? undefined : `Incomplete: ${cut}. Name a smaller folder or a pattern.`;
        const shown = entries.map(({ path: name, kind, sizeBytes }) => ({
          path: name,
          type: kind,
          ...(sizeBytes === undefined ? {} : { size_bytes: sizeBytes }),
        }));
        return result({ path: place.path, entries: shown }, lines.join('\n') || 'nothing found', advice);
      }),
  );
};
