// First calls of a process by the SDK's own client; prints the CPU of the process in µs.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [process.argv[2]] }));
const sent = JSON.parse(process.argv[4] ?? '{"text":"hi"}');
let text = '';
for (let left = Number(process.argv[3]); left > 0; left -= 1) {
  const { content } = await client.callTool({ name: 'echo', arguments: sent });
  text = content[0].text;
}
await client.close();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ text, us: user + system }));
