/** Tests of Ctrl-Z at a real terminal: the shell gets its terminal modes back, and `fg` restores the prompt. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { atPty, atShell, type AtPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const ctrlZ = '\u001A';

let folder: string;
beforeEach(() => {
  folder = testFolder('suspended');
});
const given = (): unknown => JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8'));
/** Starts `a2c up` with one server; with `asks` the server needs a password first. */
function start(run: typeof atPty, asks = false): AtPty {
  const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify({ pid: process.pid, T: process.env.T })); import(process.argv[2])`;
  const words = ['-e', script, join(folder, 'given.json'), server];
  const one = { command: process.execPath, args: words, ...(asks && { env: { T: '${input:tok}' } }) };
  const inputs = [{ type: 'promptString', id: 'tok', description: 'Token', password: true }];
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { one }, ...(asks && { inputs }) }));
  const argv = ['up', '-c', file, '--port', '0', '--boot', '0.05', '--no-inspect'];
  return run(argv, { XDG_STATE_HOME: join(folder, 'state') });
}
/** Sends Ctrl-Z and checks that the shell answers and its terminal echoes whole lines again. */
async function stops(at: AtPty): Promise<void> {
  at.type(ctrlZ);
  await at.until(/(Stopped|Suspended|stopped|suspended)[^]*\$ $/);
  at.type('stty -a\r');
  const modes = await at.until(/icanon[^]*\$ $/);
  expect(modes).toMatch(/[^-]icanon/);
  expect(modes).toMatch(/[^-]echo /);
}
async function quits(at: AtPty): Promise<void> {
  at.type('quit\r');
  await at.until(/closing[^]*\$ $/);
  at.type('exit\r');
  expect(await at.exited).toBe(0);
}

it('a suspended prompt gives the shell its terminal, keeps a half-typed line, and stops no server', async () => {
  const at = start(atShell);
  await at.until(/one +ready[^]*a2c> /);
  at.type('cal');
  await at.until(/cal$/);
  await stops(at);
  const { pid } = given() as { readonly pid: number };
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/^\d+ \(.*\) [SR]/s);
  at.type('fg\r');
  await at.until(/a2c> cal/);
  at.type('ls\r');
  await at.until(/no call runs[^]*a2c> /);
  await quits(at);
});

it('a suspended prompt keeps a question that is open, and what was half typed of a password is not shown', async () => {
  const at = start(atShell, true);
  await at.until(/Token: /);
  await at.until(/Type help[^]*Token: /);
  at.type('s3cret');
  await stops(at);
  at.type('fg\r');
  await at.until(/Token: $/);
  at.type('-word\r');
  await at.until(/one +ready[^]*a2c> /);
  expect(given()).toMatchObject({ T: 's3cret-word' });
  await quits(at);
  expect(at.all).not.toMatch(/s3cret|-word/);
});

it('a suspension changes nothing where no shell could let it go on', async () => {
  const at = start(atPty);
  await at.until(/one +ready[^]*a2c> /);
  at.type(`cal${ctrlZ}ls\r`);
  await at.until(/no call runs[^]*a2c> /);
  at.type('quit\r');
  expect(await at.exited).toBe(0);
});
