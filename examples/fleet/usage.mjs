// An MCP server with one tool, which tells how its machine is.
import { arch, freemem, platform, totalmem } from 'node:os';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const gib = (bytes) => (bytes / 2 ** 30).toFixed(1);

const server = new McpServer({ name: 'machine', version: '1.0.0' });
server.registerTool(
  'usage',
  { description: 'Tells the free memory of this machine', annotations: { readOnlyHint: true } },
  () => {
    const text = `${platform()} ${arch()}, ${gib(freemem())} of ${gib(totalmem())} GiB free`;
    return { content: [{ type: 'text', text }] };
  },
);
await server.connect(new StdioServerTransport());
