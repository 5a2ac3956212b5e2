/** Drives `Client` of @modelcontextprotocol/client, one for each server. */
import { driveClients, peer, requestOptions, supervised, supervisor, versionOf } from './lines.mjs';

const { Client, StreamableHTTPClientTransport } = await peer('@modelcontextprotocol/client');
const { StdioClientTransport } = await peer('@modelcontextprotocol/client/stdio');
const bare = (server) =>
  server.url
    ? new StreamableHTTPClientTransport(new URL(server.url))
    : new StdioClientTransport({ ...server, stderr: 'ignore' });

driveClients(
  {
    name: '@modelcontextprotocol/client',
    version: versionOf('@modelcontextprotocol/client'),
    can: ['timeout', 'cancel', 'http', 'idle'],
  },
  async (server, options) => {
    const client = new Client({ name: 'judged', version: '1.0.0' });
    await client.connect(supervisor ? supervised(server, options) : bare(server));
    return {
      call: (order) => client.callTool({ name: order.tool, arguments: order.args }, requestOptions(order)),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
      close: () => client.close(),
    };
  },
);
