import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

it.skipIf(process.platform === 'win32')(
  'a reload takes back the token that is not in its file any more',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'a2c-reload-'));
    const path = join(state, 'tokens.json');
    const tokens = (...all: readonly string[]): void => writeFileSync(path, JSON.stringify({ tokens: all }));
    tokens('red', 'blue');
    const argv = ['office', '--port', '0', '--token', 'own', '--tokens', path];
    const { child, said } = startCommand(argv, { XDG_STATE_HOME: state });
    const [url] = await said(/^http:\S+(?=\n)/);
    const [red, blue] = ['red', 'blue'].map((token) =>
      io(`${url}/smcp`, { forceNew: true, reconnection: false, auth: { token } }),
    ) as [ReturnType<typeof io>, ReturnType<typeof io>];
    try {
      await Promise.all(
        [red, blue].map((one) => new Promise<void>((resolve) => one.once('connect', resolve))),
      );
      const told = new Promise((resolve) => red.once('notify:disconnecting', resolve));
      await said(/Ctrl-C closes it/);
      tokens('blue');
      child.kill('SIGHUP');
      expect(await told).toEqual({ code: 401, message: 'This office does not know that token' });
      await said(/read again; 1 disconnected/);
      writeFileSync(path, '{');
      child.kill('SIGHUP');
      await said(/not read again, all stays as it was/);
      expect([blue.connected, child.exitCode, child.signalCode]).toEqual([true, null, null]);
    } finally {
      for (const one of [red, blue]) one.disconnect();
      rmSync(state, { recursive: true });
    }
  },
);
