import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createAgent, type Agent, type CallOutcome } from '../index.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const mark = crypto.randomUUID();
const folder = testFolder('three');
const config = join(folder, 'a2c.json');
const server = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')], env: { MARK: mark } };
writeFileSync(config, JSON.stringify({ mcpServers: { fixture: { ...server, autoApprove: ['all'] } } }));

/** Lists the living processes of all three commands and of the server, found by their environment. */
const look = (): { pid: number }[] =>
  JSON.parse(
    execFileSync(process.execPath, [fixtureFile('living-processes.mjs'), mark, '0'], { encoding: 'utf8' }),
  );

type Child = ReturnType<typeof a2c>;
const running = new Set<Child>();
afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
});

/**
 * Starts the command as a process of its own. `said` resolves with the first line of stdout or stderr that matches, or
 * with the n-th one.
 */
function a2c(...argv: string[]) {
  const child = spawn(process.execPath, [fileAt('../../dist/actors/main.js'), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, MARK: mark },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const retry of waiting) retry();
    });
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }) as const);
  const said = (pattern: RegExp, times = 1): Promise<string> =>
    new Promise((resolve, reject) => {
      const retry = (): void => {
        const line = lines.filter((one) => pattern.test(one))[times - 1];
        if (line !== undefined) resolve(line);
      };
      waiting.add(retry);
      retry();
      void exited.then(() => reject(new Error(`it ended without ${pattern}:\n${lines.join('\n')}`)));
    });
  const count = (pattern: RegExp): number => lines.filter((one) => pattern.test(one)).length;
  const self = { child, exited, said, count };
  running.add(self);
  return self;
}
async function officeAt(port: string): Promise<{ office: Child; url: string }> {
  const office = a2c('office', '--port', port);
  return { office, url: await office.said(/^http:/) };
}

const textOf = ({ result }: CallOutcome): string =>
  (result as unknown as { content: { text: string }[] }).content[0]?.text ?? '';
/** Labels of the calls that hang in the server and of those that were cancelled; the server reads its messages in order. */
const seenBy = async (agent: Agent): Promise<{ hanging: string[]; cancelled: string[] }> =>
  JSON.parse(textOf(await agent.callTool('c1', 'seen')));
const linkOf = (agent: Agent, state: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = agent.on('link.changed', (link) => {
      if (link.state !== state) return;
      stop();
      resolve();
    });
  });
const unsent = {
  outcome: 'failed',
  failure: { code: 'LinkLost', message: expect.stringContaining('not sent') as string },
};

it('both sides join again when the office is killed and comes back, and nothing is pending, late or sent twice', async () => {
  const { office, url } = await officeAt('0');
  const computer = a2c('computer', '--url', url, '--name', 'c1', '--config', config);
  await computer.said(/c1 serves/);
  const heard: string[] = [];
  const dir = join(folder, 'traces');
  const agent = await createAgent({
    url,
    keepTrying: true,
    timing: anyTiming({ linkBackoffMs: 50 }),
    record: { dir },
  });
  const trace = (): string => readFileSync(join(dir, readdirSync(dir)[0] ?? ''), 'utf8');
  agent.on('computer.joined', ({ computer: name }) => heard.push(`${name} joined`));
  agent.on('computer.left', ({ computer: name }) => heard.push(`${name} left`));
  await agent.joined();
  const { tools } = await agent.tools('c1');
  expect(tools.map((tool) => tool.name)).toContain('echo');

  // The server answers this call late, after it was cancelled.
  const pending = agent.callTool('c1', 'hang', { label: 'pending', late: true }, { reqId: 'r1' });
  expect(await seenBy(agent)).toEqual({ hanging: ['pending'], cancelled: [] });
  const lost = linkOf(agent, 'waiting');
  office.child.kill('SIGKILL');
  expect(await pending).toMatchObject({
    outcome: 'unknown',
    end: 'unknown',
    result: null,
    failure: { code: 'LinkLost' },
  });
  await lost;
  await expect.poll(trace).toContain('"text":"callUnknown hang"');

  // Socket.IO must not buffer these calls and send them to the restarted office.
  const offline = ['one', 'two'].map((label) => agent.callTool('c1', 'hang', { label }, { reqId: label }));
  for (const call of offline) expect(await call).toMatchObject(unsent);
  await expect(agent.room()).rejects.toMatchObject({ code: 'LinkLost' });
  await expect(agent.config('c1')).rejects.toMatchObject({ code: 'LinkLost' });
  expect([agent.status().computers, heard.at(-1)]).toEqual([[], 'c1 left']);

  const back = linkOf(agent, 'joined');
  const joins = computer.count(/^office joined$/);
  const again = await officeAt(new URL(url).port);
  expect(again.url).toBe(url);
  const entered = new Promise((resolve) => agent.on('computer.joined', resolve));
  await back;
  await entered;
  expect((await agent.tools('c1')).tools).toEqual(tools);
  await computer.said(/^office joined$/, joins + 1);

  // The id of the late call can be used again, and this answer belongs to the new call.
  expect(textOf(await agent.callTool('c1', 'echo', { text: 'new' }, { reqId: 'r1' }))).toBe('new');
  expect(await seenBy(agent)).toEqual({ hanging: [], cancelled: ['pending'] });
  const room = await agent.room();
  expect(room.map(({ role, name }) => `${role} ${name}`).sort()).toEqual(['agent agent', 'computer c1']);

  expect(look()).toHaveLength(3);
  const cut = agent.callTool('c1', 'slow', { ms: 600_000 });
  // The computer answers this question after the call has arrived.
  await agent.config('c1');
  computer.child.kill('SIGKILL');
  expect(await cut).toMatchObject({
    outcome: 'unknown',
    failure: { code: 'ComputerLost', details: { computer: 'c1' } },
  });
  await expect.poll(trace).toContain('"text":"callUnknown slow"');
  await agent.close();
  again.office.child.kill('SIGTERM');
  expect(await again.office.exited).toEqual({ code: 143, signal: null });
  await expect.poll(look).toEqual([]);
});
