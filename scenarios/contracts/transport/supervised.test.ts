import { readdirSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createSupervisor,
  type SupervisedOptions,
  type Supervisor,
} from '../../../actors/transport/index.ts';
import { attachTo } from '../../fixtures/attached.ts';
import { replay, worldOf } from '../../replay/index.ts';

const faultServer = fileURLToPath(new URL('../../fault-server/fault-server.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2c-transport-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const server = (config: object) => ({
  command: process.execPath,
  args: [faultServer, JSON.stringify({ tools: { read: { takes: 50 } }, lifeMs: 60_000, ...config })],
});
const calmly = { stateDir: false, reaper: false } as const;
const client = (): Client => new Client({ name: 'test', version: '1.0.0' });
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
async function connected(supervisor: Supervisor, config: object, options: SupervisedOptions = {}) {
  const transport = supervisor.supervised(server(config), { name: 'shaky', ...options });
  const one = client();
  await one.connect(transport);
  return { transport, client: one };
}

describe('a supervised transport', () => {
  it.each([
    ['@modelcontextprotocol/client 2.x', client],
    ['@modelcontextprotocol/sdk 1.x', () => new OlderClient({ name: 'test', version: '1.0.0' })],
  ])('is a transport of a client of %s, and its close ends the process', async (_name, made) => {
    await using supervisor = createSupervisor(calmly);
    const transport = supervisor.supervised(server({}));
    const one = made();
    await one.connect(transport);
    expect(transport.name).toBe('fault-server');
    const { tools } = await one.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['read']);
    expect(await one.callTool({ name: 'read', arguments: {} })).toMatchObject({
      content: [{ type: 'text' }],
    });
    const pid = transport.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await one.close();
    expect(isAlive(pid)).toBe(false);
    await expect(transport.start()).rejects.toThrow('was started before');
  });

  it('tells exit code and stderr of a server that dies in a call, and closes', async () => {
    await using supervisor = createSupervisor(calmly);
    const { client: one } = await connected(supervisor, {
      faults: [
        { fault: 'proc.stderrFlood', bytes: 12, when: 'call' },
        { fault: 'proc.exit', code: 3, when: 'call', afterMs: 20 },
      ],
    });
    const closed = new Promise<void>((resolve) => (one.onclose = resolve));
    const errors: Error[] = [];
    one.onerror = (error) => void errors.push(error);
    await expect(one.callTool({ name: 'read', arguments: {} })).rejects.toMatchObject({
      message: expect.stringContaining("Server 'shaky' ended with exit code 3; stderr: flood flood"),
      code: -32_000,
      data: { code: 'ServerLost', exit_code: 3, stderr: expect.stringContaining('flood') },
    });
    await closed;
    expect(errors).toMatchObject([{ name: 'A2cError', code: 'ServerLost' }]);
  });

  it('tells why a server cannot be started', async () => {
    await using supervisor = createSupervisor(calmly);
    await expect(
      client().connect(supervisor.supervised({ command: 'no-such-program' })),
    ).rejects.toMatchObject({
      code: 'NotStartable',
      message: expect.stringContaining('command not found'),
    });
    await expect(
      client().connect(
        supervisor.supervised(
          server({ faults: [{ fault: 'proc.crashLoop', n: 1 }], starts: join(folder, 'n') }),
        ),
      ),
    ).rejects.toThrow('ended with exit code 1');
  });

  it('connects again where that is wanted: the lost call fails with its reason, the next one works', async () => {
    await using supervisor = createSupervisor(calmly);
    const { client: one, transport } = await connected(
      supervisor,
      {
        starts: join(folder, 'again'),
        faults: [{ fault: 'proc.exit', code: 3, when: 'call' }],
        later: { '2': { faults: [] } },
      },
      { reconnect: { firstMs: 1 } },
    );
    const first = transport.pid;
    const lost = new Promise<Error>((resolve) => (one.onerror = resolve));
    await expect(one.callTool({ name: 'read', arguments: {} })).rejects.toThrow('ended with exit code 3');
    // Sent while nothing is connected: it waits for the next process.
    expect(await one.callTool({ name: 'read', arguments: {} })).toMatchObject({
      content: [{ type: 'text' }],
    });
    expect(await lost).toMatchObject({ code: 'ServerLost', details: { exit_code: 3 } });
    expect(transport.pid).not.toBe(first);
    await one.close();
  });

  it('is recorded, and its server is played from the recording to another client', async () => {
    const supervisor = createSupervisor({ ...calmly, record: { dir: folder } });
    const { client: one } = await connected(supervisor, {
      tools: { read: { answers: { content: [{ type: 'text', text: 'recorded' }] } } },
    });
    const told = await one.callTool({ name: 'read', arguments: { path: 'a' } });
    await one.close();
    await supervisor.close();
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
    expect(await replay(join(folder, file))).toMatchObject({ verdict: 'same' });
    const world = worldOf(join(folder, file));
    await using played = createSupervisor(world.supervisor);
    const other = client();
    await other.connect(played.supervised({ command: 'not-run' }, { name: 'shaky' }));
    expect(other.getServerVersion()?.name).toBe('fault-server');
    expect(await other.callTool({ name: 'read', arguments: { path: 'a' } })).toEqual(told);
    expect(world.misses).toEqual([]);
    await expect(other.callTool({ name: 'read', arguments: { path: 'b' } })).rejects.toThrow('Not recorded');
  });

  it('passes on a transport of the client itself, once', async () => {
    await using supervisor = createSupervisor(calmly);
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const theirs = new StdioClientTransport({ ...server({}), stderr: 'ignore' });
    const one = client();
    await one.connect(supervisor.supervised(theirs, { reconnect: { firstMs: 1 } }));
    expect((await one.listTools()).tools).toHaveLength(1);
    const closed = new Promise<void>((resolve) => (one.onclose = resolve));
    const errors: string[] = [];
    one.onerror = ({ message }) => void errors.push(message);
    process.kill(theirs.pid ?? 0, 'SIGKILL');
    await closed;
    expect(errors.at(-1)).toContain("the transport of 'transport' cannot be started twice");
  });

  it('is a row on a page of its supervisor', async () => {
    await using supervisor = createSupervisor({ ...calmly, name: 'my-host' });
    await connected(supervisor, {});
    await using page = await supervisor.inspect();
    const seen = await attachTo(page.url);
    const welcome = await seen.until(({ messages }) => messages.find(({ type }) => type === 'welcome'));
    expect(welcome).toMatchObject({ host: { kind: 'supervisor', name: 'my-host', pid: process.pid } });
    expect(JSON.stringify(seen.rows)).toContain('client:shaky');
  });

  it.each([
    ['a URL of another kind', 'ftp://example.com', {}],
    ['headers of a command', server({}), { headers: { a: 'b' } }],
    ['a time that is none', server({}), { connectMs: Number.NaN }],
    ['no command', {} as never, {}],
  ])('refuses %s', (_what, given, options) => {
    expect(() => createSupervisor(calmly).supervised(given, options)).toThrow('supervised: ');
  });
});
