import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import {
  firstBytes,
  readPart,
  Refusal,
  type ServedPath,
  openFile,
  locate,
  type Folder,
  walk,
  type WalkedEntry,
  type Walk,
  isText,
} from './files.ts';
import { decoded } from './parsing/encoding.ts';
import { RpcRefusal } from './documents.ts';
import type { Shared } from './sharing.ts';
import { limits, patternTest, findLines, sizeText, type Hit } from '../../machines/document-files.ts';
import { documentUri } from '../../machines/documents.ts';
import { parseDpeUri } from '../../machines/resources/uri.ts';

/** They only read, and only in the served folders. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const path = z.string().max(4096);
const pattern = z
  .string()
  .min(1)
  .max(limits.wordChars)
  .describe(
    'Simple glob, relative to path: * and ? within a name, ** over folders, {a,b} for either. Without a / it tests the file name at any depth, like "*.md".',
  );
const limit = z.int().min(1).describe(`At most this many, and never more than ${limits.results}.`);
const count = z.int().min(0);
const truncated = z.boolean().describe('Something is missing; note says what and how to get it.');
const note = z.string().optional();

const result = (
  facts: Record<string, unknown>,
  text: string,
  advice: string | undefined,
): CallToolResult => ({
  content: [
    { type: 'text', text },
    // Puts the advice into a block of its own, so that the text of a file is not changed.
    ...(advice === undefined ? [] : [{ type: 'text' as const, text: advice }]),
  ],
  structuredContent: {
    ...facts,
    truncated: advice !== undefined,
    ...(advice === undefined ? {} : { note: advice }),
  },
});

/** Other errors are reported without details, which may name paths. */
const answered = async (answer: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await answer();
  } catch (error) {
    const text = error instanceof Refusal ? error.message : 'the question could not be answered';
    return { isError: true, content: [{ type: 'text', text }] };
  }
};

interface Listed {
  readonly path: string;
  readonly kind: WalkedEntry['kind'];
  readonly sizeBytes?: number;
}
interface Listing {
  readonly entries: readonly Listed[];
  readonly cut?: string;
}
interface Wanted {
  readonly pattern?: string | undefined;
  readonly depth: number;
  readonly most: number;
}

const listFiles = async (place: ServedPath, wanted: Wanted, signal: AbortSignal): Promise<Listing> => {
  if (!place.facts.isDirectory())
    throw new Refusal(`"${place.path}" is a file; read_file shows what is in it`);
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  const isWanted = wanted.pattern === undefined ? () => true : patternTest(wanted.pattern);
  const entries: Listed[] = [];
  for await (const found of walk(place, wanted.depth, cost, signal)) {
    if (!isWanted(found.below)) continue;
    if (entries.length >= wanted.most) return { entries, cut: `there are more than ${wanted.most}` };
    entries.push(await listed(found));
  }
  if (cost.isCut) return { entries, cut: `only the first ${limits.visited} entries were looked at` };
  if (cost.unreadable > 0) return { entries, cut: `${cost.unreadable} folders may not be read` };
  return { entries };
};

const listed = async ({ path, kind, real }: WalkedEntry): Promise<Listed> => {
  // Without a size when the file was removed after the walk had found it.
  const facts = kind === 'file' ? await lstat(real).catch(() => undefined) : undefined;
  return facts === undefined ? { path, kind } : { path, kind, sizeBytes: facts.size };
};

interface Query {
  readonly text: string;
  readonly isCaseSensitive: boolean;
  readonly pattern?: string | undefined;
  readonly most: number;
}
interface Answer {
  readonly matches: readonly (Hit & { readonly path: string })[];
  readonly searched: number;
  /** Number of files that were not searched because they are binary, too large or unreadable. */
  readonly skipped: { readonly binary: number; readonly large: number; readonly unreadable: number };
  /** Reason why the search ended early; undefined when it is complete. */
  readonly cut?: string;
}

