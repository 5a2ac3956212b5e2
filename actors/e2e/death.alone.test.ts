import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const [server, living] = [fixtureFile('shutdown-server.mjs'), fixtureFile('living-processes.mjs')];
const mark = crypto.randomUUID();

const configOf = (isWrapped: boolean): object => {
  const words = [process.execPath, server, 'stubborn'];
  const launch = isWrapped
    ? { command: 'sh', args: ['-c', '"$0" "$@"; true', ...words] }
    : { command: words[0], args: words.slice(1) };
  return {
    mcpServers: { mortal: { ...launch, env: { MARK: mark }, autoApprove: ['all'] } },
    a2c: { timeouts: { stdinGraceMs: 50, termGraceMs: 50 } },
  };
};
/** Lists the processes of the server that still live after `patienceMs`. */
const look = (patienceMs = 0): { pid: number; pgid: number }[] =>
  JSON.parse(execFileSync(process.execPath, [living, mark, String(patienceMs)], { encoding: 'utf8' }));

/** Upper bound in milliseconds for a busy machine, ten times the time that we aim for. */
const boundMs = 1_000;

describe('kill -9 of a server in mid-call', () => {
  /** Starts a server with a call that hangs in it, which the server has received. */
  const start = async (isWrapped: boolean) => {
    const { agent, close } = await bootedHosts({ config: foreign(configOf(isWrapped)) });
    onTestFinished(async () => {
      await close();
      expect(look()).toEqual([]);
    });
    await agent.tools('c1');
    const call = agent.callTool('c1', 'hang', { label: 'doomed' }, { reqId: 'doomed' });
    const { result } = await agent.callTool('c1', 'seen');
    expect(JSON.stringify(result)).toContain(String.raw`[\"doomed\"]`);
    return { agent, call };
  };

  it('answers at once that the effect is unknown, with server, signal and last words', async () => {
    const { call } = await start(false);
    const [victim] = look();
    const killedAt = performance.now();
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const answer = await call;
    expect(performance.now() - killedAt).toBeLessThan(boundMs);
    expect(answer).toMatchObject({ outcome: 'unknown', end: 'unknown', reqId: 'doomed' });
    expect(answer.failure).toMatchObject({
      code: 'ServerLost',
      message: "Server 'mortal' was ended by SIGKILL; stderr: stubborn server is up",
      details: {
        server_name: 'mortal',
        signal: 'SIGKILL',
        exit_code: null,
        stderr: 'listening\nstubborn server is up',
      },
    });
  });

  it('takes the server behind a wrapper along when it hits the wrapper only', async () => {
    const { agent, call } = await start(true);
    const alive = look();
    expect(alive).toHaveLength(2);
    const wrapper = alive.find(({ pid, pgid }) => pid === pgid);
    process.kill(wrapper?.pid ?? 0, 'SIGKILL');
    expect(await call).toMatchObject({ outcome: 'unknown', failure: { details: { signal: 'SIGKILL' } } });
    expect(await agent.callTool('c1', 'echo', { text: 'back' })).toMatchObject({ outcome: 'succeeded' });
    const pids = new Set(alive.map(({ pid }) => pid));
    expect(look().filter(({ pid }) => pids.has(pid))).toEqual([]);
  });
});

describe('a host that leaves without closing', () => {
  it.each(['exit', 'throw'])(
    'takes its servers along when it leaves by %s, wrappers and all',
    async (how) => {
      const config = JSON.stringify(configOf(true));
      const host = spawn(process.execPath, ['--import', 'tsx', fixtureFile('leaving-host.ts'), config, how], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const [said] = (await once(host.stdout, 'data')) as [Buffer];
      expect(String(said)).toBe('up\n');
      expect(look()).toHaveLength(2);
      host.stdin.write('go\n');
      const [code] = (await once(host, 'exit')) as [number];
      expect(code).toBe(how === 'exit' ? 0 : 1);
      expect(look(boundMs)).toEqual([]);
    },
  );
});
