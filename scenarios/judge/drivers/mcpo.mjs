/** Drives mcpo, which shows the tools of MCP servers as an OpenAPI. */
import { join } from 'node:path';
import { folder, pipVersion, post, startGateway } from './gateways.mjs';
import { drive } from './lines.mjs';

let gateway;
let names;
const entryOf = (server) => (server.url ? { type: 'streamable-http', url: server.url } : server);

drive(
  { name: 'mcpo', version: pipVersion('mcpo'), can: ['http'] },
  {
    start: async ({ servers }) => {
      names = Object.keys(servers);
      const entries = Object.entries(servers).map(([name, server]) => [name, entryOf(server)]);
      gateway = await startGateway({
        servers: Object.fromEntries(entries),
        path: '/openapi.json',
        wordsOf: (file, port) => [
          join(folder, 'bin/mcpo'),
          ...['--host', '127.0.0.1', '--port', String(port), '--config', file],
        ],
      });
      return { pid: gateway.pid };
    },
    call: async ({ server, tool, args, signal }) => {
      const result = await post(`${gateway.base}/${server}/${tool}`, args, signal);
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      return { text: text.slice(0, 300), bytes: text.length, isError: false };
    },
    tools: async () => {
      const lists = names.map(async (name) => {
        const { paths } = await (await fetch(`${gateway.base}/${name}/openapi.json`)).json();
        return Object.keys(paths).map((path) => path.slice(1));
      });
      return { tools: (await Promise.all(lists)).flat() };
    },
    stop: () => gateway.stop(),
  },
);
