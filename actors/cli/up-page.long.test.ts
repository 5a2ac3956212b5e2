import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));

// In a process of its own: one that has had a computer before has the charts of computers.
it('the page of a2c up has the charts of its servers, although it is opened before them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-up-page-'));
  const command = { command: process.execPath, args: [fixtureFile('mcp-server.mjs'), 'echo'] };
  const config = JSON.stringify({ mcpServers: { echo: command } });
  const host = spawn(process.execPath, [main, 'up', '--config', config, '--inspect', '0', '--alone'], {
    env: { ...process.env, XDG_STATE_HOME: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = once(host, 'exit');
  let url = '';
  for await (const line of createInterface(host.stderr)) {
    url = /http:\S+#token=[0-9a-f]+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  const { charts } = await (await attachTo(url)).welcome();
  expect(Object.keys(charts)).toEqual(expect.arrayContaining(['client', 'connection', 'computer', 'office']));
  host.kill('SIGKILL');
  await ended;
  rmSync(folder, { recursive: true });
});
