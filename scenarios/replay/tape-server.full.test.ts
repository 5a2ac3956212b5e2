import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { recordedCustomers } from '../fixtures/customers.ts';
import { systemClock } from '../../actors/api/world-doors.ts';
import { playOverPipes } from './tape-server.ts';
import { playedServers, traceOf } from './world/world.ts';
import type { PlayedServer } from './world/played-server.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { main } from '../fixtures/checkout.ts';

interface SdkClient {
  readonly client: Client;
  readonly ended: Promise<string>;
}
async function sdkClient([command = '', ...args]: readonly string[]): Promise<SdkClient> {
  const transport = new StdioClientTransport({ command, args: [...args], stderr: 'pipe' });
  let written = '';
  const { stderr } = transport;
  const drained = new Promise<void>((resolve) => stderr?.on('end', resolve));
  stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const client = new Client({ name: 'sdk', version: '1.0.0' });
  const closed = new Promise<void>((resolve) => (client.onclose = resolve));
  await client.connect(transport);
  return { client, ended: Promise.all([drained, closed]).then(() => written) };
}

const file = await recordedCustomers('die');
const played = (...more: readonly string[]): readonly string[] => [
  process.execPath,
  main,
  'replay',
  file,
  '--server',
  'customers',
  ...more,
];
const call = (customer: string) => ({ name: 'report', arguments: { customer } });

describe('a recorded server on stdin and stdout', () => {
  it('answers the client of the MCP SDK, and dies after the request that killed it', async () => {
    const { client, ended } = await sdkClient(played());
    expect(client.getServerVersion()).toMatchObject({ name: 'customers' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['report', 'book']);
    expect(await client.callTool(call('Bolt'))).toMatchObject({ structuredContent: { customer: 'Bolt' } });
    await expect(client.callTool(call('ACME'))).rejects.toThrow('Connection closed');
    expect(await ended).toMatch(
      /^playing 'customers' of .*: 3 recorded requests\n.*no such customer\nended as recorded: exit code 3\n$/s,
    );
  });
  it('says what was not recorded, to the client and on stderr', async () => {
    const { client, ended } = await sdkClient(played());
    const miss = /Not recorded in .*: tools\/call report \{"customer":"Other"\}\. The nearest is record \d+/;
    await expect(client.callTool(call('Other'))).rejects.toThrow(miss);
    await client.close();
    expect(await ended).toMatch(miss);
  });
  it('matches less where it is told so', async () => {
    const { client } = await sdkClient(played('--match', 'tool'));
    expect(await client.callTool(call('Other'))).toMatchObject({ structuredContent: { customer: 'Bolt' } });
    await client.close();
  });
  it('ends with the recorded exit code', async () => {
    const [command = '', ...args] = played();
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    for (const [id, method, params] of [
      [1, 'initialize', { protocolVersion: '2025-06-18' }],
      [2, 'tools/call', call('ACME')],
    ] as const)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
  it('ends with its input, and with Ctrl-C', async () => {
    const servers = playedServers(traceOf(file), {}, { clock: systemClock, missed: () => {} });
    const server = servers.get('customers') as PlayedServer;
    const input = new PassThrough();
    const [output, aborter] = [new PassThrough(), new AbortController()];
    const first = playOverPipes(server, { input, output }, aborter.signal, () => {});
    input.end();
    expect(await first).toBe(0);
    const second = playOverPipes(server, { input: new PassThrough(), output }, aborter.signal, () => {});
    aborter.abort();
    expect(await second).toBe(0);
  });
});
