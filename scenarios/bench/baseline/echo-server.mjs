// Smallest MCP server over stdio: one JSON-RPC message a line, one tool that returns its text.
import { createInterface } from 'node:readline';

const tools = [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = answers[method]?.(params);
    if (result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  })
  .on('close', () => process.exit());
