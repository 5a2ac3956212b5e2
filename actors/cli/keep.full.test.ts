import { execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createComputer } from '../index.ts';
import { atPty } from '../../scenarios/fixtures/at-pty.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

/** Tests of servers that stay between calls, with real processes: at `a2c keep`, `a2c up` and a program. */
const folder = testFolder('keep');
vi.setConfig({ testTimeout: 120_000 });

let runs = 0;
let state = '';
let mark = '';
const begun = new Set<ChildProcess>();
beforeEach(() => {
  state = join(folder, `${(runs += 1)}`);
  mark = crypto.randomUUID();
  mkdirSync(state);
});
afterEach(async () => {
  for (const child of begun) child.kill('SIGTERM');
  begun.clear();
  await a2c('keep', '--stop');
});
const doors = (): string => join(state, 'a2c', 'doors');
const counting = () => ({
  command: process.execPath,
  args: [fixtureFile('counting-server.mjs')],
  env: { MARK: mark },
});

/** Config with one counting server, which is kept unless `a2c` says otherwise. */
function configOf(a2c: object = { keepAlive: true }, entry: object = {}): string {
  const file = join(state, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers: { counting: { ...counting(), ...entry, a2c } } }));
  return file;
}
async function run(argv: readonly string[], { env = {}, cwd }: { env?: object; cwd?: string } = {}) {
  const { child, told, exited } = startCommand(argv, { XDG_STATE_HOME: state, ...env }, undefined, cwd);
  child.stdin.end();
  const { code } = await exited;
  return { code, out: told.out.trim(), err: told.err.trim() };
}
type Said = Awaited<ReturnType<typeof run>>;
const a2c = (...argv: string[]): Promise<Said> => run(argv);
const count = async (file: string, ...more: string[]): Promise<string> => {
  const { out, err } = await a2c('call', 'counting.count', '-c', file, ...more);
  return out === '' ? err : out;
};
/** Starts a command that goes on, and resolves when its output matches. */
async function begin(argv: readonly string[], until: RegExp): Promise<ChildProcess> {
  const { child, said } = startCommand(argv, { XDG_STATE_HOME: state });
  begun.add(child);
  await said(until);
  return child;
}
/** Processes of the counting servers that still live after a while. */
const living = (): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [fixtureFile('living-processes.mjs'), mark, '5000'], { encoding: 'utf8' }),
  ) as unknown[];
const pidOf = async (): Promise<number> => {
  const { hosts } = JSON.parse((await a2c('keep', '--list', '--json')).out) as { hosts: { pid: number }[] };
  return hosts[0]?.pid ?? 0;
};

describe('a kept server', () => {
  it('has its state in the next call, is listed, and ends by an order with nothing left', async () => {
    const file = configOf();
    expect([await count(file), await count(file)]).toEqual(['1', '2']);
    expect((await a2c('keep', '--list')).out).toMatch(/^a2c keep \(pid \d+\): counting is ready$/);
    expect(await count(file, '--alone')).toBe('1');
    expect(await a2c('keep', '--stop', 'counting')).toMatchObject({
      code: 0,
      out: 'counting is not kept any more',
    });
    expect(living()).toEqual([]);
    expect(readdirSync(doors())).toEqual([]);
  });

  it('is one, also when two calls want it first', async () => {
    const file = configOf();
    const both = await Promise.all([count(file), count(file)]);
    expect(both.toSorted()).toEqual(['1', '2']);
  });

  it('is not used from another environment, folder, rule, input or root', async () => {
    const file = configOf({ keepAlive: true, passEnv: ['OTHER'] });
    expect(await count(file)).toBe('1');
    const call = ['call', 'counting.count', '-c', file, '--json'];
    const ruled = configOf({ keepAlive: true }, { forbidden_tools: ['hang'] });
    const others = await Promise.all([
      run(call, { env: { OTHER: 'other' } }),
      run(call, { cwd: folder }),
      run([...call, '--root', folder]),
      a2c('call', 'counting.count', '-c', ruled, '--json'),
    ]);
    const content = [{ type: 'text', text: '1' }];
    for (const { out } of others) expect(JSON.parse(out)).toMatchObject({ result: { content } });
    expect(await count(file)).toBe('2');
  });

  it('is not used by a command that has another value for an input, and is by one with the same', async () => {
    const file = join(state, 'inputs.json');
    const { args, ...rest } = counting();
    const inputs = [{ type: 'promptString', id: 'token', password: true }];
    const one = { ...rest, args: [...args, '${input:token}'], a2c: { keepAlive: true } };
    writeFileSync(file, JSON.stringify({ mcpServers: { counting: one }, inputs }));
    const by = async (value: string): Promise<string> =>
      (await run(['call', 'counting.count', '-c', file], { env: { A2C_SMCP_token: value } })).out;
    const all = [await by('one'), await by('two'), await by('one'), await by('two')];
    expect(all).toEqual(['1', '1', '2', '2']);
    expect(await a2c('call', 'counting.count', '-c', file)).toMatchObject({ code: 2, out: '' });
  });

  it('is started again after its host was killed', async () => {
    const file = configOf();
    expect(await count(file)).toBe('1');
    process.kill(await pidOf(), 'SIGKILL');
    expect(await count(file)).toBe('1');
    expect(readdirSync(doors())).toHaveLength(1);
  });

  it('ends after its time without a call, and at SIGTERM', async () => {
    const brief = await begin(['keep', 'counting', '-c', configOf({ keepAlive: 0.2 })], /is kept, until/);
    expect(await once(brief, 'exit')).toEqual([0, null]);
    const long = await begin(['keep', 'counting', '-c', configOf()], /is kept, until/);
    long.kill('SIGTERM');
    expect(await once(long, 'exit')).toEqual([143, null]);
    expect(living()).toEqual([]);
  });

  it('loses the call of a command that is killed', async () => {
    const file = configOf();
    expect(await count(file)).toBe('1');
    const hanging = await begin(['call', 'counting.hang', '-c', file], /call_progress/);
    hanging.kill('SIGKILL');
    expect((await a2c('call', 'counting.cancelled', '-c', file)).out).toBe('1');
  });

  it('fails the call with its reason when it does not come up, and is tried again by the next', async () => {
    const file = configOf({ keepAlive: true }, { args: ['-e', 'process.exit(3)'] });
    const { code, err } = await a2c('call', 'counting.count', '-c', file);
    expect(code).toBe(1);
    expect(err).toContain('exit code 3');
    // The keeper ends by itself when its last server has.
    await expect
      .poll(async () => (await a2c('keep', '--list')).err, { timeout: 30_000 })
      .toContain('no host of yours');
  });
});

