/** Drives `MCPServer` of @openai/agents, one for each server. */
import { driveClients, peer, supervised, supervisor, versionOf } from './lines.mjs';

const { MCPServerStdio, MCPServerStreamableHttp } = await peer('@openai/agents');
const bare = (server) =>
  server.url
    ? new MCPServerStreamableHttp(server)
    : new MCPServerStdio({ ...server, clientSessionTimeoutSeconds: 60 });

/** `MCPServer` of the agents, over a client with a supervised transport. */
async function over(server, options) {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'judged', version: '1.0.0' });
  return {
    name: 'shaky',
    cacheToolsList: false,
    connect: () => client.connect(supervised(server, options)),
    close: () => client.close(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (tool, args) => (await client.callTool({ name: tool, arguments: args ?? {} })).content,
    invalidateToolsCache: async () => {},
  };
}

driveClients(
  { name: '@openai/agents', version: versionOf('@openai/agents'), can: ['http'] },
  async (given, options) => {
    const server = supervisor ? await over(given, options) : bare(given);
    await server.connect();
    return {
      call: async ({ tool, args }) => ({ content: await server.callTool(tool, args) }),
      tools: async () => (await server.listTools()).map((tool) => tool.name),
      close: () => server.close(),
    };
  },
);
