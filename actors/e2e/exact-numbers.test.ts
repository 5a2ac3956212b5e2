import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('exact');
const long = '1917043659912705296';
/** Program of a server that answers with an integer larger than a JavaScript number can hold exactly. */
const source = `
import { createInterface } from 'node:readline';
const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const answers = {
  initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
  'tools/list': JSON.stringify({ tools: [{ name: 'find', inputSchema: { type: 'object' }, outputSchema: schema }] }),
  'tools/call': '{"content":[],"structuredContent":{"id":${long},"f":0.1}}',
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + id + ',"result":' + (answers[method] ?? '{}') + '}');
});
`;

it('an integer of a server that a number cannot hold is named, here and behind an office', async () => {
  const file = join(folder, 'server.mjs');
  writeFileSync(file, source);
  const { computer, agent } = closedAfter(
    await bootedHosts({
      config: { mcpServers: { s: { command: process.execPath, args: [file], autoApprove: ['all'] } } },
    }),
  );
  await agent.tools('c1');
  const said = ['structuredContent.id may have lost digits: it is read as 1917043659912705300'];
  const result = { structuredContent: { id: Number(long), f: 0.1 }, _meta: { a2c_warnings: said } };
  for (const call of [computer.callTool('find'), agent.callTool('c1', 'find')])
    expect(await call).toMatchObject({ outcome: 'succeeded', result });
});
