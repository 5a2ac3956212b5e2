import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { linkedProject } from '../../scenarios/fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = testFolder('fleet-nodes');
const started: ChildProcess[] = [];
let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
  cpSync(join(root, 'examples/fleet'), here, { recursive: true });
  linkedProject(here, '@modelcontextprotocol');
  execFileSync(process.execPath, ['tokens.mjs'], { cwd: here });
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await redis.kill();
});

/** Starts a program of the fleet; resolves with its first line that fits. */
async function line(fits: RegExp, args: readonly string[], more: NodeJS.ProcessEnv): Promise<string> {
  const env = { ...process.env, XDG_STATE_HOME: join(here, 'state'), ...more };
  const child = spawn(process.execPath, args, { cwd: here, env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout });
  for (;;) {
    const [said] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(() => ['it ended']),
    ])) as [string];
    if (fits.test(said)) return said;
    if (child.exitCode !== null) throw new Error(said);
  }
}

it('examples/fleet has an office of two nodes, on which an agent reaches a computer of the other', async () => {
  const node = () => line(/^http/, ['office.mjs'], { PORT: '0', A2C_REDIS: redis.url });
  const [one, other] = await Promise.all([node(), node()]);
  const agent = line(/^red-1: /, ['--env-file=red-agent.env', 'agent.mjs'], { A2C_URL: one });
  await line(/^joined/, ['--env-file=red-1.env', 'computer.mjs'], { A2C_URL: other });
  expect(await agent).toContain('GiB free');
});
