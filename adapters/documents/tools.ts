/** MCP tools over the served folders: list, read and search. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { locate, Refusal, walk, type Folder, type ServedPath, type Walk, type WalkedEntry } from './files.ts';
import { readOne, reasonOf } from './reading.ts';
import { search } from './searching.ts';
import type { Shared } from './sharing.ts';
import { limits, patternTest, sizeText } from '../../machines/document-files.ts';
import { problemsIn } from '../../machines/protocol/messages/answers.ts';

/** They only read, and only in the served folders. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

type Content = CallToolResult['content'];
/** Texts without structured content: many clients would show that in their place, and no image. */
interface Tool<Args extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: Args;
  run(args: z.infer<z.ZodObject<Args>>, signal: AbortSignal): Promise<Content>;
}
const tool = <Args extends z.ZodRawShape>(each: Tool<Args>): Tool => each;
/** What is added about a text stands in a block of its own, so that a text of a file is not changed. */
const texts = (...parts: readonly (string | undefined)[]): Content =>
  parts.flatMap((text) => (text === undefined ? [] : [{ type: 'text', text }]));

const path = z.string().min(1).max(4096);
const pattern = z
  .string()
  .min(1)
  .max(limits.wordChars)
  .describe(
    'Simple glob, relative to path: * and ? within a name, ** over folders, {a,b} for either. Without a / it tests the file name at any depth, like "*.md".',
  );
const count = z.int().min(0);
const size = z.int().min(1);

/** Each folder where the path is the root of several. */
const startsAt = async (folders: readonly Folder[], at: string): Promise<readonly ServedPath[]> => {
  const names = at === '.' && folders.length > 1 ? folders.map(({ name }) => name) : [at];
  return Promise.all(names.map((name) => locate(folders, name)));
};

async function lineOf({ path: name, kind, real }: Omit<WalkedEntry, 'below'>): Promise<string> {
  // Without a size when the file was removed after the walk had found it.
  const facts = await lstat(real).catch(() => undefined);
  if (!facts && name.includes('\ufffd')) return `${name}  (its name is not UTF-8, so it cannot be read)`;
  if (kind !== 'file') return kind === 'folder' ? `${name}/` : `${name} -> (link)`;
  return facts ? `${name}  ${sizeText(facts.size)}  ${facts.mtime.toISOString().slice(0, 19)}Z` : name;
}

const listTool = (folders: readonly Folder[]): Tool =>
  tool({
    name: 'list_files',
    title: 'List files',
    description:
      'Lists files and folders below a folder, nearest level first, with sizes and times of change; of a file only itself. ' +
      'Leaves out hidden entries, node_modules and dist unless path names such a folder itself. Symbolic links are shown and not followed.',
    args: {
      path: path.default('.').describe('Folder to list, relative to the root.'),
      pattern: pattern.optional(),
      depth: size
        .optional()
        .describe(`Levels to go down; 1 is the folder itself. Default 1, with a pattern ${limits.depth}.`),
      limit: size
        .default(limits.results)
        .describe(`At most this many, and never more than ${limits.results}.`),
    },
    run: async (args, signal) => {
      const starts = await startsAt(folders, args.path);
      const isWanted = args.pattern === undefined ? () => true : patternTest(args.pattern);
      const most = Math.min(args.limit, limits.results);
      const depth = Math.min(args.depth ?? (args.pattern === undefined ? 1 : limits.depth), limits.depth);
      const cost: Walk = { visited: 0, unreadable: 0, isCut: false };
      const lines: string[] = [];
      for (const start of starts) {
        const kind = start.facts.isDirectory() ? 'folder' : 'file';
        if (kind === 'file' || starts.length > 1) lines.push(await lineOf({ ...start, kind }));
        if (kind === 'file') continue;
        for await (const found of walk(start, depth, cost, signal)) {
          if (lines.length > most) break;
          if (isWanted(found.below)) lines.push(await lineOf(found));
        }
      }
      const cuts = [
        lines.length > most ? `there are more than ${most}` : '',
        cost.isCut ? `only the first ${limits.visited} entries were looked at` : '',
        cost.unreadable > 0 ? `${cost.unreadable} folders may not be read` : '',
      ].filter((each) => each !== '');
      const advice = `Incomplete: ${cuts.join('; ')}. Name a smaller folder or a pattern.`;
      const shown = lines.slice(0, most).join('\n') || 'nothing found';
      return texts(shown, cuts.length > 0 ? advice : undefined);
    },
  });

