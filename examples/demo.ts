// `npm run demo`: an office, a computer with six servers of which one flaps, one never answers and one lacks an input, and
// an agent that calls them. The page of the inspector shows all of it. Ctrl-C ends everything.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createAgent, createComputer, createOffice } from 'a2c-actors';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const demo = (mode: string) => ({
  command: process.execPath,
  args: [at('demo-server.mjs'), mode],
  autoApprove: ['all'],
});
const config = {
  mcpServers: {
    steady: demo('steady'),
    slow: demo('slow'),
    flapping: { ...demo('flapping'), a2c: { restartBudget: 1_000 } },
    mute: { ...demo('mute'), a2c: { timeouts: { connectMs: 10_000 } } },
    notebook: { command: process.execPath, args: [at('window-server.mjs')] },
    // Nobody is there to be asked: it says which variable would give the value.
    mail: { ...demo('steady'), env: { TOKEN: '${input:mail_token}' } },
  },
  inputs: [
    {
      type: 'promptString' as const,
      id: 'mail_token',
      description: 'Token of the mail server',
      password: true,
    },
  ],
};

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());

await using office = await createOffice({ port: 0 });
await using computer = await createComputer({
  name: 'desk',
  config,
  office: { url: office.url },
  timing: { bootMs: 3_000 },
});
await using agent = await createAgent({ url: office.url, name: 'demo' });
const { url } = await computer.debug.inspect({ allowControl: true });
console.log(`The page of the demonstration, with a token that is for you alone:\n\n  ${url}\n`);
console.log(
  'flapping dies again and again, mute never answers, mail lacks a value; some calls fail on purpose.',
);
console.log('Servers says why, Calls what became of each. Ctrl-C ends it.');

const tools = ['steady_work', 'slow_work', 'flapping_work', 'steady_fail', 'no_such_tool'];
const calling = setInterval(() => {
  const tool = tools[Math.floor(Math.random() * tools.length)] ?? '';
  void agent.callTool('desk', tool, {}, { timeoutMs: 5_000 });
}, 700);
if (!end.signal.aborted) await once(end.signal, 'abort');
clearInterval(calling);
