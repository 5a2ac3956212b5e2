// First calls of a process by a computer, as it is published; prints the CPU of the process in µs.
import { createComputer } from 'a2c-actors/computer';

const echo = { command: process.execPath, args: [process.argv[2]], autoApprove: ['echo'] };
const computer = await createComputer({ config: { mcpServers: { echo } }, stateDir: false });
const sent = JSON.parse(process.argv[4] ?? '{"text":"hi"}');
let text = '';
for (let left = Number(process.argv[3]); left > 0; left -= 1) {
  const { result } = await computer.callTool('echo', sent).orThrow();
  text = result.content[0].text;
}
await computer.close();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ text, us: user + system }));