const searchFiles = async (place: ServedPath, query: Query, signal: AbortSignal): Promise<Answer> => {
  const matches: (Hit & { readonly path: string })[] = [];
  const skipped = { binary: 0, large: 0, unreadable: 0 };
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  const isWanted = query.pattern === undefined ? () => true : patternTest(query.pattern);
  let searched = 0;
  let bytes = 0;
  const answer = (cut?: string): Answer => ({
    matches,
    searched,
    skipped: { ...skipped, unreadable: skipped.unreadable + cost.unreadable },
    ...(cut === undefined ? {} : { cut }),
  });
  for await (const file of filesOf(place, cost, signal)) {
    if (!isWanted(file.below)) continue;
    const text = await textOf(file.real, file.path);
    if (typeof text === 'string') {
      skipped[text] += 1;
      continue;
    }
    searched += 1;
    bytes += text.length;
    // One match more than may be shown, to know whether there are more.
    const left = query.most - matches.length;
    const hits = findLines(decoded(text).text, query.text, query.isCaseSensitive, left + 1);
    matches.push(...hits.slice(0, left).map((hit) => ({ path: file.path, ...hit })));
    if (hits.length > left) return answer(`there are more than ${query.most} matches`);
    if (bytes > limits.searchBytes) return answer('this is as much as one search reads');
  }
  return answer(cost.isCut ? `the folder has more than ${limits.visited} entries` : undefined);
};

interface Searched {
  readonly path: string;
  readonly below: string;
  readonly real: string;
}
async function* filesOf(place: ServedPath, cost: Walk, signal: AbortSignal): AsyncGenerator<Searched> {
  if (place.facts.isDirectory()) {
    for await (const found of walk(place, limits.depth, cost, signal)) if (found.kind === 'file') yield found;
  } else if (place.facts.isFile()) yield { ...place, below: place.path };
  else throw new Refusal(`"${place.path}" is neither a folder nor a regular file`);
}

const textOf = async (real: string, path: string): Promise<Buffer | 'binary' | 'large' | 'unreadable'> => {
  try {
    const handle = await openFile(real, path);
    try {
      const { size } = await handle.stat();
      if (size > limits.fileBytes) return 'large';
      // Allocates only the size of the file, because filling 1 MiB with zeros for each of thousands of files takes seconds.
      const bytes = await firstBytes(handle, size);
      return isText(bytes) ? bytes : 'binary';
    } finally {
      await handle.close();
    }
  } catch {
    return 'unreadable';
  }
};

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

export const addReadFile = (server: McpServer, folders: readonly Folder[]): void => {
  server.registerTool(
    'read_file',
    {
      title: 'Read file',
      description:
        `Reads a text file of at most ${sizeText(limits.fileBytes)}, or a range of lines from a larger one. ` +
        'The encoding is recognized. Refuses files that are not text.',
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
        total_lines: count.nullable().describe('Null for a file of more than 64 MiB.'),
        size_bytes: count,
        encoding: z.string().describe('Encoding of the file, such as utf-8 or gb18030.'),
        truncated,
        note,
      }),
      annotations: { title: 'Read file', ...annotations },
    },
    (args) =>
      answered(async () => {
        const place = await locate(folders, args.path);
        const part = await readPart(place, { fromLine: args.from_line, lines: args.lines });
        const facts = {
          path: place.path,
          text: part.text,
          from_line: part.fromLine,
          to_line: part.toLine,
          total_lines: part.totalLines,
          size_bytes: place.facts.size,
          encoding: part.encoding,
        };
        const end = part.isInsideLine
          ? `Line ${part.fromLine} is longer than ${sizeText(limits.fileBytes)} and was cut.`
          : '';
        const more = `The file goes on; continue with from_line ${part.toLine + 1}.`;
        return result(facts, part.text, part.isCut ? `${end} ${more}`.trim() : undefined);
      }),
  );
};

/** Longest time in ms that a search waits for documents that are not read yet. */
const waitMs = 20_000;

export const addSearch = (server: McpServer, shared: Shared): void => {
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        'Finds documents (Markdown, text, HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, CSV, JSON, YAML, XML, ' +
        'notebooks) that have all words of the query in their title, keywords or text, and says where: the dpe:// URIs of pages and elements, to be read as resources.',
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

async function searched(
  { words, host, library }: Shared,
  query: string,
  limit: number,
): Promise<CallToolResult> {
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
    waiting > 0
      ? `${answer.indexed} of ${answer.documents} documents are searched so far; ${waiting} are not read yet. Ask again.`
      : '',
    library.cut === undefined ? '' : `Not all documents are served: ${library.cut}.`,
    answer.total > documents.length
      ? `There are ${answer.total} documents; this shows ${documents.length}.`
      : '',
    answer.unread.length > 0 ? `${answer.unread.length} documents cannot be read.` : '',
  ].filter((part) => part !== '');
  const facts = { query, documents, total_count: answer.total, documents_searched: answer.indexed, unread };
  const text = lines.join('\n') || `nothing found in ${answer.indexed} documents`;
  return result(facts, text, advice.length > 0 ? advice.join(' ') : undefined);
}

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