describe('a server that another host of the user has', () => {
  it('is used at a2c up, and not with --alone at either side', async () => {
    const file = configOf({});
    const up = ['up', '--port', '0', '--no-inspect', '-c', file];
    const host = await begin(up, /a2c> /);
    expect([await count(file), await count(file), await count(file, '--alone')]).toEqual(['1', '2', '1']);
    expect((await a2c('keep', '--list')).out).toMatch(
      /^up .*\n {2}computer \S+ in local, from \S*127\.0\.0\.1: protocol \d+\.\d+\.\d+$/m,
    );
    host.kill('SIGTERM');
    await once(host, 'exit');
    await begin([...up, '--alone'], /a2c> /);
    expect([await count(file), await count(file)]).toEqual(['1', '1']);
  });

  it('is used at a program that shares it', async () => {
    const file = configOf({});
    const config = { mcpServers: { counting: { ...counting(), a2c: {} } } };
    const computer = await createComputer({ config, shared: true, stateDir: join(state, 'a2c') });
    try {
      expect([await count(file), await count(file)]).toEqual(['1', '2']);
    } finally {
      await computer.close();
    }
    expect(await count(file)).toBe('1');
    expect(readdirSync(doors())).toEqual([]);
  });

  it('is not used where other users can enter the folder of the sockets', async () => {
    const file = configOf();
    expect(await count(file)).toBe('1');
    chmodSync(doors(), 0o755);
    const { out, err } = await a2c('call', 'counting.count', '-c', file);
    expect({ out, err }).toEqual({
      out: '1',
      err: expect.stringMatching(/is not kept: .*chmod 700/) as string,
    });
    chmodSync(doors(), 0o700);
    expect(await count(file)).toBe('2');
  });

  it('is not used at a host of another version, or at one that says nothing', async () => {
    mkdirSync(doors(), { recursive: true, mode: 0o700 });
    const greeting = { door: 1, version: '0.0.0', kind: 'keep', name: 'old', pid: 1, nonce: 'n' };
    const heard: string[] = [];
    const old = createServer((socket) => {
      socket.on('error', () => {}).on('data', (text) => heard.push(String(text)));
      socket.write(`${JSON.stringify(greeting)}\n`);
    });
    const silent = createServer((socket) => socket.on('error', () => {}));
    await Promise.all([
      once(old.listen(join(doors(), 'old.sock')), 'listening'),
      once(silent.listen(join(doors(), 'silent.sock')), 'listening'),
    ]);
    try {
      expect(await count(configOf({}))).toBe('1');
      expect(heard).toEqual([]);
    } finally {
      old.close();
      silent.close();
    }
  });
});

describe('a kept server at a terminal', () => {
  it('keeps its state for the next call, and asks the person who calls', async () => {
    const file = configOf();
    const call = (tool: string) => atPty(['call', `counting.${tool}`, '-c', file], { XDG_STATE_HOME: state });
    await call('count').until(/1\r\n/);
    await call('count').until(/2\r\n/);
    const asking = call('ask');
    await asking.until(/Who are you\?[\s\S]*answer it\? \[Y\/n\] /);
    asking.type('y\r');
    await asking.until(/name \(optional\): /);
    asking.type('Ada\r');
    await asking.until(/"name":"Ada"/);
    expect(await asking.exited).toBe(0);
  });
});
