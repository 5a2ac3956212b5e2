/** Tests SIGHUP at an office in a process of its own: it reads its token files again and goes on. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { io } from 'socket.io-client';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));

it.skipIf(process.platform === 'win32')(
  'a reload takes back the token that is not in its file any more',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'a2c-reload-'));
    const path = join(state, 'tokens.json');
    const tokens = (...all: readonly string[]): void => writeFileSync(path, JSON.stringify({ tokens: all }));
    tokens('red', 'blue');
    const child = spawn(
      process.execPath,
      [main, 'office', '--port', '0', '--token', 'own', '--tokens', path],
      {
        env: { ...process.env, XDG_STATE_HOME: state },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const url = await new Promise<string>((resolve) =>
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
    );
    const [red, blue] = ['red', 'blue'].map((token) =>
      io(`${url}/smcp`, { forceNew: true, reconnection: false, auth: { token } }),
    ) as [ReturnType<typeof io>, ReturnType<typeof io>];
    try {
      await Promise.all(
        [red, blue].map((one) => new Promise<void>((resolve) => one.once('connect', resolve))),
      );
      const told = new Promise((resolve) => red.once('notify:disconnecting', resolve));
      await expect.poll(() => said).toContain('Ctrl-C closes it');
      tokens('blue');
      child.kill('SIGHUP');
      expect(await told).toEqual({ code: 401, message: 'This office does not know that token' });
      await expect.poll(() => said).toContain('read again; 1 disconnected');
      writeFileSync(path, '{');
      child.kill('SIGHUP');
      await expect.poll(() => said).toContain('not read again, all stays as it was');
      expect([blue.connected, child.exitCode, child.signalCode]).toEqual([true, null, null]);
    } finally {
      for (const one of [red, blue]) one.disconnect();
      child.kill('SIGKILL');
      rmSync(state, { recursive: true });
    }
  },
);
