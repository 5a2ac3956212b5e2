// An agent: `node agent.mjs URL`. agent.py is the same with the Python SDK.
import { createAgent } from 'a2c-actors';

// `AsyncSMCPAgentClient`, `connect_to_server` and `join_office` in one; it joins again by itself.
const agent = await createAgent({ url: process.argv[2], office: 'team', name: 'helper' });
const { tools } = await agent.tools('laptop');
// `greeter__greet` of a Python computer, `greet` of one of a2c-actors.
const { name } = tools.find((tool) => tool.name.endsWith('greet'));
const answer = await agent.callTool('laptop', name, { name: 'world' }, { timeoutMs: 10_000 });
console.log(answer.outcome === 'succeeded' ? answer.result.content[0]?.text : answer.failure.message);
await agent.close();
