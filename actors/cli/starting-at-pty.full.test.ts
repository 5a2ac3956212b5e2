import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of what a person sees at a real terminal while servers start. */
const folder = testFolder('starting-at-pty');
const state = { XDG_STATE_HOME: folder };
const run = (...args: string[]) => ({ command: process.execPath, args });
const file = join(folder, 'servers.json');
const servers = {
  mute: run(fixtureFile('mcp-server.mjs'), 'mute'),
  crash: run('-e', "console.error('DATABASE_URL is not set'); process.exit(3)"),
  good: run(fixtureFile('mcp-server.mjs')),
};
writeFileSync(file, JSON.stringify({ mcpServers: servers }));

const silent = run('-e', 'process.stdin.resume()');
it('up gives the prompt while a server hangs, keeps what is typed after the question of trust, and says who is waited for', async () => {
  const here = join(folder, 'project');
  mkdirSync(here, { recursive: true });
  writeFileSync(join(here, 'a2c.json'), JSON.stringify({ mcpServers: { mute: silent, good: servers.good } }));
  const { type, until, exited } = atPty(
    ['up', '--port', '0', '--no-inspect'],
    { ...state, XDG_CONFIG_HOME: folder, HOME: folder },
    200,
    here,
  );
  await until(/Trust this folder from now on\?[^]*\[y\/N\]/);
  type('y\r');
  await until(/office http/);
  type('call good.echo text=typed-early\r');
  await until(/waiting for mute/);
  const begun = await until(/still starting: mute: [^]*typed-early[^]*a2c> /);
  expect(begun).toMatch(/nothing came on stdout; this try ends after 300 s; see why mute/);
  type('why mut\r');
  await until(/Unknown server: mut\r*\n +Did you mean mute\? List them: list/);
  type('quit\r');
  expect(await exited).toBe(0);
});

it('a call to a server that did not start says why, and what to type next', async () => {
  const { until, exited } = atPty(['call', 'crash.echo', '-c', file], state);
  await until(/error: Server 'crash' ended with exit code 3[^]*See what it writes: a2c logs crash -c /);
  expect(await exited).toBe(2);
});
