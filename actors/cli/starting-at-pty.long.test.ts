import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of what a person sees at a real terminal while servers start, and of help at 80 columns. */
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

it.each([
  ['tools', /good {2}ready in [^]*echo +echo/],
  ['status', /good +ready/],
])(
  '%s shows a server that is ready and one that failed, and Ctrl-C ends the wait',
  async (command, ready) => {
    const { type, until, exited } = atPty([command, '-c', file], state);
    const shown = await until(new RegExp(`(?=[^]*${ready.source})(?=[^]*DATABASE_URL)[^]*waiting for mute`));
    expect(shown).not.toContain('not started');
    type('\u0003');
    const rest = await until(/not started when you interrupted:\r*\n +mute: [^]*/);
    expect(rest).not.toContain('Interrupted');
    expect(await exited).toBe(130);
  },
);

it('a call to a server that did not start says why, and what to type next', async () => {
  const { until, exited } = atPty(['call', 'crash.echo', '-c', file], state);
  await until(/error: Server 'crash' ended with exit code 3[^]*See what it writes: a2c logs crash -c /);
  expect(await exited).toBe(1);
});

it.each(['--help', 'office', 'call'])('help of %s breaks no word at 80 columns', async (command) => {
  const argv = command === '--help' ? [command] : [command, '--help'];
  const at = atPty(argv, state, 80);
  expect(await at.exited).toBe(0);
  const own = at.all.split(/\r*\n/).filter((line) => !line.startsWith('docs/ is in'));
  expect(own.filter((line) => line.length > 80)).toEqual([]);
});
