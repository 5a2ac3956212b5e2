import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Fact } from '../../machines/facts.ts';
import { atPrompt, seated } from '../e2e/at-prompt.ts';
import { createAgent } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests how commands report a ready server whose list of tools fails after a change. */
const folder = testFolder('withdrawn');
const pid = join(folder, 'pid');
/** Program of a server that switches its list between failing and working at each SIGUSR2, and announces the change. */
const script = `
import { writeFileSync } from 'node:fs';
import { serveOverStdio, tell, textResult } from ${JSON.stringify(pathToFileURL(fixtureFile('stdio-server.mjs')).href)};
let isBroken = false;
process.on('SIGUSR2', () => {
  isBroken = !isBroken;
  tell({ method: 'notifications/tools/list_changed' });
});
writeFileSync(process.argv.at(-1), String(process.pid));
const tools = [{ name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
serveOverStdio('x', { tools: { listChanged: true } }, {
  'tools/list': () => {
    if (isBroken) throw new Error('no list today');
    return { tools };
  },
  'tools/call': () => textResult('read'),
});`;
const fs = { command: process.execPath, args: ['--input-type=module', '-e', script, pid] };
const config = { mcpServers: { fs }, a2c: { refreshFailures: 1, autoApprove: ['*'] } };
const why = "Server 'fs': its tools were withdrawn: no list today";

const flip = (): boolean => process.kill(Number(readFileSync(pid, 'utf8')), 'SIGUSR2');

it('a server whose tools were withdrawn says so as it happens, to who asks, and to who calls; and no more when they are back', async () => {
  const up = atPrompt(config);
  /** Last `server_status` line for programs. */
  const state = (): Fact | undefined => up.facts().findLast(({ type }) => type === 'server_status');
  const asked = async (...lines: readonly string[]): Promise<string> => {
    const answers: string[] = [];
    for (const line of lines) answers.push(await up.ask(line));
    return answers.join('');
  };
  const ready = { type: 'server_status', name: 'fs', state: 'ready' };
  await up.until(seated);
  expect(state()).toEqual(ready);
  flip();
  await up.until(new RegExp(`server fs               ready: ${why}`));
  expect(state()).toEqual({ ...ready, reason: why });

  const told = await asked('status', 'servers list', 'tools list', 'tools call read {}');
  expect(told.split(`fs               ready: ${why}`)).toHaveLength(3);
  expect(told).toContain(`server fs ready: ${why}`);
  expect(told).toContain(`error: ${why}`);
  expect(told).not.toContain('not found');

  const office = up.facts().find((fact) => fact.type === 'office');
  const agent = await createAgent({ url: office?.url ?? '', name: 'a1' });
  const { failure } = await agent.callTool('c1', 'read');
  expect(failure).toMatchObject({ message: why, remedy: expect.stringContaining('restart') as string });
  await agent.close();

  flip();
  await up.until(/server fs {15}ready\n/);
  expect(state()).toEqual(ready);
  const shown = await asked('status', 'tools list', 'tools call read {}');
  expect(shown).toContain('"outcome":"succeeded"');
  // The trace of the failed call is told when it is written, which may be later.
  // An incident is listed until somebody has looked at it.
  const isEarlier = (line: string): boolean => /^(\d\d:\d\d:\d\d |@a2c )/.test(line);
  const lines = shown.split('\n').filter((line) => !line.includes('see a2c replay') && !isEarlier(line));
  expect(lines.join('\n')).not.toContain('withdrawn');
});

it('servers() and status() say that tools are withdrawn, which is what --json prints', async () => {
  await using computer = await bootedComputer({ config, reaper: false });
  const heard = (): Promise<unknown> =>
    new Promise((resolve) => void computer.on('server.changed', ({ reason }) => resolve(reason)));
  const told = heard();
  flip();
  expect(await told).toBe(why);
  const status = { name: 'fs', state: 'ready', reason: why, failure: { code: 'ServerNotActive' } };
  expect(computer.status().servers).toMatchObject([status]);
  expect(await computer.tools()).toMatchObject({ tools: [], servers: [status] });
  const failure = { code: 'ServerNotActive', message: why };
  expect(await computer.callTool('read')).toMatchObject({ outcome: 'failed', phase: 'resolving', failure });
  const back = heard();
  flip();
  expect(await back).toBeUndefined();
  const one = { name: 'fs', state: 'ready', pid: expect.any(Number) as number };
  expect(computer.status().servers).toEqual([one]);
  expect(await computer.callTool('read')).toMatchObject({ outcome: 'succeeded' });
});
