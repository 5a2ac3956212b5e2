// A question to an agent of LangChain, whose tools come from a supervised MCP server.
//
//   npm install && ANTHROPIC_API_KEY=… node ask.mjs 'What does README.md say?' [FOLDER]
//
// The client and the agent are LangChain's and the SDK's; only the transport is ours. The server is started again when it
// dies, and no process is left however this program ends. Calls are not confirmed here: the server of this example only
// reads. For others see `humanInTheLoopMiddleware` of LangChain.
import { ChatAnthropic } from '@langchain/anthropic';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { supervised } from 'a2c-actors/transport';
import { createAgent } from 'langchain';

const [question = 'What does README.md say?', folder = '.'] = process.argv.slice(2);

const client = new Client({ name: 'a2c-langchain', version: '1.0.0' });
client.onerror = (error) => console.error(error.message); // with the exit code and stderr of the server
const server = { command: 'npx', args: ['-p', 'a2c-actors', 'a2c', 'documents', folder] };
try {
  await client.connect(supervised(server, { name: 'files', reconnect: true }));
  const model = new ChatAnthropic({ model: process.env.ANTHROPIC_MODEL ?? 'claude-sonnet-5-5' });
  const agent = createAgent({ model, tools: await loadMcpTools('files', client) });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] });
  console.log(messages.at(-1)?.text);
} finally {
  await client.close();
}
