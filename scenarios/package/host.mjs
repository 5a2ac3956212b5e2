// Host that bundlers bundle: starts a server, calls it, opens the page, and says in one line what came of it. Runs until its stdin
// ends.
import { createComputer } from 'a2c-actors';

const { SERVER: server, NODE: node } = process.env;
const told = [];
const said = (error) => ({ code: error.code, message: error.message, remedy: error.remedy });
const config = (more) => ({
  mcpServers: { s: { command: node, args: [server], autoApprove: ['all'], ...more } },
});
const make = (more) => createComputer({ config: config(more), onNotice: (text) => told.push(text) });

async function main() {
  const computer = await make({});
  const { tools } = await computer.tools();
  const { outcome } = await computer.callTool(tools[0].name, { text: 'x' });
  const page = await computer.debug.inspect().then(async ({ url }) => (await fetch(url)).status, said);
  const vrl = await make({ vrl: '.a = 1' }).then(async (other) => {
    await other.close();
    return 'checked';
  }, said);
  process.stdout.write(`${JSON.stringify({ pid: process.pid, outcome, page, vrl, told })}\n`);
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once('end', resolve));
  await computer.close();
}

// Not awaited at the top, because CommonJS has no such thing.
main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
