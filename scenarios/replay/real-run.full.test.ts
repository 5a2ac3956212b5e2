import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replay } from './replay.ts';
import { bootedComputer } from '../fixtures/booted.ts';
import { fixtureFile, testFolder } from '../fixtures/test-folder.ts';
import { traceOf } from './world/world.ts';

const folder = testFolder('flight');
const config = {
  mcpServers: {
    fixture: { command: process.execPath, args: [fixtureFile('mcp-server.mjs')], autoApprove: ['all'] },
  },
};

it('a host that records to a folder writes one file that grows, is for its owner alone, and is whole after the end', async () => {
  const dir = join(folder, 'live');
  const computer = await bootedComputer({ config, record: { dir, profile: 'steps' }, stateDir: false });
  const file = await computer.debug.writeTrace();
  const sizes = [statSync(file).size];
  const doomed = computer.callTool('hang', { label: 'z' });
  await computer.callTool('seen');
  process.kill(computer.status().servers[0]?.pid ?? 0, 'SIGKILL');
  expect(await doomed).toMatchObject({ end: 'unknown' });
  await computer.debug.writeTrace();
  sizes.push(statSync(file).size);
  await computer.close();
  sizes.push(statSync(file).size);
  expect(await computer.debug.writeTrace()).toBe(file);
  expect(readdirSync(dir)).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(new Set(sizes).size).toBe(3);
  const { head, tail } = traceOf(file).trace;
  const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(head).toMatchObject({ next: 1, profile: 'steps', clock: 'real', node: process.version });
  expect(tail).toMatchObject({ reason: 'closed', records: rows.length - 2 });
  expect(await replay(file)).toMatchObject({ verdict: 'same' });
});

it('a host that is killed leaves a trace that can be replayed, up to a line that is torn', async () => {
  const argv = [
    '--import',
    'tsx',
    fixtureFile('recording-host.ts'),
    JSON.stringify(config),
    join(folder, 'killed'),
  ];
  const host = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(host, 'exit');
  const [said] = (await once(host.stdout, 'data')) as [Buffer];
  host.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  const left = String(said).trim();
  const { tail, lines } = traceOf(left).trace;
  expect(tail).toBeUndefined();
  expect(lines.length).toBeGreaterThan(50);
  const text = readFileSync(left, 'utf8');
  const torn = join(folder, 'torn.trace.ndjson');
  // In the midst of each of the last lines, which are the end of a call.
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index).slice(-8);
  for (const end of ends) {
    writeFileSync(torn, text.slice(0, end - 10));
    const report = await replay(torn);
    expect(report.text).toMatch(
      /^SAME .*\n {2}note: the recording has no end: its host died, or it was cut$/,
    );
  }
});
