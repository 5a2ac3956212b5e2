import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
// oxlint-disable-next-line no-restricted-imports -- looks at the process list as the host does
import { livingOf, systemTools, type ListedProcess } from '../../adapters/process/windows-trees.ts';
import { seenFromLinux } from '../judge/processes.ts';
import { published } from './prefix.mjs';

// As published on npm and PyPI, behind `npx.cmd` and `uvx.exe` as configs of users have them.
const folder = mkdtempSync(join(tmpdir(), 'a2c-published-'));
const page = createServer((_request, response) => {
  response.setHeader('content-type', 'text/plain');
  response.end('text of a page');
});
const env = {
  PATH: 'C:\\nodejs;C:\\python;C:\\windows\\system32',
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(npm_config|uv)_/i.test(name))),
};
const npx = (...words: readonly string[]): object => ({
  command: 'npx',
  args: ['-y', ...words],
  env,
  // Without packages of its own, which would be preferred.
  cwd: folder,
});
const uvx = (...words: readonly string[]): object => ({ command: 'uvx', args: words, env, cwd: folder });
const servers = {
  everything: npx(published.everything),
  filesystem: npx(published.filesystem, folder),
  memory: npx(published.memory),
  time: uvx(published.time, '--local-timezone', 'UTC'),
  fetch: uvx(published.fetch, '--ignore-robots-txt', '--allow-private-ips'),
};
const calls = (): readonly (readonly [string, object, string])[] => [
  ['echo', { message: 'hi' }, 'hi'],
  ['list_allowed_directories', {}, 'a2c-published-'],
  ['read_graph', {}, 'entities'],
  ['get_current_time', { timezone: 'UTC' }, 'UTC'],
  ['fetch', { url: `http://127.0.0.1:${(page.address() as AddressInfo).port}/` }, 'text of a page'],
];
const onLinux = (): readonly number[] =>
  ['server-everything', 'server-filesystem', 'server-memory', 'mcp-server-time', 'mcp-server-fetch'].flatMap(
    (name) => (seenFromLinux(name) ?? []).map(({ pid }) => pid),
  );

let host: ChildProcess | undefined;
beforeAll(async () => void (await once(page.listen(0, '127.0.0.1'), 'listening')));
afterEach(() => host?.kill());
afterAll(() => {
  page.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Answer {
  readonly tool: string;
  readonly outcome: string;
  readonly text: string;
}
async function answersOf(child: ChildProcess): Promise<readonly (Answer | undefined)[]> {
  const found = new Map<string, Answer>();
  const given = calls();
  const whole = new Promise<void>((resolve) => {
    child.on('message', (message: Answer | 'marked') => {
      if (message === 'marked') return;
      found.set(message.tool, message);
      if (found.size === given.length) resolve();
    });
  });
  for (const [tool, args] of given) child.send({ call: [tool, args] });
  await whole;
  return given.map(([tool]) => found.get(tool));
}
/** A list takes longer than its limit on a busy machine. */
const rows = (): Promise<readonly ListedProcess[]> =>
  vi.waitUntil(() => systemTools.list(), { timeout: 60_000 });
const patience = { timeout: 60_000 };
const nameOf = ({ pid, created }: ListedProcess): string => `${pid} of ${created}`;

describe('five published servers', () => {
  it.each(['closes', 'is killed'])(
    'are called, and nothing of them is left when their host %s',
    async (end) => {
      const created = Date.now();
      const before = onLinux();
      host = fork(fileURLToPath(new URL('host.mjs', import.meta.url)), [
        JSON.stringify({ mcpServers: servers }),
        join(folder, 'state'),
        'true',
      ]);
      expect(await answersOf(host)).toEqual(
        calls().map(([tool, , text]) => ({
          tool,
          outcome: 'succeeded',
          text: expect.stringContaining(text),
        })),
      );
      const tree = livingOf([{ pid: host.pid ?? 0, created }], await rows());
      const seen = onLinux().filter((pid) => !before.includes(pid));
      expect(tree.length).toBeGreaterThan(2 * calls().length);
      expect(seen.length).toBeGreaterThanOrEqual(2 * calls().length);
      const over = once(host, 'exit');
      if (end === 'closes') host.send('close');
      else host.kill('SIGKILL');
      await over;
      const names = tree.map(nameOf);
      const left = async (): Promise<readonly string[]> =>
        (await rows()).map(nameOf).filter((name) => names.includes(name));
      await expect.poll(left, patience).toEqual([]);
      await expect.poll(() => onLinux().filter((pid) => seen.includes(pid)), patience).toEqual([]);
    },
    400_000,
  );
});
