import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../scenarios/fixtures/${name}`, import.meta.url));
const mark = crypto.randomUUID();
const living = (): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [fixture('living-processes.mjs'), mark, '0'], { encoding: 'utf8' }),
  );
const computerOf = (command: string, args: readonly string[], env: object = {}) =>
  bootedComputer({
    config: {
      mcpServers: { s: { command, args, env: { ...env, MARK: mark }, autoApprove: ['all'] } },
      a2c: { restart: 'never', timeouts: { stdinGraceMs: 50, termGraceMs: 1_500 } },
    },
  });

// Counts processes in /proc, and its wrapper is a shell script.
describe.skipIf(process.platform === 'win32')('a server that is stopped', () => {
  it('is gone behind a wrapper with it and with what it started: asked first, then forced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2c-stopping-'));
    const log = join(folder, 'log');
    // The second process writes a note when it receives SIGTERM and exits; the server itself ignores SIGTERM.
    const witness = `trap 'echo asked >"$LOG"; exit' TERM; while :; do sleep 0.01; done`;
    const script = `sh -c '${witness.replaceAll("'", `'\\''`)}' </dev/null >/dev/null 2>&1 & "$0" "$@"; true`;
    const words = [process.execPath, fixture('shutdown-server.mjs'), 'stubborn'];
    await using computer = await computerOf('sh', ['-c', script, ...words], { LOG: log });
    expect(living().length).toBeGreaterThanOrEqual(3);
    await computer.servers.stop('s');
    expect(living()).toEqual([]);
    expect(readFileSync(log, 'utf8')).toBe('asked\n');
    expect(computer.status().servers).toEqual([{ name: 's', state: 'idle' }]);
    rmSync(folder, { recursive: true });
  });

  it('has not failed when it takes a signal to end', async () => {
    await using computer = await computerOf(process.execPath, [fixture('shutdown-server.mjs'), 'deaf']);
    await computer.servers.stop('s');
    expect(computer.status().servers).toEqual([{ name: 's', state: 'idle' }]);
    expect(living()).toEqual([]);
  });
});

it('a server that ends by itself with a code is told with that code', async () => {
  await using computer = await computerOf(process.execPath, [fixture('mcp-server.mjs'), 'echo']);
  const { outcome, failure } = await computer.callTool('die');
  expect(outcome).toBe('unknown');
  expect(failure).toMatchObject({ details: { exit_code: 3, signal: null } });
  expect(computer.status().servers[0]?.reason).toContain('exit code 3');
});
