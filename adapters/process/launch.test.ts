import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ProcessFact } from '../../machines/ports/process.ts';
import { createLedger } from './reaper/ledger.ts';
import { processPortOf } from './launch.ts';
import type { Launch, LaunchEnd } from './launcher.ts';

function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** Fake launcher that the test controls, with our process port over it. */
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
    const signal = (name: string): void => {
      asked.push(name);
      onSignal();
    };
    return {
      stdin,
      stdout,
      stderr,
      started: started.promise,
      ended: ended.promise,
      signal,
      living: () => living(),
    };
  };
  const spec = { command: 'tool', args: ['a'], env: { TOKEN: 'x', PATH: '/bin' } };
  const told = deferred<void>();
  const port = processPortOf({ launchOf: () => spec, ledger, launcher: { launch } });
  const instance = port('p', { server: 's', generation: 1, spec: 1, key: 'p' }, (fact) => {
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
