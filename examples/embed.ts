/**
 * Office, computer and agent in one Node program: starts all three, calls one tool, prints what it said, closes.
 *
 *   npm ci && node --import tsx examples/embed.ts        (in a checkout; needs no network after `npm ci`)
 *
 * In real use the three stand in three programs, often on three machines; nothing else changes.
 */
import { fileURLToPath } from 'node:url';
import { createAgent, createComputer, createOffice } from 'a2c-actors';

// 1. The office is where agents and computers meet: a Socket.IO server on loopback. Port 0 = any free one.
//    `await using` closes it at the end of this file, after what was opened later, whatever happens in between.
await using office = await createOffice({ port: 0 });

// 2. The computer starts MCP servers and runs their tools. `mcpServers` is the shape that you know from Claude
//    Desktop or Cursor; a list or the protocol's own shape will do as well (docs/config.md).
await using computer = await createComputer({
  name: 'laptop',
  office: { url: office.url },
  config: {
    mcpServers: {
      greeter: {
        command: process.execPath,
        args: [fileURLToPath(new URL('greeter.mjs', import.meta.url))],
      },
    },
  },
  // Who may run what? Without this line every call is refused. A host with a window would ask its user here.
  confirm: ({ server, tool }) => (server === 'greeter' && tool === 'greet' ? 'allow' : 'deny'),
});
//    The computer is there at once, while its servers start. `servers.start` resolves when the server is ready.
await computer.servers.start('greeter');
const { tools: own } = await computer.tools();
console.log(`the computer has ${own.length} tool`);

// 3. The agent is the side with the model. It learns by itself who is there, and what they can do.
await using agent = await createAgent({ url: office.url });
const { tools } = await agent.tools('laptop');
console.log(`laptop offers: ${tools.map((tool) => tool.name).join(', ')}`);

// 4. A call never rejects: its outcome says `succeeded`, `failed`, or `unknown` when it was sent and the answer got
//    lost, so that you know whether the tool may have run.
const answer = await agent.callTool('laptop', 'greet', { name: 'world' }, { timeoutMs: 10_000 });
if (answer.outcome !== 'succeeded') throw new Error(`the call ${answer.outcome}: ${answer.failure.message}`);
for (const item of answer.result.content) if (item.type === 'text') console.log(`greet said: ${item.text}`);

// 5. Here the agent, the computer with its servers, and the office close, in this order. Nothing is left behind.
