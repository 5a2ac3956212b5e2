/** Drives mcp-proxy, which shows servers over stdio at URLs, with a plain client of the official SDK at each URL. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { folder, pipVersion, startGateway } from './gateways.mjs';
import { drive, requestOptions, told } from './lines.mjs';

let gateway;
const clients = new Map();

drive(
  { name: 'mcp-proxy', version: pipVersion('mcp-proxy'), can: ['timeout', 'cancel'] },
  {
    start: async ({ servers }) => {
      gateway = await startGateway({
        servers,
        path: '/status',
        wordsOf: (file, port) => [
          join(folder, 'bin/mcp-proxy'),
          ...['--port', String(port), '--named-server-config', file],
        ],
      });
      for (const name of Object.keys(servers)) {
        const client = new Client({ name: 'judged', version: '1.0.0' });
        const url = new URL(`${gateway.base}/servers/${name}/mcp`);
        await client.connect(new StreamableHTTPClientTransport(url));
        clients.set(name, client);
      }
      return { pid: gateway.pid };
    },
    call: async (order) => {
      const client = clients.get(order.server);
      if (!client) throw new Error('it has not started');
      return told(await client.callTool({ name: order.tool, arguments: order.args }, requestOptions(order)));
    },
    tools: async () => {
      const lists = await Promise.all([...clients.values()].map((client) => client.listTools()));
      return { tools: lists.flatMap(({ tools }) => tools.map(({ name }) => name)) };
    },
    stop: async () => {
      for (const client of clients.values()) await client.close();
      await gateway.stop();
    },
  },
);
