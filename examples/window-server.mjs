// An MCP server with a window and documents, as docs/windows-and-documents.md describes them: a notebook.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as mcp from '@modelcontextprotocol/sdk/types.js';

const notes = new Map([['tea', 'Boil water and wait.']]);
const window = 'window://notebook/latest?priority=50';
const uriOf = (name) => `dpe://notebook/${encodeURIComponent(name)}`;
// Without `subscribe` nobody follows a server, and its windows are not shown.
const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };
const server = new Server({ name: 'notebook', version: '1.0.0' }, { capabilities });

const refOf = (name) => ({ doc_ref: name, title: name });
const pageOf = (name) => ({ ...refOf(name), page_index: 0, uri: `${uriOf(name)}/pages/0`, element_count: 1 });
const elementOf = (name) => ({ element_id: 'text', category: 'text', content: { text: notes.get(name) } });
const documentOf = (name) => {
  const document = { ...refOf(name), uri: uriOf(name), page_count: 1 };
  return { ...document, file_uri: `note:${name}`, file_type: 'txt' };
};
// What `depth=pages` adds; `offset` and `limit` say which part of the pages is wanted.
const listing = (name, query) => {
  const offset = Number(query.get('offset') ?? 0);
  const pages = offset === 0 ? [pageOf(name)] : [];
  return { pages, page_offset: offset, page_limit: Number(query.get('limit') ?? 20), page_total: 1 };
};
const refusal = (code, message, data) => Object.assign(new Error(message), { code, data });
function jsonOf(uri) {
  const { pathname, searchParams } = new URL(uri);
  const [, name = '', kind, part] = pathname.split('/').map(decodeURIComponent);
  if (!notes.has(name)) throw refusal(4201, 'no such note', { doc_ref: name });
  if (kind === 'pages' && part !== '0')
    throw refusal(4202, 'no such page', { page_index: Number(part), page_count: 1 });
  if (kind === 'pages') return { ...pageOf(name), elements: [elementOf(name)] };
  if (kind === 'elements' && part !== 'text') throw refusal(4203, 'no such element', { element_id: part });
  if (kind === 'elements') return { ...elementOf(name), uri: `${uriOf(name)}/elements/text` };
  return searchParams.get('depth') === 'pages'
    ? { ...documentOf(name), ...listing(name, searchParams) }
    : documentOf(name);
}
const read = (uri) =>
  uri === window
    ? { mimeType: 'text/plain', text: [...notes.values()].at(-1) }
    : { mimeType: 'application/json', text: JSON.stringify(jsonOf(uri)) };

server.setRequestHandler(mcp.ListResourcesRequestSchema, () => ({
  resources: [
    { uri: window, name: 'latest note' },
    ...[...notes.keys()].map((name) => ({ uri: uriOf(name), name })),
  ],
}));
server.setRequestHandler(mcp.ReadResourceRequestSchema, ({ params: { uri } }) => ({
  contents: [{ uri, ...read(uri) }],
}));
server.setRequestHandler(mcp.SubscribeRequestSchema, () => ({}));
server.setRequestHandler(mcp.UnsubscribeRequestSchema, () => ({}));
const inputSchema = { type: 'object', properties: { name: { type: 'string' }, text: { type: 'string' } } };
server.setRequestHandler(mcp.ListToolsRequestSchema, () => ({
  tools: [{ name: 'write_note', inputSchema }],
}));
server.setRequestHandler(mcp.CallToolRequestSchema, async ({ params }) => {
  const { name, text } = params.arguments;
  const isNew = !notes.has(name);
  notes.set(name, text);
  // The list where it is another one, a content where it is: never both for one change.
  if (isNew) await server.sendResourceListChanged();
  else await server.sendResourceUpdated({ uri: uriOf(name) });
  await server.sendResourceUpdated({ uri: window });
  return { content: [{ type: 'text', text: 'written' }] };
});
await server.connect(new StdioServerTransport());
