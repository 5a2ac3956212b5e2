import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProcessFact } from '../../machines/ports/process.ts';
import { createLedger } from './reaper/ledger.ts';
import { processPortOf } from './launch.ts';
import type { Launch, LaunchEnd, LaunchSpec, Launcher } from './launcher.ts';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { whyNotLaunched } from './local-launcher.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

const input = { server: 's', generation: 1, spec: 1, key: 'p' };
function foreign(onSignal = (): void => {}) {
  const ledger = createLedger({ instance: 'me', reaper: false, stateDir: false });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const started = deferred<number>();
  const ended = deferred<LaunchEnd>();
  const asked: unknown[] = [];
  const facts: ProcessFact[] = [];
  let living = (): number => 1;
  const launch = (spec: Launch, env: object) => {
    asked.push([spec, env]);
    const signal = (name: string): void => (asked.push(name), onSignal());
    const promises = { started: started.promise, ended: ended.promise };
    return { stdin, stdout, stderr, ...promises, signal, living: () => living() };
  };
  const spec = { command: 'tool', args: ['a'], env: { TOKEN: 'x', PATH: '/bin' } };
  const told = deferred<void>();
  const launchOf = (server: string, number: number) => (server === 's' && number === 1 ? spec : undefined);
  const port = processPortOf({ launchOf, ledger, launcher: { launch } });
  const instance = port('p', input, (fact) => {
    facts.push(fact);
    if (fact.type === 'child.failed' || fact.type === 'child.exited') told.resolve();
  });
  return {
    ...{ ledger, stdin, stdout, stderr, asked, facts, instance, started, ended, told: told.promise },
    lives: (how: () => number) => (living = how),
  };
}

describe('a launcher of somebody else', () => {
  it('is asked for a server with the whole environment, and its streams are found by the key', () => {
    const { asked, ledger, stdin, stdout } = foreign();
    expect(asked).toEqual([
      [
        { server: 's', command: 'tool', args: ['a'], env: { TOKEN: 'x', PATH: '/bin' } },
        expect.objectContaining({ TOKEN: 'x', A2C_INSTANCE: 'me' }),
      ],
    ]);
    expect(ledger.streamsOf('p')).toEqual({ stdin, stdout });
    expect(ledger.list()).toMatchObject([{ key: 'p', pid: undefined, startTime: undefined }]);
  });

  it('is told of in order, whatever it knows first, and only when its output was read', async () => {
    const { started, ended, stdout, stderr, facts, told, lives, ledger } = foreign();
    ended.resolve({ code: 3, signal: null });
    stderr.write('last ');
    await ended.promise;
    expect(facts).toEqual([]);
    started.resolve(7);
    lives(() => 0);
    stderr.end('words');
    stdout.resume().end();
    await told;
    expect(facts).toEqual([
      { type: 'child.started', pid: 7 },
      { type: 'child.exited', code: 3, signal: null, stderr: 'last words', left: 0 },
    ]);
    expect(ledger.size).toBe(0);
  });

  it('loses pipes that nobody closes, and what it left is waited for', async () => {
    const { started, ended, stdout, facts, told, lives, ledger } = foreign();
    lives(() => 2);
    started.resolve(7);
    ended.resolve({ code: null, signal: 'SIGKILL' });
    await told;
    expect(stdout.destroyed).toBe(true);
    expect(facts.at(-1)).toMatchObject({ type: 'child.exited', left: 2 });
    expect(ledger.size).toBe(1);
    lives(() => 0);
    await ledger.closed();
    expect(facts.at(-1)).toEqual({ type: 'group.emptied' });
  });

  it('is told once that it could not start a server, and forgotten', async () => {
    const { started, facts, told, stdin, lives, ledger } = foreign();
    lives(() => 0);
    started.reject(new Error('no daemon'));
    await told;
    expect(facts).toEqual([{ type: 'child.failed', message: 'cannot start "tool": no daemon' }]);
    expect(stdin.destroyed).toBe(true);
    expect(ledger.size).toBe(0);
  });

  it('has told that a server ended although it does not know how', async () => {
    const { started, ended, facts, told, lives } = foreign();
    lives(() => 0);
    started.resolve(7);
    ended.reject(new Error('lost'));
    await told;
    expect(facts.at(-1)).toMatchObject({ type: 'child.exited', code: null, signal: null });
  });

  it('brings nobody down when it throws where it must not, and what it cannot tell counts as living', async () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    const { started, ended, told, facts, instance, lives, ledger, asked } = foreign(broken);
    lives(broken);
    started.resolve(7);
    ended.resolve({ code: 0, signal: null });
    await told;
    expect(facts.at(-1)).toMatchObject({ left: 1 });
    expect(() => instance.close()).not.toThrow();
    expect(() => ledger.killAll()).not.toThrow();
    expect(asked.slice(1)).toEqual(['SIGKILL', 'SIGKILL']);
    lives(() => 0);
    await ledger.closed();
    expect(ledger.size).toBe(0);
  });

  it('signals by name, and to the end when it is closed, after which nothing is told', async () => {
    const { asked, instance, started, facts, stdin, lives, ended, ledger } = foreign();
    instance.tell({ type: 'child.closeStdin' });
    expect(stdin.writableEnded).toBe(true);
    instance.tell({ type: 'child.signal', signal: 'SIGTERM' });
    instance.close();
    instance.tell({ type: 'child.signal', signal: 'SIGTERM' });
    expect(asked.slice(1)).toEqual(['SIGTERM', 'SIGKILL']);
    lives(() => 0);
    started.resolve(7);
    ended.resolve({ code: null, signal: 'SIGKILL' });
    await ledger.closed();
    expect(facts).toEqual([]);
  });
});

