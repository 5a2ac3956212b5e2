/** Tests `a2c office` with a certificate, as docs/operate.md describes it: all processes connect by https. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const main = at('dist/actors/main.js');
const pem = (name: string): string => at(`scenarios/fixtures/tls/${name}`);
const state = testFolder('tls');

interface Ended {
  readonly code: number | null;
  readonly said: string;
}
const ran = (argv: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...argv],
      { env: { ...process.env, XDG_STATE_HOME: state, A2C_TOKEN: 'token', ...env } },
      (_, out, err) => resolve({ code: child.exitCode, said: out + err }),
    );
  });

it('commands reach it by https where they trust its authority, and say why where they do not', async () => {
  const files = ['--tls-cert', pem('office.pem'), '--tls-key', pem('office.key')];
  const argv = ['office', '--port', '0', '--host', '0.0.0.0', ...files];
  const { child, said, exited } = startCommand(argv, { XDG_STATE_HOME: state, A2C_TOKEN: 'token' });
  const [listens] = await said(/^https:\S+(?=\n)/);
  const url = listens.replace('0.0.0.0', 'localhost');
  expect(url).toMatch(/^https:\/\/localhost:\d+$/);
  const trusting = await ran(['tools', '--url', url], { NODE_EXTRA_CA_CERTS: pem('ca.pem') });
  expect(trusting).toMatchObject({ said: expect.stringContaining('No computer is in this office') });
  const doubting = await ran(['tools', '--url', url]);
  expect(doubting).toMatchObject({ code: 1, said: expect.stringContaining('no secure connection') });
  child.kill('SIGTERM');
  await exited;
});

it.each([
  [['--tls-cert', pem('office.pem')], 'Give --tls-cert and --tls-key.'],
  [['--tls-cert', '/nowhere.pem', '--tls-key', pem('office.key')], '--tls-cert: ENOENT'],
  [['--tls-cert', pem('office.pem'), '--tls-key', pem('peer.key')], 'tls: '],
])('an office is not opened with %j', async (files, says) => {
  const { code, said } = await ran(['office', '--port', '0', ...files]);
  expect([code, said]).toEqual([1, expect.stringContaining(says)]);
});
