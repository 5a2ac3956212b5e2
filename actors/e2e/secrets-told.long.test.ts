import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { createAgent, createOffice, type LogEntry } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests that secrets of a launch config appear nowhere, although the server prints them in every possible way. */
const folder = testFolder('secrets');
afterEach(() => vi.unstubAllEnvs());
/** Planted secrets: the answer to a password input, a variable with a telling name, and a header. */
const secrets = ['k7!', 'x9$', 'long-secret-of-a-header'];
const server = `
const told = () => 'told ' + process.env.ANY + ' and ' + process.env.API_TOKEN + ' and ' + process.env.OLD_SECRET +
  ', ' + Buffer.from('bob:' + process.env.ANY).toString('base64');
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tools = ['fail', 'die', 'progress'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const act = {
  initialize: (id, { protocolVersion }) =>
    say({ id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'x', version: '1' } } }),
  'tools/list': (id) => say({ id, result: { tools } }),
  'tools/call': (id, { name, _meta }) => {
    process.stdout.write('garbage ' + told() + '\\n');
    say({ method: 'notifications/message', params: { level: 'error', logger: told(), data: { [told()]: told() } } });
    if (name === 'progress') {
      say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1, message: told() } });
      say({ id, result: { content: [] } });
    } else if (name === 'fail') say({ id, error: { code: -32000, message: told(), data: { [told()]: told() } } });
    else process.stderr.write(told() + '\\n', () => process.exit(3));
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  act[method]?.(id, params);
});
`;
const config = {
  inputs: [{ type: 'promptString' as const, id: 'any', password: true }],
  mcpServers: {
    teller: {
      command: process.execPath,
      args: ['-e', server],
      env: { ANY: '${input:any}', API_TOKEN: secrets[1], OLD_SECRET: secrets[2] },
      autoApprove: ['all'],
      a2c: { restart: 'never' as const },
    },
  },
};

it('no secret reaches a host, a peer, a trace or a terminal by stderr, noise, log, progress and errors', async () => {
  const office = await createOffice({ port: 0 });
  const told: unknown[] = [];
  const computer = await bootedComputer({
    ...{ config: foreign(config), name: 'c', office: { url: office.url }, input: async () => secrets[0] },
    ...{ log: (entry: LogEntry) => told.push(entry), logLevel: 'debug' as const },
    record: { profile: 'full' },
    onEvent: (name, value) => told.push(name, value),
  });
  const agent = await createAgent({ url: office.url });
  for (const tool of ['progress', 'fail']) {
    told.push(await computer.callTool(tool), await agent.callTool('c', tool));
  }
  told.push(await computer.callTool('die'), await agent.callTool('c', 'fail'));
  told.push(computer.status().servers, computer.status(), computer.calls(), computer.debug.catalogs());
  told.push(await agent.config('c'));
  const trace = readFileSync(await computer.debug.writeTrace(folder), 'utf8');
  for (const handle of [agent, computer, office]) await handle.close();
  const all = JSON.stringify(told);
  // The server has printed its secrets in each of these ways.
  expect(told.filter((name) => name === 'server.logged')).toHaveLength(5);
  expect(told.filter((name) => name === 'call.progress')).toHaveLength(2);
  expect(computer.status()).toMatchObject({ servers: [{ noise: { last: expect.stringContaining('***') } }] });
  expect(all).toContain('exit code 3');
  for (const text of [all, trace])
    for (const secret of [...secrets, Buffer.from(`bob:${secrets[0]}`).toString('base64')])
      expect(text).not.toContain(secret);
});

it('no command shows a secret that a server tells', async () => {
  const file = join(folder, 'a2c.json');
  writeFileSync(file, JSON.stringify(config));
  // No person can be asked in this test, so the environment gives the value of the input.
  vi.stubEnv('A2C_SMCP_any', secrets[0] ?? '');
  for (const argv of [
    ['call', 'fail'],
    ['call', 'die'],
    ['call', 'progress', '--facts'],
    ['call', 'die', '--json'],
    ['call', 'fail', '--log-level=debug'],
  ]) {
    const { out, err } = await commandLine([...argv, '-c', file]);
    for (const secret of secrets) expect(out + err).not.toContain(secret);
    expect(out + err).toContain('***');
  }
});
