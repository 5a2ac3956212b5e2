import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const fixture = (name: string): string => fileAt(`../../scenarios/fixtures/${name}`);
const mark = crypto.randomUUID();
const folder = testFolder('main');

/** Config file with one server behind a shell; a `stubborn` server ends only by SIGKILL, after both grace times. */
function configOf(manners: 'polite' | 'stubborn', termGraceMs = 50): string {
  const file = join(folder, `${manners}-${termGraceMs}.json`);
  const words = [process.execPath, fixture('shutdown-server.mjs'), manners];
  const server = { command: 'sh', args: ['-c', '"$0" "$@"; true', ...words], env: { MARK: mark } };
  const config = {
    mcpServers: { wrapped: { ...server, autoApprove: ['echo'] } },
    a2c: { timeouts: { stdinGraceMs: 50, termGraceMs } },
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
/** Lists the processes of the servers that still live after `patienceMs`. */
const look = (patienceMs: number): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [fixture('living-processes.mjs'), mark, String(patienceMs)], {
      encoding: 'utf8',
    }),
  );

/** Upper bound in milliseconds for steps whose time is not measured, long enough for a busy machine. */
const boundMs = 2_000;
vi.setConfig({ testTimeout: 90_000 });

const a2c = (...argv: string[]) => startCommand(argv);

describe('a2c up', () => {
  it('ends everything at SIGTERM', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('stubborn'));
    await up.said(/a2c> /);
    expect(look(0)).toHaveLength(2);
    up.child.kill('SIGTERM');
    expect(await up.exited).toEqual({ code: 143, signal: null });
    expect(look(0)).toEqual([]);
  });

  it('ends at once at the second Ctrl-C, and takes its servers along', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('stubborn', 60_000));
    await up.said(/a2c> /);
    up.child.kill('SIGINT');
    await up.said(/closing/);
    up.child.kill('SIGINT');
    expect(await up.exited).toEqual({ code: 130, signal: null });
    expect(look(boundMs)).toEqual([]);
  });

  it('ends when its terminal goes away, although its servers are still starting', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('stubborn'));
    await up.said(/wrapped +starting/);
    up.child.kill('SIGHUP');
    expect(await up.exited).toEqual({ code: 129, signal: null });
    expect(look(0)).toEqual([]);
  });

  it('ends at Ctrl-C although a call runs', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('polite'));
    up.child.stdin.write('tools call echo {"text": "begun"}\ntools call hang {"label": "x"}\n');
    await up.said(/begun/);
    up.child.kill('SIGINT');
    expect(await up.exited).toEqual({ code: 0, signal: null });
    expect(look(0)).toEqual([]);
  });

  it('answers what is piped in, and ends with it', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('polite'));
    const lines = [
      'status',
      'tools list',
      'nonsense',
      'tools call echo {"text":',
      'tools call echo {"text": "hi"}',
    ];
    up.child.stdin.end(lines.join('\n'));
    expect(await up.exited).toEqual({ code: 0, signal: null });
    expect(up.told.out).toMatch(/computer \S+: all servers are ready/);
    expect(up.told.out).toMatch(/^(a2c> )*hi$/m);
    expect(up.told.err).toContain('unknown command: nonsense');
    expect(up.told.err).toContain('not JSON');
    expect(look(0)).toEqual([]);
  });

  it('ends at quit while its input stays open', async () => {
    const up = a2c('up', '--port', '0', '-c', configOf('polite'));
    up.child.stdin.write('quit\n');
    expect(await up.exited).toEqual({ code: 0, signal: null });
  });
});

describe('the office, the computer and commands as processes of their own', () => {
  it('call a tool through each other, and leave nothing', async () => {
    const office = a2c('office', '--port', '0');
    const [url] = await office.said(/^http:\S+(?=\n)/);
    const computer = a2c('computer', '--url', url, '--name', 'c1', '-c', configOf('stubborn'));
    await office.said(/computer c1 joined/);
    await computer.said(/c1 serves/);

    const peer = ['--url', url, '--json'];
    const listed = a2c('tools', ...peer);
    expect(await listed.exited).toEqual({ code: 0, signal: null });
    const { tools } = JSON.parse(listed.told.out) as { tools: { name: string }[] };
    expect(tools.map((t) => t.name)).toContain('echo');

    const good = a2c('call', 'echo', '{"text": "through all"}', ...peer);
    expect(await good.exited).toEqual({ code: 0, signal: null });
    expect(JSON.parse(good.told.out)).toMatchObject({
      outcome: 'succeeded',
      result: { content: [{ type: 'text', text: 'through all' }] },
      failure: null,
    });
    // No person is at that computer to confirm the call, so it is refused.
    const refused = a2c('call', 'slow', '{"ms": 1}', ...peer);
    expect(await refused.exited).toEqual({ code: 2, signal: null });
    expect(JSON.parse(refused.told.out)).toMatchObject({
      outcome: 'failed',
      result: { isError: true, _meta: { error_code: 4005 } },
      failure: { remedy: expect.stringContaining('Its computer decides') as string },
    });
    for (const { child, exited } of [computer, office]) {
      child.kill('SIGTERM');
      expect(await exited).toEqual({ code: 143, signal: null });
    }
    expect(office.told.out).toBe(`${url}\n`);
    // Stdout of the computer is no terminal, so it must contain only lines for programs.
    expect(computer.told.out).toMatch(/^(@a2c \{.*\}\n)+$/);
    expect(look(0)).toEqual([]);
  });

  it('give the result of a call although nobody reads stderr any more', async () => {
    const file = join(folder, 'telling.json');
    const server = { command: process.execPath, args: [fixture('mcp-server.mjs')], env: { MARK: mark } };
    writeFileSync(file, JSON.stringify({ mcpServers: { server } }));
    const call = a2c('call', 'work', '--facts', '-c', file);
    call.child.stderr.destroy();
    expect(await call.exited).toEqual({ code: 0, signal: null });
    expect(call.told.out).toBe('done\n');
    expect(look(0)).toEqual([]);
  });

  it('survive a reader that goes away', async () => {
    const tools = a2c('tools', '-c', configOf('polite'));
    tools.child.stdout.destroy();
    expect(await tools.exited).toEqual({ code: 0, signal: null });
    expect(tools.told.err).toBe('');
    expect(look(0)).toEqual([]);
  });
});
