import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

// In a process of its own: one that has had a computer before has the charts of computers.
it('the page of a2c up has the charts of its servers, although it is opened before them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-up-page-'));
  const command = { command: process.execPath, args: [fixtureFile('mcp-server.mjs'), 'echo'] };
  const config = JSON.stringify({ mcpServers: { echo: command } });
  const argv = ['up', '--config', config, '--inspect', '0', '--alone'];
  const { child, said, exited } = startCommand(argv, { XDG_STATE_HOME: folder });
  const [url] = await said(/http:\S+#token=[0-9a-f]+/);
  const { charts } = await (await attachTo(url)).welcome();
  expect(Object.keys(charts)).toEqual(expect.arrayContaining(['client', 'connection', 'computer', 'office']));
  child.kill('SIGKILL');
  await exited;
  rmSync(folder, { recursive: true });
});
