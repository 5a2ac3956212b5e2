/** Drives `MultiServerMCPClient` of @langchain/mcp-adapters, one for each server. */
import { driveClients, peer, supervised, supervisor, versionOf } from './lines.mjs';

const { loadMcpTools, MultiServerMCPClient } = await peer('@langchain/mcp-adapters');
const { Client } = await peer('@modelcontextprotocol/sdk/client/index.js');
const bare = (server) =>
  new MultiServerMCPClient({
    mcpServers: { shaky: server.url ? server : { ...server, transport: 'stdio', stderr: 'ignore' } },
  });

driveClients(
  {
    name: '@langchain/mcp-adapters',
    version: versionOf('@langchain/mcp-adapters'),
    can: ['timeout', 'cancel', 'http'],
  },
  async (server, options) => {
    const client = supervisor ? new Client({ name: 'judged', version: '1.0.0' }) : bare(server);
    if (supervisor) await client.connect(supervised(server, options));
    const load = () => (supervisor ? loadMcpTools('shaky', client) : client.getTools());
    const tools = await load();
    return {
      call: async ({ tool, args, timeoutMs, signal }) => {
        const found = tools.find((each) => each.name === tool);
        const text = await found.invoke(args, { signal, ...(timeoutMs && { timeout: timeoutMs }) });
        return { content: [{ text: typeof text === 'string' ? text : JSON.stringify(text) }] };
      },
      tools: async () => (await load()).map((each) => each.name),
      close: () => client.close(),
    };
  },
);
