/** Drives `Client` of @modelcontextprotocol/sdk, one for each server. */
import { driveClients, peer, requestOptions, supervised, supervisor, versionOf } from './lines.mjs';

const { Client } = await peer('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await peer('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = await peer('@modelcontextprotocol/sdk/client/streamableHttp.js');
const bare = (server) =>
  server.url
    ? new StreamableHTTPClientTransport(new URL(server.url))
    : new StdioClientTransport({ ...server, stderr: 'ignore' });

driveClients(
  {
    name: '@modelcontextprotocol/sdk',
    version: versionOf('@modelcontextprotocol/sdk'),
    can: ['timeout', 'cancel', 'http', 'idle'],
  },
  async (server, options) => {
    const client = new Client({ name: 'judged', version: '1.0.0' });
    await client.connect(supervisor ? supervised(server, options) : bare(server));
    return {
      call: (order) =>
        client.callTool({ name: order.tool, arguments: order.args }, undefined, requestOptions(order)),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
      close: () => client.close(),
    };
  },
);
