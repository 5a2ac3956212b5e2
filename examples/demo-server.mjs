// An MCP server for `npm run demo`: `steady` serves, `slow` takes its time, `flapping` ends by itself every few seconds,
// `mute` never answers.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const [mode = 'steady'] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const said = (text) => ({ content: [{ type: 'text', text }] });

if (mode === 'mute') {
  process.stdin.on('end', () => process.exit()).resume();
} else {
  const server = new McpServer({ name: mode, version: '1.0.0' });
  server.registerTool(`${mode}_work`, { description: `Works as a ${mode} server does` }, async () => {
    await pause(mode === 'slow' ? 1_500 : 100);
    return said(`done at ${new Date().toISOString()}`);
  });
  server.registerTool(`${mode}_fail`, { description: 'Fails' }, () => ({
    ...said('not today'),
    isError: true,
  }));
  await server.connect(new StdioServerTransport());
  if (mode === 'flapping') {
    await pause(4_000);
    process.stderr.write('the licence has expired\n');
    process.exit(7);
  }
}
