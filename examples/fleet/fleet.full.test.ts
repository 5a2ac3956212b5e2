import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { linkedProject } from '../../scenarios/fixtures/linked-project.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const here = testFolder('fleet');
const mark = crypto.randomUUID();
beforeAll(() => {
  cpSync(fileURLToPath(new URL('.', import.meta.url)), here, { recursive: true });
  linkedProject(here, '@modelcontextprotocol');
  execFileSync(process.execPath, ['tokens.mjs'], { cwd: here });
});
const start = (argv: readonly string[], program: string, more: NodeJS.ProcessEnv) =>
  startCommand(argv, { PORT: '0', MARK: mark, XDG_STATE_HOME: join(here, 'state'), ...more }, program, here);
async function startOffice(more: NodeJS.ProcessEnv = {}) {
  const office = start([], 'office.mjs', more);
  const [url] = await office.said(/^http\S+/m);
  return { ...office, url };
}
const member = (name: string, file: string, more: NodeJS.ProcessEnv) =>
  start([file], `--env-file=${name}.env`, more);

describe('examples/fleet', () => {
  it('shows each agent the computers of its room, also later, until a token is withdrawn', async () => {
    const office = await startOffice();
    const url = { A2C_URL: office.url };
    const machine = `${process.platform} ${process.arch}, `;
    const [red, blue] = [member('red-agent', 'agent.mjs', url), member('blue-agent', 'agent.mjs', url)];
    const computers = [member('red-1', 'computer.mjs', url), member('blue-1', 'computer.mjs', url)];
    await Promise.all([
      red.said(new RegExp(`red-1: ${machine}`)),
      blue.said(new RegExp(`blue-1: ${machine}`)),
    ]);
    const later = member('red-2', 'computer.mjs', url);
    await red.said(new RegExp(`red-2: ${machine}`));

    const stray = member('blue-1', 'computer.mjs', { ...url, A2C_ROOM: 'red' });
    await stray.said(/Your credential is not for the office 'red'/);
    const file = join(here, 'tokens.json');
    const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as { tokens: { label: string }[] };
    writeFileSync(file, JSON.stringify({ tokens: tokens.filter(({ label }) => label !== 'red-2') }));
    office.child.kill('SIGHUP');
    await Promise.all([red.said(/red-2 left/), later.said(/This office does not know that token/)]);
    expect([red, blue].map(({ told }) => told.out + told.err)).toEqual([
      expect.not.stringContaining('blue'),
      expect.not.stringContaining('red'),
    ]);

    for (const { child, exited } of [stray, later, ...computers, red, blue, office]) {
      child.kill('SIGTERM');
      expect(await exited).toEqual({ code: 0, signal: null });
    }
    await expect.poll(() => pidsOf(mark)).toEqual([]);
  });

  it('has an office of two nodes, on which an agent reaches a computer of the other', async () => {
    const redis = await RedisServer.start();
    const node = () => startOffice({ A2C_REDIS: redis.url });
    const [one, other] = await Promise.all([node(), node()]);
    const agent = member('red-agent', 'agent.mjs', { A2C_URL: one.url });
    await member('red-1', 'computer.mjs', { A2C_URL: other.url }).said(/^joined/m);
    expect((await agent.said(/^red-1: .*$/m))[0]).toContain('GiB free');
    await redis.kill();
  });
});
