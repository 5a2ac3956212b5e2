// An agent of the fleet: node --env-file=NAME.env agent.mjs. It asks each computer of its room how it is.
import { createAgent } from 'a2c-actors';

const { A2C_URL: url, A2C_ROOM: room, A2C_NAME: name, A2C_TOKEN: token } = process.env;

const agent = await createAgent({ url, office: room, name, auth: token, keepTrying: true });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void agent.close());

async function ask(computer) {
  // A call never rejects: its outcome is `succeeded`, `failed` or `unknown`.
  const answer = await agent.callTool(computer, 'usage', {}, { timeoutMs: 10_000 });
  const text =
    answer.outcome === 'succeeded'
      ? answer.result.content.map((item) => item.text).join('')
      : answer.failure.message;
  console.log(`${computer}: ${text}`);
}
// Event of each computer that is there or comes later.
agent.on('tools.changed', ({ computer, added }) => {
  if (added.includes('usage')) void ask(computer);
});
agent.on('computer.left', ({ computer }) => console.log(`${computer} left`));
agent.on('link.changed', ({ state, reason }) => {
  if (reason !== null) console.warn(`${state}: ${reason}`);
});
