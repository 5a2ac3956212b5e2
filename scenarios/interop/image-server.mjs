/** An MCP server for the suite, without any library: `echo`, and `image` of as many bytes as are asked for. */
import { createInterface } from 'node:readline';

const tool = (name, type, key) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { [key]: { type } }, required: [key] },
});
const bytesOf = (length) => Buffer.from(Uint8Array.from({ length }, (_, i) => i % 251));
const contentOf = ({ name, arguments: { text, bytes } }) =>
  name === 'echo'
    ? { type: 'text', text }
    : { type: 'image', mimeType: 'image/png', data: bytesOf(bytes).toString('base64') };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'images', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [tool('echo', 'string', 'text'), tool('image', 'integer', 'bytes')] }),
  'tools/call': (params) => ({ content: [contentOf(params)] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer
    ? { result: answer(params) }
    : { error: { code: -32_601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
