import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { createSupervisor, type SupervisedOptions } from '../../../actors/transport/index.ts';
import { attachTo } from '../../fixtures/attached.ts';
import { replay, worldOf } from '../../replay/index.ts';
import { calmly, client, connected, server } from './supervised.subject.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const folder = testFolder('transport');

describe('a supervised transport', () => {
  it('is a transport of a client of the SDK 1.x', async () => {
    await using supervisor = createSupervisor(calmly);
    const transport = supervisor.supervised(server({}));
    const one = new OlderClient({ name: 'test', version: '1.0.0' });
    await one.connect(transport);
    expect(transport.name).toBe('fault-server');
    expect(await one.callTool({ name: 'read', arguments: {} })).toMatchObject({
      content: [{ type: 'text' }],
    });
    await one.close();
  });

  it.each([
    ['ended with exit code 2', server({ faults: [{ fault: 'proc.exit', code: 2, when: 'start' }] })],
    ['command not found', { command: 'no-such-program' }],
    ['ECONNREFUSED', 'http://127.0.0.1:9/mcp'],
  ])('is not tried again when its first start fails, and tells why: %s', async (why, given) => {
    const notices: string[] = [];
    const onNotice = (text: string): void => void notices.push(text);
    const supervisor = createSupervisor({ ...calmly, stateDir: join(folder, 'first'), onNotice });
    const one = client();
    const errors: string[] = [];
    one.onerror = ({ message }) => void errors.push(message);
    // A second try would come after an hour, and the test would end before it.
    const transport = supervisor.supervised(given, { name: 'first', reconnect: { firstMs: 3_600_000 } });
    const error = await one.connect(transport).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error?.message).toMatch(new RegExp(`^(MCP error -32000: )?Server 'first'.*${why}`));
    await supervisor.close();
    const words = error?.message.replace('MCP error -32000: ', '') ?? '';
    for (const text of [...errors, ...notices]) expect(text).toContain(words);
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

  it.each<[what: string, reconnect: SupervisedOptions['reconnect'], losses: number]>([
    ['each loss of a server that is connected again', { firstMs: 1 }, 2],
    ['the loss of one that is not', false, 1],
  ])(
    'tells %s once, with its end, and writes one trace of all in a minute',
    async (what, reconnect, losses) => {
      const stateDir = join(folder, what);
      const notices: string[] = [];
      const onNotice = (text: string): void => void notices.push(text);
      const supervisor = createSupervisor({ ...calmly, stateDir, onNotice });
      const faults = [{ fault: 'proc.exit', code: 3, when: 'call' }];
      const { client: one } = await connected(supervisor, { faults }, { reconnect });
      for (let n = 1; n <= losses; n += 1) {
        await expect(one.callTool({ name: 'read', arguments: {} })).rejects.toThrow('ended with exit code 3');
        await expect.poll(() => notices).toHaveLength(n);
      }
      await supervisor.close();
      const first = /^server shaky [^;]* ended with exit code 3; see a2c replay .*\.ndjson$/;
      const again = "server shaky was lost: Server 'shaky' ended with exit code 3";
      expect(notices).toEqual([expect.stringMatching(first), again].slice(0, losses));
      expect(readdirSync(join(stateDir, 'traces'))).toHaveLength(1);
    },
  );

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
});
