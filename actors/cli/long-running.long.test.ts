import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import type { Fact } from '../../machines/facts.ts';
import { atPrompt, seated, type AtPrompt } from '../e2e/at-prompt.ts';
import { attachTo } from '../../scenarios/fixtures/attached.ts';

/** Windows has neither these signals nor `sh`; `console.wine.test.ts` plays its console. */
const isWindows = process.platform === 'win32';
const mark = crypto.randomUUID();
const folder = testFolder('main');

/** Config file with one server behind a shell; a `stubborn` server ends only by SIGKILL, after both grace times. */
function configOf(manners: 'polite' | 'stubborn', termGraceMs = 50): string {
  const file = join(folder, `${manners}-${termGraceMs}.json`);
  const words = [process.execPath, fixtureFile('shutdown-server.mjs'), manners];
  const server = { command: 'sh', args: ['-c', '"$0" "$@"; true', ...words], env: { MARK: mark } };
  const mcpServers = { wrapped: { ...server, autoApprove: ['echo'] } };
  writeFileSync(file, JSON.stringify({ mcpServers, a2c: { timeouts: { stdinGraceMs: 50, termGraceMs } } }));
  return file;
}
/** Lists the processes of the servers that still live after `patienceMs`. */
const look = (patienceMs: number): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [fixtureFile('living-processes.mjs'), mark, String(patienceMs)], {
      encoding: 'utf8',
    }),
  );

/** Upper bound in milliseconds for steps whose time is not measured, long enough for a busy machine. */
const boundMs = 2_000;

const a2c = (...argv: string[]) => startCommand(argv);

describe.skipIf(isWindows)('a2c up', () => {
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
    const calls = ['tools call echo {"text":', 'tools call echo {"text": "hi"}'];
    up.child.stdin.end(['status', 'tools list', 'nonsense', ...calls].join('\n'));
    expect(await up.exited).toEqual({ code: 0, signal: null });
    expect(up.told.out).toMatch(/computer \S+: all servers are ready/);
    expect(up.told.out).toMatch(/^(a2c> )*hi$/m);
    expect(up.told.err).toContain('unknown command: nonsense');
    expect(up.told.err).toContain('not JSON');
    expect(look(0)).toEqual([]);
  });
});

describe.skipIf(isWindows)('the office, the computer and commands as processes of their own', () => {
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
    const server = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')], env: { MARK: mark } };
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

describe('a2c up for programs that read it over pipes', () => {
  const fine = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')] };
  const needy = { ...fine, env: { TOKEN: '${input:facts-told}' } };
  const inputs = [{ type: 'promptString', id: 'facts-told' }];
  let up: AtPrompt;
  let begun: string;
  const statusOf = (name: string): Fact | undefined =>
    up.facts().findLast((fact) => fact.type === 'server_status' && fact.name === name);
  beforeEach(async () => {
    up = atPrompt({ servers: { fine, needy }, inputs });
    begun = await up.until(seated);
  });

  it('a server that needs an input is told of at start, with what it needs, and to who starts it', async () => {
    expect(statusOf('needy')).toMatchObject({
      ...{ state: 'needsInput', reason: expect.stringContaining('A2C_SMCP_facts_told is not set') as string },
    });
    expect(begun).toMatch(/server needy +needs a value: .*needs input facts-told/);
    await up.ask('servers start needy');
    expect(up.facts().findLast(({ type }) => type === 'error')).toMatchObject({
      ...{ code: 'InputNotFound', remedy: expect.stringContaining('A2C_SMCP_facts_told') as string },
    });
  });

  it('a server that is removed ends as removed', async () => {
    expect(await up.ask('servers remove fine')).toContain('server fine');
    expect(statusOf('fine')).toEqual({ type: 'server_status', name: 'fine', state: 'removed' });
  });

  it('a refused tool is told with its server, and a call of it with its server and its failure', async () => {
    const twin = join(folder, 'twin.json');
    writeFileSync(twin, JSON.stringify({ mcpServers: { twin: fine } }));
    up.write(`servers add ${twin}\n`);
    await up.until(/(?=[^]*"name":"twin"[^\n]*are refused)(?=[^]*a2c> $)/);
    const notices = up.facts().filter(({ type }) => type === 'notice');
    expect(notices).toEqual([{ type: 'notice', message: expect.stringContaining("'twin'") as string }]);
    expect(await up.ask('tools conflicts')).toContain('refused: ');
    const strict = {
      ...{ name: 'strict', type: 'stdio', forbidden_tools: ['echo'], server_parameters: fine },
      tool_meta: { echo: { alias: 'mine' } },
    };
    await up.ask(`servers add ${JSON.stringify(strict)}`);
    await up.ask('call mine');
    expect(up.facts().find(({ type }) => type === 'tool_call_result')).toMatchObject({
      server: 'strict',
      outcome: 'failed',
      failure: { code: 'ToolDisabled', message: expect.stringContaining('mine') as string },
    });
  });
});

// In a process of its own: one that has had a computer before has the charts of computers.
it.skipIf(isWindows)(
  'the page of a2c up has the charts of its servers, although it is opened before them',
  async () => {
    const command = { command: process.execPath, args: [fixtureFile('mcp-server.mjs'), 'echo'] };
    const config = JSON.stringify({ mcpServers: { echo: command } });
    const argv = ['up', '--config', config, '--inspect', '0', '--alone'];
    const { child, said, exited } = startCommand(argv, { XDG_STATE_HOME: join(folder, 'page') });
    const [url] = await said(/http:\S+#token=[0-9a-f]+/);
    const { charts } = await (await attachTo(url)).welcome();
    for (const chart of ['client', 'connection', 'computer', 'office']) expect(charts).toHaveProperty(chart);
    child.kill('SIGKILL');
    await exited;
  },
);
