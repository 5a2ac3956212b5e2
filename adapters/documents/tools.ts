import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { RpcRefusal } from './documents.ts';
import { Refusal, type ServedPath, locate, type Folder, walk, type WalkedEntry, type Walk } from './files.ts';
import { readOne, reasonOf } from './reading.ts';
import { search } from './searching.ts';
import type { Shared } from './sharing.ts';
import { limits, patternTest, sizeText } from '../../machines/document-files.ts';
import { documentUri } from '../../machines/documents.ts';
import { problemsIn } from '../../machines/protocol/messages/answers.ts';
import { parseDpeUri } from '../../machines/resources/uri.ts';

/** They only read, and only in the served folders. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const path = z.string().min(1).max(4096);
const pattern = z
  .string()
  .min(1)
  .max(limits.wordChars)
  .describe(
    'Simple glob, relative to path: * and ? within a name, ** over folders, {a,b} for either. Without a / it tests the file name at any depth, like "*.md".',
  );
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
    ...(advice === undefined ? [] : [{ type: 'text' as const, text: advice }]),
  ],
  structuredContent: {
    ...facts,
    truncated: advice !== undefined,
    ...(advice === undefined ? {} : { note: advice }),
  },
});

interface Tool<Args extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: Args;
  readonly facts?: z.ZodRawShape;
  /** What it throws is told without details, which may name paths. */
  run(args: z.infer<z.ZodObject<Args>>, signal: AbortSignal): Promise<CallToolResult>;
}
const tool = <Args extends z.ZodRawShape>(each: Tool<Args>): Tool => each;

/** Each folder where the path is the root of several. */
const startsAt = async (folders: readonly Folder[], at: string): Promise<readonly ServedPath[]> =>
  Promise.all(
    at === '.' && folders.length > 1
      ? folders.map(({ name }) => locate(folders, name))
      : [locate(folders, at)],
  );

