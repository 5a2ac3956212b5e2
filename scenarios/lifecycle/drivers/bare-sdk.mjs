/** Drives one bare `Client` of the MCP SDK for each server; the judge must find its faults. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { drive, told } from './lines.mjs';

const clients = new Map();
const open = async ([name, server]) => {
  const client = new Client({ name: 'judged', version: '1.0.0' });
  const transport = server.url
    ? new StreamableHTTPClientTransport(new URL(server.url))
    : new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  clients.set(name, client);
};
drive(
  { name: '@modelcontextprotocol/sdk Client', can: ['timeout', 'cancel', 'http', 'idle'] },
  {
    start: async ({ servers }) => {
      await Promise.all(Object.entries(servers).map(open));
    },
    call: async ({ server, tool, args, timeoutMs, idleMs, signal }) => {
      const options = {
        signal,
        ...(timeoutMs && { timeout: timeoutMs }),
        ...(idleMs && { timeout: idleMs, resetTimeoutOnProgress: true, onprogress: () => {} }),
      };
      return told(await clients.get(server).callTool({ name: tool, arguments: args }, undefined, options));
    },
    tools: async () => {
      const lists = await Promise.all([...clients.values()].map((client) => client.listTools()));
      return { tools: lists.flatMap(({ tools }) => tools.map(({ name }) => name)) };
    },
    stop: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  },
);
