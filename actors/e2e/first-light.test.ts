import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

const everything = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
const config = {
  servers: {
    everything: {
      type: 'stdio',
      default_tool_meta: { auto_apply: true },
      server_parameters: { command: process.execPath, args: [everything, 'stdio'] },
    },
  },
};

test('the echo tool of server-everything answers through agent, office, computer and child', async () => {
  await using hosts = await bootedHosts({ config: foreign(config) });
  const { computer, agent } = hosts;
  expect(computer.status().servers).toMatchObject([{ name: 'everything', state: 'ready' }]);
  expect((await agent.tools('c1')).tools.map((t) => t.name)).toContain('echo');
  const answer = await agent.callTool('c1', 'echo', { message: 'first light' });
  expect(answer).toMatchObject({
    outcome: 'succeeded',
    result: { content: [{ type: 'text', text: 'Echo: first light' }] },
  });
});
