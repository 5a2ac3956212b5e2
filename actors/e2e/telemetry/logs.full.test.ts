/** Tests that one call can be followed by its `req_id` through the logs of three processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { LogEntry } from '../../index.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2c-logs-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});
function a2c(...argv: string[]) {
  const child = spawn(process.execPath, [at('dist/actors/main.js'), ...argv], {
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const errors: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const over = once(child, 'close');
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => waiting.forEach((look) => look(line)));
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      waiting.add((line) => pattern.test(line) && resolve(line));
      void over.then(() => reject(new Error(`it ended without ${pattern}:\n${errors.join('\n')}`)));
    });
  const entries = (): LogEntry[] =>
    errors.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogEntry);
  return { child, over, said, entries };
}

it('a call is found in the stderr of its agent, its office and its computer, also when it went well', async () => {
  const server = {
    command: process.execPath,
    args: [at('scenarios/fixtures/mcp-server.mjs')],
    autoApprove: ['all'],
  };
  writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: { fixture: server } }));
  const office = a2c('office', '--port', '0', '--log-level', 'info');
  const url = await office.said(/^http:/);
  const computer = a2c('computer', '--url', url, '-c', 'servers.json', '--name', 'c1', '--log-level=info');
  await computer.said(/serves.*; Ctrl-C/);
  const call = async (tool: string, reqId: string): Promise<readonly LogEntry[]> => {
    const calling = a2c('call', tool, 'text=hello', '--url', url, '--req-id', reqId, '--log-level', 'info');
    await calling.over;
    return calling.entries();
  };
  const agents = [...(await call('echo', 'r1')), ...(await call('none', 'r2'))];
  for (const { child, over } of [computer, office]) {
    child.kill('SIGTERM');
    await over;
  }
  const found = (entries: readonly LogEntry[], reqId: string): readonly string[] =>
    entries
      .filter(({ req_id }) => req_id === reqId)
      .map(({ level, layer, tool, outcome, code }) =>
        [level, layer, tool, outcome, code].filter((part) => part !== undefined).join(' '),
      );
  expect(found(agents, 'r1')).toEqual(['info agent echo succeeded']);
  expect(found(office.entries(), 'r1')).toEqual(['info office echo succeeded']);
  expect(found(computer.entries(), 'r1')).toEqual(['info computer echo succeeded']);
  expect(found(agents, 'r2')).toEqual(['error agent none ToolNotFound']);
  expect(found(office.entries(), 'r2')).toEqual(['error office none ToolNotFound']);
  expect(found(computer.entries(), 'r2')).toEqual(['error computer none failed ToolNotFound']);
  for (const entry of [...agents, ...office.entries(), ...computer.entries()]) {
    expect(Object.keys(entry).slice(0, 2)).toEqual(['time', 'level']);
    expect(new Date(entry.time).toISOString()).toBe(entry.time);
  }
});
