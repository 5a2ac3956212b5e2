import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Computer } from '../../actors/index.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { readTraceFile } from './report/files.ts';
import { replay, replayOf } from './replay.ts';
import { bootedComputer } from '../fixtures/booted.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2c-flight-'));
afterAll(() => rmSync(folder, { recursive: true }));
const mark = crypto.randomUUID();
const secrets = {
  environment: 'env-Secret-1',
  argument: 'arg-Secret-2',
  parameter: 'par-Secret-3',
  result: 'res-Secret-4',
  stderr: 'err-Secret-5',
};
const config = {
  mcpServers: {
    fixture: {
      command: 'sh',
      args: [
        ...['-c', `echo "up with $API_TOKEN, password=${secrets.stderr}" >&2; exec "$0" "$@"`],
        ...[process.execPath, fixture('mcp-server.mjs'), 'echo', `--token=${secrets.argument}`],
      ],
      env: { MARK: mark, API_TOKEN: secrets.environment },
      autoApprove: ['all'],
    },
  },
};
const pidOfServer = (): number =>
  JSON.parse(
    execFileSync(process.execPath, [fixture('living-processes.mjs'), mark, '0'], { encoding: 'utf8' }),
  )[0].pid;
const traceIn = (file: string): Trace => {
  const read = readTraceFile(file);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
};
const onceReady = (computer: Computer): Promise<void> =>
  new Promise((resolve) => {
    const stop = computer.on('server.changed', ({ state }) => {
      if (state !== 'ready') return;
      stop();
      resolve();
    });
  });

let file = '';
const sizes: number[] = [];
const ends: string[] = [];
beforeAll(async () => {
  const dir = join(folder, 'live');
  const computer = await bootedComputer({
    config,
    record: { dir, profile: 'steps' },
    stateDir: false,
    timing: anyTiming({ backoffMs: 20 }),
  });
  file = await computer.debug.writeTrace();
  sizes.push(statSync(file).size);
  const note = async (call: ReturnType<Computer['callTool']>): Promise<void> =>
    void ends.push((await call).end);
  const text = `Bearer ${secrets.result}`;
  await note(computer.callTool('echo', { text, password: secrets.parameter, note: secrets.environment }));
  await note(computer.callTool('fail'));
  const aborter = new AbortController();
  const hanging = computer.callTool('hang', { label: 'x' }, { signal: aborter.signal });
  await computer.callTool('seen');
  aborter.abort();
  await note(hanging);
  await note(computer.callTool('hang', { label: 'y' }, { timeoutMs: 50 }));
  const doomed = computer.callTool('hang', { label: 'z' });
  await computer.callTool('seen');
  const back = onceReady(computer);
  process.kill(pidOfServer(), 'SIGKILL');
  await note(doomed);
  await back;
  await computer.debug.writeTrace();
  sizes.push(statSync(file).size);
  await computer.close();
  sizes.push(statSync(file).size);
  expect(await computer.debug.writeTrace()).toBe(file);
});

describe('a host that records to a folder', () => {
  it('had every event that it was meant to have', () => {
    expect(ends).toEqual(['succeeded', 'failed', 'cancelled', 'timedOut', 'unknown']);
  });

  it('writes one file that grows, is for its owner alone, and is whole after the end', () => {
    expect(readdirSync(join(folder, 'live'))).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(new Set(sizes).size).toBe(3);
    const { head, tail } = traceIn(file);
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(head).toMatchObject({ next: 1, profile: 'steps', clock: 'real', node: process.version });
    expect(tail).toMatchObject({ reason: 'closed', records: rows.length - 2 });
  });

  it('writes no secret, whether of environment, argument, parameter, result or stderr', () => {
    const bytes = readFileSync(file, 'utf8');
    for (const [where, secret] of Object.entries(secrets))
      expect({ where, is: bytes.includes(secret) }).toEqual({ where, is: false });
    // Hidden at the source: the last words of a server go to hosts and agents, too.
    expect(bytes).toContain('up with ***');
    expect(bytes).toContain('"text":"Bearer «redacted:');
  });

  it('can be replayed ten times with one digest', () => {
    const trace = traceIn(file);
    const reports = Array.from({ length: 10 }, () => replayOf(file, trace));
    expect(reports.find(({ verdict }) => verdict !== 'same')?.text).toBeUndefined();
    expect(new Set(reports.map(({ digest }) => digest)).size).toBe(1);
    expect(reports[0]?.matched).toBe(reports[0]?.total);
  });

  it('can be replayed by other processes, whatever their chance, to the same digest', async () => {
    const { digest } = await replay(file);
    const told = await Promise.all(
      [1, 2].map(async (seed) => {
        const argv = [`--random-seed=${seed}`, '--import', 'tsx', fixture('replay-digest.ts'), file];
        const { stdout } = await promisify(execFile)(process.execPath, argv);
        return JSON.parse(stdout) as unknown;
      }),
    );
    expect(told).toEqual(Array.from({ length: 2 }, () => ({ verdict: 'same', digest })));
  });
});

describe('a host that is killed', () => {
  it('leaves a trace that can be replayed, up to a line that is torn', async () => {
    const argv = [
      '--import',
      'tsx',
      fixture('recording-host.ts'),
      JSON.stringify(config),
      join(folder, 'killed'),
    ];
    const host = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'ignore'] });
    const exited = once(host, 'exit');
    const [said] = (await once(host.stdout, 'data')) as [Buffer];
    host.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    const left = String(said).trim();
    const { tail, lines } = traceIn(left);
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
});
