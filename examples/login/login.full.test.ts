import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { attachPath, subprotocol, tokenSubprotocol } from '../../machines/inspection.ts';

const program = fileURLToPath(new URL('inspect.mjs', import.meta.url));

it('examples/login shows the page and its socket to people who have logged in, and to no others', async () => {
  const env = { ...process.env, PASSWORD: 'open sesame', PORT: '0' };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const login = (password: string, headers: Record<string, string> = {}) =>
      fetch(`${url}login`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ password }),
        headers,
      });
    /** Opens the socket of the page; resolves with its first message, or the status of its refusal. */
    const attached = (token: string, headers: Record<string, string>): Promise<number | 'a message'> =>
      new Promise((resolve, reject) => {
        const address = `${url.replace('http', 'ws').replace(/\/$/, '')}${attachPath}`;
        const socket = new WebSocket(address, [subprotocol, tokenSubprotocol(token)], { headers });
        socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
        socket.on('message', () => {
          socket.close();
          resolve('a message');
        });
        socket.on('error', reject);
      });

    expect([(await fetch(url)).status, (await login('guessed')).status]).toEqual([401, 401]);
    expect((await login('open sesame', { origin: 'http://elsewhere.example' })).status).toBe(401);
    const known = await login('open sesame');
    expect(known.status).toBe(303);
    const [, token = ''] = /^\/#token=(\w+)$/.exec(known.headers.get('location') ?? '') ?? [];
    const cookie = (known.headers.get('set-cookie') ?? '').replace(/;.*/, '');
    const page = await fetch(url, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
    expect(await attached(token, {})).toBe(401);
    expect(await attached(token, { cookie, origin: 'http://elsewhere.example' })).toBe(401);
    expect(await attached(token, { cookie, origin: new URL(url).origin })).toBe('a message');
  } finally {
    child.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
});
