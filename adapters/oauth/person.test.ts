import { afterEach, describe, expect, it } from 'vitest';
import type { Authorize } from '../mcp/http/login.ts';
import { never, noNews as news } from '../../scenarios/contracts/logins/login-authority.ts';
import {
  startGuarded,
  type GuardedOptions,
  type GuardedServer,
} from '../../scenarios/fixtures/guarded-server.ts';
import { useClock } from '../clock.ts';
import { Login } from './login.ts';
import { Loopback } from './person.ts';
import { memoryLogins } from './login-store.ts';
import type { LoginConfig } from './login-options.ts';

/** Logins with a code that a person enters on another device (RFC 8628), at a server of ours over HTTP. */
let server: GuardedServer;
const paused: number[] = [];
afterEach(() => useClock(undefined));
const start = async (options: GuardedOptions): Promise<void> => {
  server = await startGuarded(options);
  paused.length = 0;
  useClock({
    now: () => performance.now(),
    random: () => Math.random(),
    setTimeout: (fire, ms) => {
      paused.push(ms);
      return setImmediate(fire);
    },
    clearTimeout: (timer) => clearImmediate(timer as NodeJS.Immediate),
  });
};
const store = memoryLogins();
const loginBy = (authorize: Authorize, config: LoginConfig = { grant: 'device_code' }): Login =>
  new Login({ server: 'it', url: server.url, config, store, authorize, hide: () => {}, now: () => 0 });
const enters: Authorize = async ({ url, code }) => {
  await fetch(`${url}?code=${code}`);
};
const opens: Authorize = async ({ url, code }) => {
  expect(code).toBeUndefined();
  await fetch(url);
};

describe('a login with a code', () => {
  it('asks until the person has entered it, and more slowly where the server wants that', async () => {
    await start({ polls: ['authorization_pending', 'slow_down', 'authorization_pending'] });
    const login = loginBy(enters);
    await login.login(news, never);
    expect(server.valid).toContain(await login.token());
    expect(paused.filter((ms) => ms % 5_000 === 10)).toEqual([10, 10, 5_010, 5_010]);
    expect(server.asked.slice(0, 2)).toEqual(['/register', '/device_authorization']);
  });

  it('registers a client anew that was registered for pages alone', async () => {
    await start({ polls: [] });
    await loginBy(opens, {}).login(news, never);
    await loginBy(enters).login(news, never);
    expect(server.asked.slice(2, 5)).toEqual(['/device_authorization', '/register', '/device_authorization']);
    expect(server.valid.size).toBe(2);
  });

  it('falls back to a page where the server gives no codes, or none to this client', async () => {
    await start({});
    await loginBy(opens).login(news, never);
    await start({
      polls: [],
      instead: ({ pathname }, response) => {
        const isAsked = pathname === '/device_authorization';
        if (isAsked) response.writeHead(400).end('{"error":"unauthorized_client"}');
        return isAsked;
      },
    });
    await loginBy(opens).login(news, never);
    expect(server.valid.size).toBe(1);
  });

  it('fails when the person refuses, when the host cannot show it, and when nobody waits any more', async () => {
    await start({ polls: ['access_denied'] });
    await expect(loginBy(() => {}).login(news, never)).rejects.toThrow('access_denied');
    const hidden = loginBy(() => Promise.reject(new Error('no screen')));
    await expect(hidden.login(news, never)).rejects.toThrow('no screen');
    const end = new AbortController();
    const over = loginBy(() => end.abort()).login(news, end.signal);
    await expect(over).rejects.toThrow('nobody has logged in');
  });
});

describe('the redirect to this machine', () => {
  it('counts with our state, once, and not under another name', async () => {
    const loopback = await Loopback.open();
    loopback.expect('s1');
    const status = async (query: string, host?: string): Promise<number> =>
      (await fetch(loopback.redirectUri.replace('127.0.0.1', host ?? '127.0.0.1') + query)).status;
    expect(await status('?code=a&state=s0')).toBe(400);
    expect(await status('?code=a&state=s1', 'localhost').catch(() => 404)).toBe(404);
    expect(await status('?code=a&state=s1')).toBe(200);
    expect(await status('?code=b&state=s1')).toBe(404);
    expect((await loopback.redirected).searchParams.get('code')).toBe('a');
    loopback.close();
  });
});
