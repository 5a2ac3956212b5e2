/** Drives `MCPClient` of mcp-use, with a session for each server. */
import { driveClients, peer, requestOptions, supervised, supervisor, versionOf } from './lines.mjs';

process.env.MCP_USE_ANONYMIZED_TELEMETRY = 'false';
const { HttpConnector, MCPClient, MCPSession } = await peer('mcp-use');

driveClients(
  { name: 'mcp-use', version: versionOf('mcp-use'), can: ['timeout', 'cancel', 'http', 'idle'] },
  async (server, options) => {
    const client = new MCPClient({ mcpServers: { shaky: server } });
    const wrapTransport = () => supervised(server, options);
    const session = supervisor
      ? new MCPSession(new HttpConnector('http://shaky', { wrapTransport }))
      : await client.createSession('shaky');
    if (supervisor) await session.initialize();
    return {
      call: (order) => session.callTool(order.tool, order.args, requestOptions(order)),
      tools: async () => (await session.listTools()).map((tool) => tool.name),
      close: () => (supervisor ? session.disconnect() : client.closeAllSessions()),
    };
  },
);
