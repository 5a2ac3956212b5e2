/** Drives `createMCPClient` of @ai-sdk/mcp, one for each server. */
import { driveClients, peer, supervised, supervisor, versionOf } from './lines.mjs';

const { createMCPClient } = await peer('@ai-sdk/mcp');
const { Experimental_StdioMCPTransport: Stdio } = await peer('@ai-sdk/mcp/mcp-stdio');
const bare = (server) =>
  server.url ? { type: 'http', url: server.url } : new Stdio({ ...server, stderr: 'ignore' });

driveClients(
  { name: '@ai-sdk/mcp', version: versionOf('@ai-sdk/mcp'), can: ['cancel', 'http'] },
  async (server, options) => {
    const transport = supervisor ? supervised(server, options) : bare(server);
    const client = await createMCPClient({ transport });
    const tools = await client.tools();
    return {
      call: ({ tool, args, signal }) =>
        tools[tool].execute(args, { toolCallId: 'x', messages: [], abortSignal: signal }),
      tools: async () => Object.keys(await client.tools()),
      close: () => client.close(),
    };
  },
);
