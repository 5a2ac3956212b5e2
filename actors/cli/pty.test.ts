import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn, type IPty } from '@lydell/node-pty';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFact, type Fact } from '../../machines/facts/index.ts';
import { createAgent } from '../index.ts';

const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const server = fileURLToPath(new URL('../../scenarios/fixtures/mcp-server.mjs', import.meta.url));
const checkout = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let pty: IPty | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2c-pty-'));
});
afterEach(() => {
  pty?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** `a2c up` at a real terminal, as a person and a program that reads along see it. */
function up(...more: string[]) {
  const config = join(folder, 'servers.json');
  const pid = join(folder, 'pid');
  const script = `require('fs').writeFileSync(process.argv[1], String(process.pid)); import(process.argv[2])`;
  const fixture = { command: process.execPath, args: ['-e', script, pid, server] };
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture } }));
  const args = [main, 'up', '-c', config, '--port', '0', '--facts', ...more];
  const env = { ...process.env, NO_COLOR: '1' };
  const terminal = spawn(process.execPath, args, { cols: 240, rows: 50, cwd: checkout, env });
  pty = terminal;
  let shown = '';
  let look = (): void => {};
  terminal.onData((text) => {
    shown += text;
    look();
  });
  const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  /** What was shown since the last wait, once it matches. */
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        if (!pattern.test(shown)) return;
        look = () => {};
        resolve(shown);
        shown = '';
      };
      look();
    });
  const facts = (text: string): Fact[] =>
    text.split(/\r*\n/).flatMap((line) => readFact(line.replace(/^.*?(?=@a2c )/, '')) ?? []);
  return { terminal, until, facts, exited, serverPid: () => Number(readFileSync(pid, 'utf8')) };
}
const isAlive = (pid: number): boolean => {
  try {
    return !/^\S+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('values of inputs and tokens are not kept in the history', async () => {
  process.env['XDG_STATE_HOME'] = join(folder, 'state');
  const { terminal, until, exited } = up();
  delete process.env['XDG_STATE_HOME'];
  await until(/a2c> /);
  const inputs = join(folder, 'inputs.json');
  writeFileSync(inputs, JSON.stringify([{ type: 'promptString', id: 'token', password: true }]));
  terminal.write(`inputs load ${inputs}\r`);
  await until(/"inputs_loaded"/);
  terminal.write('inputs value set token s3cret-word\r');
  await until(/set token/);
  terminal.write('inputs value list\r');
  await until(/"token":"\*\*\*"/);
  terminal.write('connect --url http://127.0.0.1:9 --token s3cret-word\r');
  await until(/Could not join/);
  terminal.write('quit\r');
  expect(await exited).toBe(0);
  const lines = readFileSync(join(folder, 'state', 'a2c', 'history'), 'utf8');
  expect(lines).toContain('inputs value list');
  expect(lines).not.toContain('s3cret-word');
});

test('seed 002 §8.3: prompt, servers list, tools call, quit, and no server process is left', async () => {
  const { terminal, until, facts, exited, serverPid } = up();
  // 1. start → the prompt
  await until(/a2c> /);
  // 2. servers list → server_status
  terminal.write('servers list\r');
  const listed = facts(await until(/@a2c \{"type":"server_status".*\r*\n[^]*a2c> /));
  expect(listed).toContainEqual({ type: 'server_status', name: 'fixture', state: 'ready' });
  // 3. inputs → inputs_loaded
  const inputs = join(folder, 'inputs.json');
  writeFileSync(inputs, JSON.stringify([{ type: 'promptString', id: 'city', description: 'Where' }]));
  terminal.write(`inputs load ${inputs}\r`);
  const loaded = facts(await until(/@a2c \{"type":"inputs_loaded".*\r*\n[^]*a2c> /));
  expect(loaded).toContainEqual({ type: 'inputs_loaded', count: 1 });
  // 4. tools call → tool_call_result
  terminal.write('tools call echo {"text": "through a pty"}\r');
  const called = facts(await until(/@a2c \{"type":"tool_call_result".*\r*\n[^]*a2c> /));
  expect(called.find((fact) => fact.type === 'tool_call_result')).toMatchObject({
    server: 'fixture',
    tool: 'echo',
    outcome: 'succeeded',
  });
  expect(isAlive(serverPid())).toBe(true);
  // 5. quit → the program ends; 6. nothing of its servers is left
  terminal.write('quit\r');
  expect(await exited).toBe(0);
  expect(isAlive(serverPid())).toBe(false);
});

test('Ctrl-C while a tool runs cancels that call; twice at an empty prompt it ends everything', async () => {
  const { terminal, until, exited, serverPid } = up();
  await until(/a2c> /);
  terminal.write('tools call hang {"label": "x"}\r');
  await until(/tools call hang.*\r*\n/);
  terminal.write('status\r');
  terminal.write('\u0003');
  expect(await until(/was cancelled[^]*a2c> [^]*fixture/)).toContain('unknown');
  terminal.write('\u0003');
  await until(/Ctrl-C again, or quit, ends this office, computer \S+, 1 server\r*\n[^]*a2c> /);
  // Whoever types meanwhile has gone on.
  terminal.write('calls\r');
  await until(/no call runs/);
  terminal.write('\u0003');
  await until(/Ctrl-C again, or quit, ends/);
  terminal.write('half\u0003');
  await until(/half/);
  terminal.write('\u0003');
  await until(/Ctrl-C again, or quit, ends/);
  terminal.write('\u0003');
  expect(await exited).toBe(0);
  expect(isAlive(serverPid())).toBe(false);
});

test('status --tree shows every machine with its state', async () => {
  const { terminal, until, exited } = up();
  await until(/a2c> /);
  // The prompt is there before the seat in the office may be.
  let tree = '';
  while (!/link#\d+ +online\.joined/.test(tree)) {
    terminal.write('status --tree\r');
    tree = await until(/process#\d+ +running[^]*a2c> /);
  }
  expect(tree).toMatch(/office#1 +serving/);
  expect(tree).toMatch(/computer#\d+ +serving\.whole/);
  expect(tree).toMatch(/client:fixture#\d+ +connected\.ready\.health\.steady .*next timer in/);
  terminal.write('quit\r');
  expect(await exited).toBe(0);
});

test('a person who answers "a" is not asked about that tool again, and another one is', async () => {
  const { terminal, until, facts, exited } = up();
  const begun = facts(await until(/"type":"office"[^]*a2c> /));
  const office = begun.find((each) => each.type === 'office');
  await using agent = await createAgent({ url: office?.url ?? '' });
  const { name = '' } = office ?? {};
  await agent.tools(name);
  const first = agent.callTool(name, 'echo', { text: 'one' });
  await until(
    /agent agent wants to run echo of fixture: \{"text":"one"\}[^]*run echo of fixture\? \[y\/N\/a = yes, and do not ask again\] /,
  );
  terminal.write('a\r');
  expect(await first).toMatchObject({ outcome: 'succeeded' });
  expect(await agent.callTool(name, 'echo', { text: 'two' })).toMatchObject({ outcome: 'succeeded' });
  const other = agent.callTool(name, 'methods');
  expect(await until(/wants to run methods[^]*again\] /)).not.toContain('"two"');
  terminal.write('n\r');
  expect(await other).toMatchObject({ outcome: 'failed', phase: 'confirming', failure: { code: 4005 } });
  terminal.write('quit\r');
  expect(await exited).toBe(0);
});

test('a call shows how far it is in one line that makes room for its result', async () => {
  const { terminal, until, exited } = up();
  await until(/a2c> /);
  terminal.write('tools call work\r');
  const shown = await until(/done\r*\n[^]*a2c> /);
  expect(shown).toContain('\r\u001B[Kwork [==========>         ] 1/2 step 1');
  expect(shown).toContain('\r\u001B[Kwork [====================] 2/2 step 2');
  expect(shown).toMatch(/"progress":2[^]*\r\u001B\[Kdone\r*\n/);
  terminal.write('quit\r');
  expect(await exited).toBe(0);
});
