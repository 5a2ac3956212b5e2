// The least relay between a client and a server over stdio, by hand over the SDK: node relay.mjs COMMAND ARGUMENTS…
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const [, , command, ...args] = process.argv;
const client = new Client({ name: 'relay', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
const server = new Server({ name: 'relay', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => client.listTools());
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
process.stdin.on('end', () => void client.close().then(() => process.exit()));
await server.connect(new StdioServerTransport());
