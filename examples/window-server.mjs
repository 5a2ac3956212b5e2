// An MCP server with a window and documents, made with McpServer, as docs/windows-and-documents.md describes them.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const notes = new Map([['tea', 'Boil water and wait.']]);
const window = 'window://notebook/latest?priority=50';
const mimeType = 'application/json';
const mcp = new McpServer({ name: 'notebook', version: '1.0.0' });

// McpServer neither declares `subscribe` nor answers it. Without it the windows are not shown.
mcp.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
mcp.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
mcp.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));

const uriOf = (name) => `dpe://notebook/${encodeURIComponent(name)}`;
const refusal = (code, message, data) => Object.assign(new Error(message), { code, data });
const documentOf = (name) => {
  if (!notes.has(name)) throw refusal(4201, 'no such note', { doc_ref: name });
  const own = { doc_ref: name, uri: uriOf(name), title: name, page_count: 1 };
  return { ...own, file_uri: `note:${encodeURIComponent(name)}`, file_type: 'txt' };
};
const pageOf = (name) => {
  const uri = `${uriOf(name)}/pages/0`;
  return { page_index: 0, title: name, doc_ref: name, uri, element_count: 1 };
};
const elementOf = (name) => ({ element_id: 'text', category: 'text', content: { text: notes.get(name) } });
// Fields that `depth=pages` adds; `offset` and `limit` say which part of the pages is wanted.
const listing = (name, query) => {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 20)];
  return { pages: [pageOf(name)].slice(offset), page_offset: offset, page_limit: limit, page_total: 1 };
};
function contentOf({ pathname, searchParams: query }) {
  const [, name, kind, part] = pathname.split('/').map(decodeURIComponent);
  const document = documentOf(name);
  if (kind === 'pages' && part !== '0')
    throw refusal(4202, 'no such page', { page_index: Number(part), page_count: 1 });
  if (kind === 'pages') return { ...pageOf(name), elements: [elementOf(name)] };
  if (kind === 'elements' && part !== 'text') throw refusal(4203, 'no such element', { element_id: part });
  if (kind === 'elements')
    return { ...elementOf(name), doc_ref: name, page_index: 0, uri: `${uriOf(name)}/elements/text` };
  return query.get('depth') === 'pages' ? { ...document, ...listing(name, query) } : document;
}

mcp.registerResource('latest note', window, { mimeType: 'text/plain' }, ({ href }) => ({
  contents: [{ uri: href, text: [...notes.values()].at(-1) }],
}));
// `{+path}` takes pages, elements and queries, too. The template lists the documents.
const list = () => ({ resources: [...notes.keys()].map((name) => ({ uri: uriOf(name), name })) });
const documents = new ResourceTemplate('dpe://notebook/{+path}', { list });
mcp.registerResource('notes', documents, { mimeType }, (uri) => ({
  contents: [{ uri: uri.href, mimeType, text: JSON.stringify(contentOf(uri)) }],
}));

const inputSchema = { name: z.string(), text: z.string() };
mcp.registerTool('write_note', { inputSchema }, async ({ name, text }) => {
  const isNew = !notes.has(name);
  notes.set(name, text);
  // The list where it is another one, a content where it is: never both for one change.
  if (isNew) mcp.sendResourceListChanged();
  else await mcp.server.sendResourceUpdated({ uri: uriOf(name) });
  await mcp.server.sendResourceUpdated({ uri: window });
  return { content: [{ type: 'text', text: 'written' }] };
});
await mcp.connect(new StdioServerTransport());
