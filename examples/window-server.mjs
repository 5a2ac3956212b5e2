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

const document = (name) => ({
  ...{ doc_ref: encodeURIComponent(name), uri: uriOf(name), file_uri: `note:${name}`, file_type: 'txt' },
  ...{ title: name, page_count: 1 },
});
const page = (name) => ({
  ...{ page_index: 0, title: name, doc_ref: encodeURIComponent(name), uri: `${uriOf(name)}/pages/0` },
  ...{
    elements: [{ element_id: 'text', category: 'text', content: { text: notes.get(name) } }],
    element_count: 1,
  },
});
function read(uri) {
  if (uri === window) return { mimeType: 'text/plain', text: [...notes.values()].at(-1) };
  const [, ref = '', kind, part] = new URL(uri).pathname.split('/').map(decodeURIComponent);
  if (!notes.has(ref)) throw Object.assign(new Error('no such note'), { code: 4201, data: { doc_ref: ref } });
  if (kind === undefined) return { mimeType: 'application/json', text: JSON.stringify(document(ref)) };
  const wrong = { page_index: Number(part), page_count: 1 };
  if (kind === 'pages' && part !== '0')
    throw Object.assign(new Error('no such page'), { code: 4202, data: wrong });
  return { mimeType: 'application/json', text: JSON.stringify(page(ref)) };
}

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