const readTool = (shared: Shared): Tool =>
  tool({
    name: 'read',
    title: 'Read files',
    description:
      'Reads any file: Word, PDF, Excel, PowerPoint, OpenDocument, EPUB, HTML, mail, RTF and notebooks as Markdown, page by page; ' +
      'other texts as they are, whatever their encoding; PNG, JPEG, GIF and WebP as images. A long one is read in parts: ' +
      'the end of the answer says how to go on. With page also a text is read as Markdown; with from_line and without page HTML as it is written.',
    args: {
      path: path
        .optional()
        .describe('File to read, relative to the root, or the dpe:// URI of a document or a part.'),
      paths: z.array(path).min(1).max(limits.readFiles).optional().describe('Several files at once.'),
      page: count.optional().describe('First page (section, sheet, slide) of a document, counted from 0.'),
      pages: size.optional().describe('How many pages, at most 100. Default: about 64,000 characters.'),
      from_line: size.optional().describe('First line, from 1: of the file, or of the page.'),
      lines: size.optional().describe('How many lines. Default: about 64,000 characters.'),
    },
    run: async ({ path: single, paths = [], page, pages, from_line: fromLine, lines }) => {
      const names = single === undefined ? paths : [single, ...paths];
      const wanted = { page, pages, fromLine, lines };
      let room: number = (pages ?? lines) === undefined ? limits.readChars : limits.fileBytes;
      const [name, ...others] = names;
      if (name === undefined) throw new Refusal('name a file: path, or paths for several');
      if (others.length === 0) {
        const { block, advice } = await readOne(shared, name, wanted, room);
        return [block, ...texts(advice && `[${advice}]`)];
      }
      const content: Content = [];
      for (const [at, each] of names.entries()) {
        const own = Math.floor(room / (names.length - at));
        const { block, advice } = await readOne(shared, each, wanted, own).catch((error: unknown) => ({
          block: { type: 'text' as const, text: reasonOf(error) },
          advice: undefined,
        }));
        content.push(...texts(`${each}:`), block, ...texts(advice && `[${advice}]`));
        room -= block.type === 'text' ? Math.min(own, block.text.length) : 0;
      }
      return content;
    },
  });

const searchTool = (shared: Shared): Tool =>
  tool({
    name: 'search',
    title: 'Search',
    description:
      'Finds files of all formats that have all words of the query, each whole or as the beginning of a word, in their name, title or text. ' +
      'Best first: words in names, then whole words. Says where each is: read goes on there with path and page (documents) or from_line (other texts). ' +
      'It is no search for phrases or patterns.',
    args: {
      query: z
        .string()
        .min(1)
        .max(limits.wordChars)
        .describe('Words or beginnings of words; case does not matter.'),
      path: path.default('.').describe('Folder or file to search, relative to the root.'),
      pattern: pattern.optional(),
      limit: size.default(10).describe('At most so many files, and never more than 50.'),
    },
    run: async ({ path: at, limit, ...query }, signal) => {
      const starts = await startsAt(shared.library.folders, at);
      const answer = await search(shared, starts, { ...query, limit: Math.min(limit, 50) }, signal);
      return texts(answer.text, answer.advice);
    },
  });

export function addTools({ server: rpc }: McpServer, shared: Shared): void {
  const tools = [listTool(shared.library.folders), readTool(shared), searchTool(shared)];
  rpc.registerCapabilities({ tools: {} });
  rpc.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, title, description, args }) => ({
      ...{ name, title, description },
      inputSchema: z.toJSONSchema(z.strictObject(args), { io: 'input' }) as { type: 'object' },
      annotations: { title, ...annotations },
    })),
  }));
  rpc.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const asked = tools.find(({ name }) => name === params.name);
    if (!asked) throw new ProtocolError(-32_602, `There is no tool ${params.name}`);
    const args = z.strictObject(asked.args).safeParse(params.arguments ?? {});
    try {
      if (!args.success) throw new Refusal(`wrong arguments: ${problemsIn(args.error).join('; ')}`);
      return { content: await asked.run(args.data, signal) };
    } catch (error) {
      return { isError: true, content: texts(reasonOf(error)) };
    }
  });
}
