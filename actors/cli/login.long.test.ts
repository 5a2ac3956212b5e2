import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { main } from '../../scenarios/fixtures/checkout.ts';
import { startGuarded, type GuardedServer } from '../../scenarios/fixtures/guarded-server.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c login` and `a2c logout` with a person who opens the address that is shown. */
const folder = testFolder('login');
let server: GuardedServer;

const configOf = (more: object = {}): string => {
  const file = join(folder, 'a2c.json');
  const program = { command: process.execPath, args: ['-e', ''] };
  const mcpServers = { far: { type: 'http', url: server.url }, program, ...more };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  return file;
};
/** Runs a command and opens each login address that it shows, as a browser does; the redirect leads back to the command. */
async function typed(argv: readonly string[], opens = true) {
  const pages: Promise<number>[] = [];
  const onError = (line: string): void => {
    const [, code] = /with the code (\S+)/.exec(line) ?? [];
    const [page] = /http\S+\/authorize\S*/.exec(line) ?? [];
    const url = code === undefined ? page : new URL(`/device?code=${code}`, server.url);
    if (url !== undefined && opens) pages.push(fetch(url).then(({ status }) => status));
  };
  const told = await commandLine(argv, { onError });
  return { ...told, pages: await Promise.all(pages) };
}

describe('a2c login', () => {
  it('shows the page, waits for the redirect, and other commands use the login', async () => {
    server = await startGuarded();
    const file = configOf();
    const first = await typed(['login', 'far', '-c', file]);
    expect(first).toMatchObject({ code: 0, out: 'logged in to far: 1 tool\n', pages: [200] });
    expect(first.err).toMatch(/^log in to far in a browser/);
    expect(await typed(['call', 'greet', '-c', file])).toMatchObject({ code: 0, out: 'hello\n', pages: [] });
    const again = await typed(['login', 'far', '-c', file]);
    expect(again).toMatchObject({ code: 0, pages: [] });
    expect(again.out).toContain('is logged in to already');
    expect(server.asked).toEqual(['/register', '/token authorization_code']);
    const renewed = await typed(['login', 'far', '--again', '--json', '-c', file]);
    expect(JSON.parse(renewed.out)).toEqual({ server: 'far', logged_in: true, was_asked: true, tools: 1 });
    expect(renewed.pages).toEqual([200]);
    const [token = ''] = [...server.valid];
    for (const { out, err } of [first, again, renewed]) expect(out + err).not.toContain(token);
  });

  it('takes the address at which a browser of another machine ended', async () => {
    server = await startGuarded();
    const file = configOf();
    let shown = '';
    const question = async (): Promise<string | null> => {
      const [page = ''] = /http\S+\/authorize\S*/.exec(shown) ?? [];
      const { headers } = await fetch(page, { redirect: 'manual' });
      return headers.get('location');
    };
    const told = await commandLine(['login', 'far', '--no-browser', '-c', file], {
      as: { isInteractive: true, question },
      onError: (line) => (shown += `${line}\n`),
    });
    expect(told).toMatchObject({ code: 0, out: 'logged in to far: 1 tool\n' });
  });

  it('shows a code for another device where no browser is here and the server has such codes', async () => {
    server = await startGuarded({ polls: ['authorization_pending'] });
    const file = configOf();
    const { code, out, err, pages } = await typed(['login', 'far', '--no-browser', '-c', file]);
    expect({ code, out, pages }).toEqual({ code: 0, out: 'logged in to far: 1 tool\n', pages: [200] });
    const { href } = new URL('/device', server.url);
    expect(err).toContain(`  ${href}\n  on any device, with the code WDJB-MJHT\n`);
    expect(await typed(['call', 'greet', '-c', file])).toMatchObject({ code: 0, out: 'hello\n', pages: [] });
    expect(server.asked.slice(0, 2)).toEqual(['/register', '/device_authorization']);
  });

  it.each([['tools', 'far'], ['status'], ['doctor']])(
    '%s before the login names the command',
    async (...words) => {
      server = await startGuarded();
      const { out, err } = await typed([...words, '-c', configOf()]);
      expect(out + err).toMatch(/a2c login far/);
      expect(out + err).not.toContain('logging in');
    },
  );

  it('waits for the person as a process of its own that nobody types to', async () => {
    server = await startGuarded();
    const child = spawn(process.execPath, [main, 'login', 'far', '-c', configOf()], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    const out = text(child.stdout);
    for await (const line of createInterface({ input: child.stderr })) {
      const [url] = /http\S+\/authorize\S*/.exec(line) ?? [];
      if (url === undefined) continue;
      // These requests take long enough that a process without an open handle would have exited.
      for (let n = 0; n < 200; n += 1) await fetch(server.url);
      expect((await fetch(url)).status).toBe(200);
    }
    expect([await out, await ended]).toEqual(['logged in to far: 1 tool\n', [0, null]]);
  });

  it('says what to do where there is nothing to log in to', async () => {
    server = await startGuarded();
    const program = await typed(['login', 'program', '-c', configOf()]);
    expect([program.code, program.err]).toEqual([1, expect.stringContaining('is reached by no URL')]);
    const none = await typed(['login', 'fra', '-c', configOf()]);
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('Did you mean far?')]);
  });

  it('tells why it failed, and not to do the same again', async () => {
    server = await startGuarded();
    const file = configOf({ gone: { type: 'http', url: 'http://127.0.0.1:1/mcp' } });
    const { code, err } = await typed(['login', 'gone', '-c', file]);
    expect(code).toBe(1);
    expect(err).not.toContain('Log in: a2c login');
    expect(err).toMatch(/error: the server cannot be reached/);
  });

  it('ends with Ctrl-C while it waits for the person', async () => {
    server = await startGuarded();
    const end = new AbortController();
    const onError = (line: string): void => void (line.includes('/authorize') && end.abort());
    const told = await commandLine(['login', 'far', '-c', configOf()], { onError, signal: end.signal });
    expect(told.code).toBe(130);
  });
});

describe('a2c logout', () => {
  it('revokes the login and forgets it', async () => {
    server = await startGuarded();
    const file = configOf();
    await typed(['login', 'far', '-c', file]);
    expect(server.valid.size).toBe(1);
    expect(await typed(['logout', 'far', '-c', file])).toMatchObject({ code: 0, out: 'logged out of far\n' });
    expect(server.valid.size).toBe(0);
    expect(server.asked.slice(2)).toEqual(['/revoke refresh_token', '/revoke access_token']);
    const after = await typed(['call', 'far.greet', '-c', file], false);
    expect([after.code, after.err]).toEqual([2, expect.stringContaining('Log in: a2c login far')]);
    expect((await typed(['logout', 'far', '-c', file])).out).toBe('far was not logged in to\n');
  });

  it('says when the tokens cannot be revoked', async () => {
    server = await startGuarded({ canRevoke: false });
    const file = configOf();
    await typed(['login', 'far', '-c', file]);
    const { out } = await typed(['logout', 'far', '--json', '-c', file]);
    expect(JSON.parse(out)).toEqual({ server: 'far', was_logged_in: true, is_revoked: false });
  });
});
