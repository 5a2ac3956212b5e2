/** Drives mcp-hub by its REST interface. */
import { join } from 'node:path';
import { folder, post, startGateway } from './gateways.mjs';
import { drive, told, versionOf } from './lines.mjs';

let gateway;
const servers = async () => (await (await fetch(`${gateway.base}/api/servers`)).json()).servers;

drive(
  { name: 'mcp-hub', version: versionOf('mcp-hub'), can: ['http', 'status'] },
  {
    start: async ({ servers: given }) => {
      gateway = await startGateway({
        servers: given,
        path: '/api/health',
        isReady: ({ state }) => state === 'ready',
        wordsOf: (file, port) => [
          ...[process.execPath, join(folder, 'node_modules/mcp-hub/dist/cli.js')],
          ...['--port', String(port), '--config', file],
        ],
      });
      return { pid: gateway.pid };
    },
    call: async ({ server, tool, args, signal }) => {
      const order = { server_name: server, tool, arguments: args };
      const { result } = await post(`${gateway.base}/api/servers/tools`, order, signal);
      return told(result);
    },
    tools: async () => ({
      tools: (await servers()).flatMap(({ capabilities }) => capabilities.tools.map(({ name }) => name)),
    }),
    status: async () => ({
      ready: (await servers()).flatMap(({ name, status }) => (status === 'connected' ? [name] : [])),
    }),
    stop: () => gateway.stop(),
  },
);
