import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { env as wineEnv, node as nodeOfWindows, onZ, tree } from './prefix.mjs';

// One side under Wine, the other on this system; both see the same files and the same loopback address.
const folder = mkdtempSync(join(tmpdir(), 'a2c-across-'));
type System = 'linux' | 'wine';
const pathOn = (system: System, path: string): string => (system === 'wine' ? onZ(path) : path);
const running: ChildProcess[] = [];
let files = 0;
interface Run {
  readonly child: ChildProcess;
  readonly said: () => string;
}
const patience = { timeout: 60_000, interval: 200 };
/** Its output goes to a file, because Node under Wine cannot write into a pipe of Linux. */
function node(system: System, words: readonly string[]): Run {
  const file = join(folder, `out-${(files += 1)}.txt`);
  const fd = openSync(file, 'w');
  const [program, first] = system === 'wine' ? ['wine', [nodeOfWindows]] : [process.execPath, []];
  const child = spawn(program, [...first, ...words], {
    cwd: system === 'wine' ? tree : process.cwd(),
    env: { ...(system === 'wine' ? wineEnv : process.env), A2C_KEYRING: 'off' },
    stdio: ['ignore', fd, fd],
  });
  running.push(child);
  return { child, said: () => readFileSync(file, 'utf8') };
}
const a2c = (system: System, words: readonly string[]): Run =>
  node(system, ['dist/actors/main.js', ...words]);
async function done(run: Run): Promise<string> {
  const [code] = await once(run.child, 'exit');
  return `${run.said()}exit code ${code}`;
}
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }
});
afterAll(() => {
  spawnSync('wineserver', ['-k'], { env: wineEnv });
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function serverOn(system: System): { readonly command: string; readonly args: readonly string[] } {
  const command = system === 'wine' ? nodeOfWindows : process.execPath;
  const faults = [{ fault: 'proc.exit', code: 3, when: 'call', tool: 'report' }];
  const program = join(
    system === 'wine' ? tree : process.cwd(),
    'dist/scenarios/fault-server/fault-server.mjs',
  );
  return {
    command,
    args: [pathOn(system, program), JSON.stringify({ tools: { read: {}, report: {} }, faults })],
  };
}
function configFor(system: System): string {
  const file = join(folder, `${(files += 1)}.json`);
  const shaky = { ...serverOn(system), autoApprove: ['all'] };
  writeFileSync(file, JSON.stringify({ mcpServers: { shaky } }));
  return file;
}
const both: readonly (readonly [System, System])[] = [
  ['linux', 'wine'],
  ['wine', 'linux'],
];

describe.each(both)('two systems, %s and %s', (here, there) => {
  it('show a failure that one recorded as the same on the other', async () => {
    const traces = join(folder, `traces-${here}`);
    mkdirSync(traces);
    const words = [
      'call',
      'shaky.report',
      '-c',
      pathOn(here, configFor(here)),
      '--record',
      pathOn(here, traces),
    ];
    expect(await done(a2c(here, words))).toContain('exit code 3');
    const [name = ''] = readdirSync(traces);
    const file = join(traces, name);
    const replayed = async (system: System): Promise<string | undefined> =>
      /SAME .*: (.*digest \w{16})/.exec(await done(a2c(system, ['replay', pathOn(system, file)])))?.[1];
    const own = await replayed(here);
    expect(own).toMatch(/inputs/);
    expect(await replayed(there)).toBe(own);
  });

  it('let a computer of the other sit in the office of the one, and answer agents of both', async () => {
    const office = a2c(here, ['office', '--port', '0', '--token', 'across']);
    await expect.poll(office.said, patience).toMatch(/http:\S+/);
    const url = /http:\S+/.exec(office.said())?.[0] ?? '';
    a2c(there, [
      ...['computer', '--url', url, '--token', 'across', '--name', 'far', '--alone'],
      ...['-c', pathOn(there, configFor(there))],
    ]);
    await expect.poll(office.said, patience).toContain('computer far joined');
    for (const system of [here, there]) {
      const words = ['call', 'read', 'text=hi', '--url', url, '--token', 'across', '--computer', 'far'];
      expect(await done(a2c(system, words))).toMatch(/hi[^]*exit code 0$/);
    }
  });

  it('let a presenter of the other notice what a command of the one writes into its config', async () => {
    const file = configFor(there);
    const presenter = node(there, ['scenarios/wine/presenter.mjs', pathOn(there, file)]);
    await expect.poll(presenter.said, patience).toContain('started shaky');
    const { command, args } = serverOn(there);
    const words = ['add', 'more', '-c', pathOn(here, file), '--', command, ...args];
    expect(await done(a2c(here, words))).toContain('exit code 0');
    await expect.poll(presenter.said, patience).toContain('started more');
    expect(await done(a2c(here, ['remove', 'shaky', '-c', pathOn(here, file)]))).toContain('exit code 0');
    await expect.poll(presenter.said, patience).toContain('stopped shaky');
  });
});