const folder = testFolder('launch');
const at = (name: string): string => join(folder, name);
const put = (name: string, text: string, mode = 0o755): string => {
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
  return at(name);
};
beforeAll(() => {
  mkdirSync(at('bin'));
  put('plain', 'text', 0o644);
  put('orphan', '#!/no/such/interpreter\n');
});

type Failed = Extract<ProcessFact, { type: 'child.failed' }>;
const launched = (spec: Partial<LaunchSpec> | undefined, launcher?: Launcher): Promise<Failed> =>
  new Promise((resolve, reject) => {
    let isEarly = true;
    const ledger = createLedger({ reaper: false, stateDir: false });
    const launchOf = () => spec && { command: process.execPath, args: [], env: {}, ...spec };
    processPortOf({ launchOf, ledger, launcher })('p', input, (fact) => {
      if (isEarly) reject(new Error('told before the port had returned'));
      else if (fact.type === 'child.failed') resolve(fact);
      else if (fact.type === 'child.exited') reject(new Error('it ran'));
    });
    isEarly = false;
  });
const failing = (error: unknown): Launcher => ({
  launch: () => {
    throw error;
  },
});
const coded = (code: string): Error => Object.assign(new Error(`spawn ${code}`), { code });

type Case = [string, () => Partial<LaunchSpec>, string];
/** Cases of modes and first lines of scripts, which Windows does not have, and of its other limit of arguments. */
const onPosix = (...cases: readonly Case[]): readonly Case[] => (process.platform === 'win32' ? [] : cases);

describe('a launch that another try cannot mend', () => {
  it('is final when its command is nowhere in the PATH of the child, which is told', async () => {
    const env = { PATH: [at('bin'), '/elsewhere'].join(delimiter) };
    const { message, isFinal } = await launched({ command: 'no-such-tool', env });
    expect(isFinal).toBe(true);
    expect(message).toMatch(
      `cannot start "no-such-tool": command not found: install it, or correct "command" or PATH; looked in PATH: ${at('bin')}, /elsewhere, `,
    );
  });

  it('says where arguments belong that stand in the command', async () => {
    expect(await launched({ command: 'node srv.mjs', args: ['-x'] })).toMatchObject({
      message:
        'cannot start "node srv.mjs": arguments belong in args: {"command":"node","args":["srv.mjs","-x"]}',
      isFinal: true,
    });
  });

  it('is final when it has no command, which is another failure than one that is missing', async () => {
    expect(await launched({ command: '' })).toEqual({
      type: 'child.failed',
      message: 'cannot start "": its command is empty: say in "command" what to run',
      isFinal: true,
    });
    expect(await launched(undefined)).toMatchObject({
      message: 'cannot start "s": no command is known for it',
      isFinal: true,
    });
  });

  it.each<Case>([
    ['a path of no file', () => ({ command: at('nothing') }), 'there is no such file'],
    ...onPosix(
      ['an interpreter that is missing', () => ({ command: at('orphan') }), 'interpreter'],
      ['a file that may not be executed', () => ({ command: at('plain') }), 'EACCES'],
    ),
    ...['nowhere', 'plain'].map((name): Case => [
      `the folder ${name}`,
      () => ({ cwd: at(name) }),
      `its folder "${at(name)}" does not exist`,
    ]),
    ['an argument that no process can be given', () => ({ args: ['a\0b'] }), 'hold a character'],
    ['a variable that no process can be given', () => ({ env: { A: 'b\0' } }), 'hold a character'],
    ...onPosix(['too many arguments', () => ({ args: ['x'.repeat(4 << 20)] }), 'E2BIG']),
  ])('is final, and says what helps: %s', async (_, spec, says) => {
    const { message, isFinal } = await launched(spec());
    expect(message).toContain(says);
    expect(isFinal).toBe(true);
  });

  it('is told from one that the next try may find otherwise', () => {
    const spec = { command: 'sh', args: [], env: {} };
    for (const code of ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'EWHATEVER'])
      expect(whyNotLaunched(spec, {}, coded(code)), code).toMatchObject({ isFinal: false });
    expect(whyNotLaunched(spec, {}, coded('ENOEXEC'))).toMatchObject({ isFinal: true });
  });
});

describe('the words of a failure', () => {
  it('shorten a long PATH, and give no other value away', async () => {
    const PATH = Array.from({ length: 20 }, (_, n) => `/opt/${n}`).join(delimiter);
    const env = { PATH, TOKEN: 'hunter2' };
    const { message } = await launched({ command: 'no-such-tool', args: ['--key=hunter3'], env });
    expect(message).toMatch(/looked in PATH: \/opt\/0, \/opt\/1, \/opt\/2 and \d+ more$/);
    expect(message).not.toMatch(/hunter/);
  });

  it('are those of the launcher, when it has some', async () => {
    expect(await launched({ command: 'sh' }, failing(new Error('the daemon is busy')))).toEqual({
      type: 'child.failed',
      message: 'cannot start "sh": the daemon is busy',
    });
    const within = whyNotLaunched({ command: 'dockerx', args: [], env: {} }, {}, coded('ENOENT'));
    expect(await launched({ command: 'sh' }, failing(within))).toMatchObject({
      message: expect.stringMatching(
        /^cannot start "dockerx": command not found.* nothing, for PATH is empty$/,
      ),
      isFinal: true,
    });
    const final = Object.assign(new Error('no such image'), { isFinal: true });
    expect(await launched({}, failing(final))).toMatchObject({ isFinal: true });
    expect(await launched({}, failing(coded('ENOENT')))).toMatchObject({ isFinal: true });
    expect(await launched({}, failing(coded('EAGAIN')))).not.toHaveProperty('isFinal');
  });
});