interface Listed {
  readonly path: string;
  readonly kind: WalkedEntry['kind'];
  readonly sizeBytes?: number;
  readonly modified?: string;
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

const listFiles = async (
  starts: readonly ServedPath[],
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Listing> => {
  const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
  const isWanted = wanted.pattern === undefined ? () => true : patternTest(wanted.pattern);
  const entries: Listed[] = [];
  for (const start of starts) {
    const isFolder = start.facts.isDirectory();
    if (!isFolder || starts.length > 1)
      entries.push(await listed({ ...start, kind: isFolder ? 'folder' : 'file' }));
    if (!isFolder) continue;
    for await (const found of walk(start, wanted.depth - (starts.length > 1 ? 1 : 0), cost, signal)) {
      if (!isWanted(found.below)) continue;
      if (entries.length >= wanted.most) return { entries, cut: `there are more than ${wanted.most}` };
      entries.push(await listed(found));
    }
  }
  if (cost.isCut) return { entries, cut: `only the first ${limits.visited} entries were looked at` };
  if (cost.unreadable > 0) return { entries, cut: `${cost.unreadable} folders may not be read` };
  return { entries };
};

const listed = async ({
  path: name,
  kind,
  real,
}: Pick<WalkedEntry, 'path' | 'kind' | 'real'>): Promise<Listed> => {
  // Without a size when the file was removed after the walk had found it, or its name is not UTF-8.
  const facts = kind === 'file' ? await lstat(real).catch(() => undefined) : undefined;
  if (facts === undefined) return { path: name, kind };
  return { path: name, kind, sizeBytes: facts.size, modified: facts.mtime.toISOString() };
};
const lineOf = ({ path: name, kind, sizeBytes, modified = '' }: Listed): string => {
  if (kind !== 'file') return kind === 'folder' ? `${name}/` : `${name} -> (link)`;
  if (name.includes('\ufffd')) return `${name}  (its name is not UTF-8, so it cannot be read)`;
  return sizeBytes === undefined ? name : `${name}  ${sizeText(sizeBytes)}  ${modified.slice(0, 10)}`;
};

const listTool = (folders: readonly Folder[]): Tool =>
  tool({
    name: 'list_files',
    title: 'List files',
    description:
      'Lists files and folders below a folder, nearest level first, with sizes and dates of change; of a file only itself. ' +
      'Leaves out hidden entries, node_modules and dist unless path names such a folder itself. Symbolic links are shown and not followed.',
    args: {
      path: path.default('.').describe('Folder to list, relative to the root.'),
      pattern: pattern.optional(),
      depth: z
        .int()
        .min(1)
        .optional()
        .describe(`Levels to go down; 1 is the folder itself. Default 1, with a pattern ${limits.depth}.`),
      limit: z
        .int()
        .min(1)
        .default(limits.results)
        .describe(`At most this many, and never more than ${limits.results}.`),
    },
    facts: {
      path: z.string(),
      entries: z.array(
        z.object({
          path: z.string(),
          type: z.enum(['file', 'folder', 'link']),
          size_bytes: count.optional(),
          modified: z.string().optional(),
        }),
      ),
      truncated,
      note,
    },
    run: async (args, signal) => {
      const starts = await startsAt(folders, args.path);
      const depth = Math.min(args.depth ?? (args.pattern === undefined ? 1 : limits.depth), limits.depth);
      const most = Math.min(args.limit, limits.results);
      const { entries, cut } = await listFiles(starts, { pattern: args.pattern, depth, most }, signal);
      const shown = entries.map(({ path: name, kind, sizeBytes, modified }) => ({
        path: name,
        type: kind,
        ...(sizeBytes !== undefined && { size_bytes: sizeBytes, modified }),
      }));
      const advice =
        cut === undefined ? undefined : `Incomplete: ${cut}. Name a smaller folder or a pattern.`;
      const [{ path: at } = { path: '.' }] = starts;
      const facts = { path: starts.length > 1 ? '.' : at, entries: shown };
      return result(facts, entries.map(lineOf).join('\n') || 'nothing found', advice);
    },
  });

const readArgs = {
  path: path
    .optional()
    .describe('File to read, relative to the root, or the dpe:// URI of a document or a part.'),
  paths: z.array(path).min(1).max(limits.readFiles).optional().describe('Several files at once.'),
  page: count.optional().describe('First page (section, sheet, slide) of a document, counted from 0.'),
  pages: z.int().min(1).optional().describe('How many pages, at most 100. Default: about 64,000 characters.'),
  from_line: z.int().min(1).optional().describe('First line, from 1: of the file, or of the page.'),
  lines: z.int().min(1).optional().describe('How many lines. Default: about 64,000 characters.'),
};
const readTool = (shared: Shared): Tool =>
  tool({
    name: 'read',
    title: 'Read files',
    description:
      'Reads any file: Word, PDF, Excel, PowerPoint, OpenDocument, EPUB, HTML, mail, RTF and notebooks as Markdown, page by page; ' +
      'other texts as they are, whatever their encoding; PNG, JPEG, GIF and WebP as images. A long one is read in parts: ' +
      'the last line of the answer says how to go on. With page also a text is read as Markdown; with from_line and without page HTML as it is written.',
    args: readArgs,
    // Without facts: clients show them in place of the text or the image.
    run: async ({ path: single, paths = [], page, pages, from_line: fromLine, lines }) => {
      const names = single === undefined ? paths : [single, ...paths];
      let room: number = (pages ?? lines) === undefined ? limits.readChars : limits.fileBytes;
      const content: CallToolResult['content'] = [];
      let failed = 0;
      for (const [at, each] of names.entries()) {
        if (names.length > 1) content.push({ type: 'text', text: `${each}:` });
        const own = Math.floor(room / (names.length - at));
        try {
          const { block, advice } = await readOne(shared, each, { page, pages, fromLine, lines }, own);
          content.push(
            block,
            ...(advice === undefined ? [] : [{ type: 'text' as const, text: `[${advice}]` }]),
          );
          room -= block.type === 'text' ? Math.min(own, block.text.length) : 0;
        } catch (error) {
          content.push({ type: 'text', text: reasonOf(error) });
          failed += 1;
        }
      }
      if (names.length === 0) throw new Refusal('name a file: path, or paths for several');
      return failed === names.length ? { isError: true, content } : { content };
    },
  });

const searchArgs = {
  query: z
    .string()
    .min(1)
    .max(limits.wordChars)
    .describe('Words or beginnings of words; case does not matter.'),
  path: path.default('.').describe('Folder or file to search, relative to the root.'),
  pattern: pattern.optional(),
  limit: z.int().min(1).default(10).describe('At most so many files, and never more than 50.'),
};
const mostFound = 50;
const searchTool = (shared: Shared): Tool =>
  tool({
    name: 'search',
    title: 'Search',
    description:
      'Finds files of all formats that have all words of the query, each whole or as the beginning of a word, in their name, title or text. ' +
      'Best first: words in names, then whole words. Says where each is: read goes on there with path and page (documents) or from_line (other texts). ' +
      'It is no search for phrases or patterns.',
    args: searchArgs,
    facts: {
      query: z.string(),
      files: z.array(
        z.object({
          path: z.string(),
          title: z.string(),
          uri: z.string().optional().describe('Of a document.'),
          places: z.array(
            z.object({
              page: count.optional(),
              page_title: z.string().optional(),
              uri: z.string().optional().describe('Of the element.'),
              line: count.optional(),
              text: z.string(),
            }),
          ),
        }),
      ),
      total_count: count,
      files_searched: count,
      unread: z.array(z.object({ path: z.string(), reason: z.string() })),
      truncated,
      note,
    },
    run: async ({ query, path: at, pattern: glob, limit }, signal) => {
      const starts = await startsAt(shared.library.folders, at);
      const asked = { query, pattern: glob, limit: Math.min(limit, mostFound) };
      return shownSearch(shared, query, await search(shared, starts, asked, signal));
    },
  });
function shownSearch(
  { words, host }: Shared,
  query: string,
  { found, total, searched, left }: Awaited<ReturnType<typeof search>>,
): CallToolResult {
  const files = found.map(({ places, ...file }) => ({
    ...file,
    places: places.map(({ text, page, pageTitle, elementId, line }) => ({
      ...(page === undefined
        ? { line }
        : {
            page,
            page_title: pageTitle,
            uri: `${documentUri(host, file.path)}/elements/${encodeURIComponent(elementId ?? '')}`,
          }),
      text,
    })),
  }));
  const lines = found.flatMap(({ path: name, title, places }) => [
    title === name ? name : `${name}  (${title})`,
    ...places.map(({ text, page, pageTitle, line }) =>
      page === undefined ? `  line ${line}: ${text}` : `  page ${page} (${pageTitle}): ${text}`,
    ),
  ]);
  const unread = [...words.unread].slice(0, 20).map(([name, reason]) => ({ path: name, reason }));
  const facts = { query, files, total_count: total, files_searched: searched, unread };
  const text = lines.join('\n') || `nothing found in ${searched} files`;
  return result(facts, text, left.length > 0 ? left.join(' ') : undefined);
}

const openTool = (shared: Shared): Tool =>
  tool({
    name: 'open',
    title: 'Open a page',
    description:
      `Puts a page of a document on the Desktop as a window, where it stays true to its file. The last ${limits.openPages} ` +
      'opened pages stay.',
    args: {
      uri: z.string().max(4096).describe('dpe:// URI of a document or of one of its pages.'),
      page: z.int().min(0).optional().describe('Page, counted from 0. Default: that of the URI, else 0.'),
    },
    facts: {
      uri: z.string(),
      page_index: count,
      title: z.string(),
      truncated: z.boolean(),
    },
    run: async (args) => {
      const parsed = parseDpeUri(args.uri);
      if (!parsed.ok) throw new Refusal(parsed.failure.message);
      const { uri } = parsed;
      if (uri.level === 0 || uri.level === 3 || uri.host !== shared.host)
        throw new Refusal(`name a document or a page of dpe://${shared.host}`);
      const index = args.page ?? (uri.level === 2 ? uri.pageIndex : 0);
      const page = await shared.documents.page(uri.docRef, index);
      shared.open(uri.docRef, index);
      return result(
        { uri: args.uri, page_index: index, title: page.title },
        `opened: ${page.title}`,
        undefined,
      );
    },
  });

/** Names of before, which are answered and not listed; what they do not know any more is ignored. */
const aliases: Readonly<Record<string, string>> = { read_file: 'read', search_files: 'search' };

export function addTools({ server: rpc }: McpServer, shared: Shared): void {
  const tools = [listTool(shared.library.folders), readTool(shared), searchTool(shared), openTool(shared)];
  rpc.registerCapabilities({ tools: {} });
  rpc.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, title, description, args, facts }) => ({
      ...{ name, title, description },
      inputSchema: schemaOf(z.strictObject(args), 'input'),
      ...(facts && { outputSchema: schemaOf(z.object(facts), 'output') }),
      annotations: { title, ...annotations },
    })),
  }));
  rpc.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const own = Object.hasOwn(aliases, params.name) ? aliases[params.name] : undefined;
    const asked = tools.find(({ name }) => name === (own ?? params.name));
    if (!asked) throw new RpcRefusal(-32_602, `There is no tool ${params.name}`);
    const args = (own === undefined ? z.strictObject : z.object)(asked.args).safeParse(
      params.arguments ?? {},
    );
    try {
      if (!args.success) throw new Refusal(`wrong arguments: ${problemsIn(args.error).join('; ')}`);
      return await asked.run(args.data, signal);
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: reasonOf(error) }] };
    }
  });
}
type Schema = { type: 'object'; [key: string]: unknown };
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(schema, { io }) as Schema;
