import { describe, expect, it, vi } from 'vitest';
import type { Config } from '../../machines/config/parse.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { lateLines, startMsOf } from './starting.ts';
import { commandLine, type CommandOutput } from '../../scenarios/fixtures/command-line.ts';
import { startHttpServer } from '../../scenarios/fixtures/http-server.ts';
import { configFiles, fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of one-shot commands over servers that start slowly. */
const folder = testFolder('starting');
const fileOf = configFiles(folder);

/** Starts an HTTP server that answers `initialize` only after the terminal has shown that the command waits for it. */
async function withSlow(
  argv: readonly string[],
  { a2c = {}, answers = true, others = {} }: { a2c?: object; answers?: boolean; others?: object } = {},
): Promise<CommandOutput & { readonly meters: readonly (string | null)[] }> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const remote = await startHttpServer({
    kind: 'streamable',
    before: async ({ body }) => {
      if (body?.['method'] === 'initialize') await released;
    },
  });
  const meters: (string | null)[] = [];
  const meter = (text: string | null): void => {
    meters.push(text);
    if (answers && text?.includes('slow') === true) release();
  };
  const config = fileOf({ slow: { url: `${remote.url}/echo` }, ...others }, a2c);
  const as = { isWatched: true, isRead: true, meter };
  const told = await commandLine([...argv, '-c', config], { as });
  release();
  await remote.stop();
  return { ...told, meters };
}

describe('a server that takes long to start', () => {
  it.each([
    [['call', 'echo', '{"text":"at last"}', '--timeout', '60'], 'at last\n'],
    [['call', 'echo', '{"text":"at last"}'], 'at last\n'],
    [['tools'], 'echo'],
    [['status'], 'ready'],
  ])('is waited for by %j, and the terminal says so', async (argv, shown) => {
    const { code, out, meters } = await withSlow(argv);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(shown) });
    expect(meters[0]).toMatch(/^waiting for slow: \d+ s; waits for .+ for \d+ s/);
    expect(meters.at(-1)).toBeNull();
  });

  it('a call without a limit waits for a slow server, and no timer of Node warns', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    expect(await withSlow(['call', 'echo', '{"text":"at last"}', '-t', '0'])).toMatchObject({ code: 0 });
    expect(warned.mock.calls).toEqual([]);
    warned.mockRestore();
  });

  it('a server that does not start is named by a command that lists when the wait is over, with what it waits for and what to do', () => {
    const silent = { name: 'silent', state: 'connecting', reason: 'it waits' } as ServerStatus;
    const servers = [silent, { ...silent, state: 'ready' } as ServerStatus];
    const waited = { ms: 30_000, logsOf: (name: string) => `a2c logs ${name}` };
    expect(lateLines(servers, { ...waited, isInterrupted: false })).toEqual([
      'not started within 30 s (--boot SECONDS waits longer):',
      '  silent: it waits; what it writes: a2c logs silent',
    ]);
    expect(lateLines(servers, { ...waited, isInterrupted: true })[0]).toBe(
      'not started when you interrupted:',
    );
    expect(lateLines(servers.slice(1), { ...waited, isInterrupted: false })).toEqual([]);
  });

  it('servers are waited for 30 s, or a minute where one may be downloaded; the command, the config or a call may say another time', () => {
    const config = (bootMs?: number, command = 'node') => {
      const servers = [{ kind: 'stdio', launch: { command } }];
      return { servers, settings: { timeouts: { bootMs } } } as unknown as Config;
    };
    expect(startMsOf({}, config())).toBe(30_000);
    expect(startMsOf({}, config(undefined, '/usr/bin/npx'))).toBe(60_000);
    expect(startMsOf({}, config(90_000))).toBe(90_000);
    expect(startMsOf({}, config(), 120_000)).toBe(120_000);
    expect(startMsOf({ boot: 50 }, config(90_000), 70_000)).toBe(70_000);
    expect(startMsOf({ boot: 50 }, config(90_000))).toBe(50_000);
  });

  it('is named by logs with its reason, without the advice to look at its logs', async () => {
    const { code, err } = await withSlow(['logs', 'slow', '--boot', '0.2'], { answers: false });
    expect(code).toBe(1);
    expect(err).toContain('initialize');
    expect(err).not.toContain('a2c logs');
  });

  it('fails the call that needs it alone when the wait is over, with what it waits for and what to do', async () => {
    const { code, err } = await withSlow(['call', 'slow.echo', '{}', '-t', '0.2'], { answers: false });
    expect(code).toBe(2);
    expect(err).toMatch(
      /^error: Server 'slow' has not started: .*initialize.*\n {2}See what it writes: a2c logs slow -c .*; -t SECONDS waits longer\n$/m,
    );
  });

  it('a server that is slow is named where no other server has the called tool, in place of "not found"', async () => {
    const good = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')] };
    const argv = ['call', 'other_tool', '{}', '--timeout', '0.2', '--json'];
    const { code, out } = await withSlow(argv, { answers: false, others: { good } });
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'ServerNotActive', details: { state: 'connecting', server_name: 'slow' } },
    });
  });

  it.each([
    [['--boot', '0.05'], {}],
    [[], { timeouts: { bootMs: 50 } }],
  ])('is waited for no longer than %j %j allow', async (how, a2c) => {
    const { code, out, err } = await withSlow(['tools', '--json', ...how], { a2c, answers: false });
    expect(code).toBe(1);
    expect(err).toMatch(
      /not started within 0.05 s \(--boot SECONDS waits longer\):\n {2}slow: .+a2c logs slow -c/,
    );
    expect(JSON.parse(out)).toMatchObject({ tools: [], servers: [{ name: 'slow', state: 'connecting' }] });
  });
});
