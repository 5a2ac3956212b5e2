// An MCP server that dies on one customer.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const orders = { BOLT: [12, 30], CARO: [7] };
function sum(customer) {
  if (!orders[customer]) crash(`no orders of ${customer}`); // mended: return 0
  return orders[customer].reduce((a, b) => a + b, 0);
}
function crash(why) {
  console.error(why);
  process.exit(3);
}

const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool(
  'report',
  { description: 'Sum of all orders', inputSchema: { customer: z.string() } },
  ({ customer }) => ({ content: [{ type: 'text', text: `${customer}: ${sum(customer)}` }] }),
);
await server.connect(new StdioServerTransport());
