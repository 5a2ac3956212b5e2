import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { limits, sizeText } from '../../../machines/documents/index.ts';
import { annotations, answered, count, note, path, result, truncated } from './answer.ts';
import { readPart } from '../files/part.ts';
import { locate, type Folder } from '../files/place.ts';

export const addReadFile = (server: McpServer, folders: readonly Folder[]): void => {
  server.registerTool(
    'read_file',
    {
      title: 'Read file',
      description:
        `Reads a text file of at most ${sizeText(limits.fileBytes)}, or a range of lines from a larger one. ` +
        'Bytes that are not UTF-8 appear as U+FFFD. Refuses files that are not text.',
      inputSchema: z.strictObject({
        path: path.min(1).describe('File to read, relative to the root.'),
        from_line: z.int().min(1).optional().describe('First line, counted from 1.'),
        lines: z.int().min(1).optional().describe('How many lines. Default: up to the end.'),
      }),
      outputSchema: z.object({
        path: z.string(),
        text: z.string(),
        from_line: count,
        to_line: count.describe('Last line in text; one less than from_line for an empty file.'),
        total_lines: count.nullable().describe('Null when the end of a large file was not reached.'),
        size_bytes: count,
        truncated,
        note,
      }),
      annotations: { title: 'Read file', ...annotations },
    },
    (args, { mcpReq: { signal } }) =>
      answered(async () => {
        const place = await locate(folders, args.path);
        const part = await readPart(place, { fromLine: args.from_line, lines: args.lines }, signal);
        const facts = {
          path: place.path,
          text: part.text,
          from_line: part.fromLine,
          to_line: part.toLine,
          total_lines: part.totalLines,
          size_bytes: place.facts.size,
        };
        const end = part.isInsideLine
          ? `Line ${part.fromLine} is longer than ${sizeText(limits.fileBytes)} and was cut.`
          : '';
        const more = `The file goes on; continue with from_line ${part.toLine + 1}.`;
        return result(facts, part.text, part.isCut ? `${end} ${more}`.trim() : undefined);
      }),
  );
};
