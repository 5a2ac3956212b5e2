import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { halfOf, upgradeOf } from '../../scenarios/fixtures/raw-socket.ts';
import { createAgent } from '../index.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

const token = 'the-token';
const strangers: Socket[] = [];
afterEach(() => {
  strangers.splice(0).forEach((socket) => socket.destroy());
});

interface Running {
  readonly url: string;
  readonly metrics: string;
}
async function office(): Promise<Running> {
  const argv = ['office', '--port', '0', '--metrics', '0', '--token', token, '--limit', 'entryMs=0'];
  const { said } = startCommand(argv);
  const [[url], [, metrics = '']] = await Promise.all([said(/^http:\S+(?=\n)/), said(/metrics at (\S+)/)]);
  return { url, metrics };
}
async function valueOf({ metrics }: Running, series: string): Promise<number> {
  const lines = (await (await fetch(metrics)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length));
}
/** Opens a connection that is not admitted, and resolves when the office has taken it. */
const stranger = (url: string, said: 'nothing' | 'half a message'): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    strangers.push(socket);
    socket.on('error', () => resolve()).on('close', () => resolve());
    if (said === 'nothing') return void socket.once('connect', resolve);
    socket.write(upgradeOf());
    socket.once('data', () => socket.write(halfOf(15_000), () => resolve()));
  });

describe.skipIf(process.platform === 'win32')('a thousand peers who are not let in', () => {
  it.each(['nothing', 'half a message'] as const)('cost less than 64 MB when they say %s', async (said) => {
    const at = await office();
    // The first agent loads modules and caches, which must not count as a cost of the connections.
    await (await createAgent({ url: at.url, auth: token, office: 'warm' })).close();
    for (let count = 0; count < 50; count++) await stranger(at.url, said);
    strangers.splice(0).forEach((socket) => socket.destroy());
    await expect.poll(() => valueOf(at, 'a2c_office_connections')).toBe(0);
    const before = await valueOf(at, 'process_resident_memory_bytes');
    for (let count = 0; count < 1_000; count++) await stranger(at.url, said);
    await expect.poll(() => valueOf(at, 'a2c_office_connections')).toBe(1_000);
    expect((await valueOf(at, 'process_resident_memory_bytes')) - before).toBeLessThan(64 * 2 ** 20);
    await using agent = await createAgent({ url: at.url, auth: token });
    expect(await agent.room()).toHaveLength(1);
  });
});
