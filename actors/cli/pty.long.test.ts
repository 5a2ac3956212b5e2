import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Fact } from '../../machines/facts.ts';
import { readFact } from '../../scenarios/fixtures/read-fact.ts';
import { atPty, type AtPty } from '../../scenarios/fixtures/at-pty.ts';
import { createAgent } from '../index.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');

let folder: string;
beforeEach(() => {
  folder = testFolder('pty');
});

/** Starts `a2c up` at a real terminal; its output has lines for a person and lines for programs. */
function up(env: Readonly<Record<string, string>> = {}, inputs: readonly object[] = []): AtPty {
  const config = join(folder, 'servers.json');
  const script = `require('fs').writeFileSync(process.argv[1], String(process.pid)); import(process.argv[2])`;
  const fixture = { command: process.execPath, args: ['-e', script, join(folder, 'pid'), server] };
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture }, inputs }));
  return atPty(['up', '-c', config, '--port', '0', '--facts'], env);
}
const serverPid = (): number => Number(readFileSync(join(folder, 'pid'), 'utf8'));
const facts = (text: string): Fact[] =>
  text.split(/\r*\n/).flatMap((line) => readFact(line.replace(/^.*?(?=@a2c )/, '')) ?? []);
const isAlive = (pid: number): boolean => {
  try {
    return !/^\S+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('values of inputs are not kept in the history', async () => {
  const inputs = [{ type: 'promptString', id: 'token', password: true }];
  const { type, until, exited } = up({ XDG_STATE_HOME: join(folder, 'state') }, inputs);
  await until(/a2c> /);
  type('inputs value set token s3cret-word\r');
  await until(/set token/);
  type('inputs value list\r');
  await until(/"token":"\*\*\*"/);
  type('quit\r');
  expect(await exited).toBe(0);
  const lines = readFileSync(join(folder, 'state', 'a2c', 'history'), 'utf8');
  expect(lines).toContain('inputs value list');
  expect(lines).not.toContain('s3cret-word');
});

test('each of several pasted lines stands before its answer', async () => {
  const { type, until, rows, exited } = up();
  await until(/a2c> /);
  type('call echo text=one\rcall echo text=two\r');
  const shown = (await rows(/^two$/)).filter((row) => /^a2c> call|^one$|^two$/.test(row));
  expect(shown).toEqual(['a2c> call echo text=one', 'one', 'a2c> call echo text=two', 'two']);
  type('quit\r');
  expect(await exited).toBe(0);
});

test('Ctrl-C while a tool runs cancels that call; twice at an empty prompt it ends everything', async () => {
  const { type, until, exited } = up();
  await until(/a2c> /);
  type('tools call hang {"label": "x"}\r');
  await until(/tools call hang.*\r*\n/);
  type('status\r');
  type('\u0003');
  expect(await until(/was cancelled[^]*a2c> [^]*fixture/)).toContain('unknown');
  type('\u0003');
  await until(/Ctrl-C again, or quit, ends everything\r*\n[^]*a2c> /);
  // A typed command withdraws the first Ctrl-C, so the next one warns again.
  type('calls\r');
  await until(/no call runs/);
  type('\u0003');
  await until(/Ctrl-C again, or quit, ends/);
  type('half\u0003');
  await until(/half/);
  type('\u0003');
  await until(/Ctrl-C again, or quit, ends/);
  type('\u0003');
  expect(await exited).toBe(0);
  expect(isAlive(serverPid())).toBe(false);
});

test('a person who answers "a" is not asked about that tool again, and another one is', async () => {
  const { type, until, exited } = up();
  const begun = facts(await until(/"type":"office"[^]*a2c> /));
  const office = begun.find((each) => each.type === 'office');
  await using agent = await createAgent({ url: office?.url ?? '' });
  const { name = '' } = office ?? {};
  await agent.tools(name);
  const first = agent.callTool(name, 'echo', { text: 'one' });
  await until(
    /the agent wants to run echo of fixture: \{"text":"one"\}[^]*run echo of fixture\? \[y\/N\/a = yes, and do not ask again\] /,
  );
  type('a\r');
  expect(await first).toMatchObject({ outcome: 'succeeded' });
  expect(await agent.callTool(name, 'echo', { text: 'two' })).toMatchObject({ outcome: 'succeeded' });
  const other = agent.callTool(name, 'methods');
  expect(await until(/wants to run methods[^]*again\] /)).not.toContain('"two"');
  type('n\r');
  expect(await other).toMatchObject({
    outcome: 'failed',
    phase: 'confirming',
    failure: { code: 'NotConfirmed' },
  });
  type('quit\r');
  expect(await exited).toBe(0);
});

test('a call shows how far it is in one line that makes room for its result', async () => {
  const { type, until, exited } = up();
  await until(/a2c> /);
  type('tools call work\r');
  const shown = await until(/done\r*\n[^]*a2c> /);
  expect(shown).toContain('\r\u001B[Kwork 1/2 step 1');
  expect(shown).toContain('\r\u001B[Kwork 2/2 step 2');
  expect(shown).toMatch(/"progress":2[^]*\r\u001B\[Kdone\r*\n/);
  type('quit\r');
  expect(await exited).toBe(0);
});

test('Tab completes a command, and the name of a tool', async () => {
  const { type, until, exited } = up();
  await until(/a2c> /);
  type('tools ca\t');
  await until(/tools call /);
  type('ec\t');
  await until(/echo /);
  type('{"text": "typed"}\r');
  await until(/"tool":"echo"[^]*"outcome":"succeeded"/);
  type('quit\r');
  expect(await exited).toBe(0);
});
