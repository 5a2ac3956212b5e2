import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { createComputer, type AskInput, type Computer, type ComputerOptions } from '../index.ts';

/** Values of inputs that change while a computer runs, seen in the environment of real processes. */
const mark = crypto.randomUUID();
const markOf = (name: string): string => `${mark}-${name}.`;
let ear: ReturnType<typeof createEar>;
let computer: Computer;
const variables = new Set<string>();
const set = (name: string, value: string): void => {
  variables.add(name);
  process.env[name] = value;
};
beforeEach(() => {
  ear = createEar();
});
afterEach(async () => {
  await computer.close();
  for (const name of variables) delete process.env[name];
  expect(pidsOf(mark)).toEqual([]);
});

const token = { type: 'promptString', id: 'token', description: 'Token' };
const wants = (name: string, env: Record<string, string> = { TOKEN: '${input:token}' }, more = {}): object =>
  launched(markOf(name), 'echo', { env: { MARK: markOf(name), ...env }, ...more });
/** Ends at once unless its token is `right`. */
const picky = (name: string): object => {
  const { args } = launched('') as { readonly args: readonly string[] };
  const code = 'if (process.env.TOKEN !== "right") process.exit(3); import(process.argv[1])';
  return wants(name, undefined, { args: ['-e', code, ...args], a2c: { restartBudget: 2 } });
};
const start = async (servers: object, options: ComputerOptions = {}, inputs = [token]): Promise<void> => {
  const config = { servers, inputs, a2c: { timeouts: { stdinGraceMs: 100, termGraceMs: 100 } } };
  computer = await createComputer({ name: 'c1', config, onEvent: ear.onEvent, ...options });
};
const stateOf = (name: string) => computer.servers().find((each) => each.name === name);
const pidOf = (name: string): number | undefined => pidsOf(markOf(name))[0];
const valueAt = (name: string, variable = 'TOKEN'): string | undefined => {
  const entries = readFileSync(`/proc/${pidOf(name)}/environ`, 'utf8').split('\0');
  return entries.find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1);
};
/** Says one word after the other; the last one for ever. */
const says = (...words: readonly (string | Error)[]) => {
  const asked: string[] = [];
  const input: AskInput = async ({ id }) => {
    const word = words[Math.min(asked.length, words.length - 1)];
    asked.push(id);
    if (word instanceof Error) throw word;
    return word;
  };
  return { asked, input };
};

describe('a value that is another by now', () => {
  it('reaches the child at a restart, at a start after a stop, and when it is enabled again', async () => {
    const { asked, input } = says('one', 'two', 'three', 'four');
    await start({ s: wants('s') }, { input });
    expect(valueAt('s')).toBe('one');
    await computer.restartServer('s');
    expect(valueAt('s')).toBe('two');
    await computer.stopServer('s');
    await computer.startServer('s');
    expect(valueAt('s')).toBe('three');
    await computer.addOrUpdateServer({ servers: { s: wants('s', undefined, { disabled: true }) } });
    expect(await computer.addOrUpdateServer({ servers: { s: wants('s') } })).toMatchObject({
      state: 'ready',
    });
    expect(valueAt('s')).toBe('four');
    expect(asked).toHaveLength(4);
  });

  it('of a variable reaches the child at a restart, and at the retry after a crash', async () => {
    set('A2C_SMCP_token', 'one');
    set('INPUT_VALUES_HOME', '/a');
    await start({ s: wants('s', { TOKEN: '${input:token}', AT: '${env:INPUT_VALUES_HOME}' }) });
    set('A2C_SMCP_token', 'two');
    await computer.restartServer('s');
    expect([valueAt('s'), valueAt('s', 'AT')]).toEqual(['two', '/a']);
    set('INPUT_VALUES_HOME', '/b');
    process.kill(pidOf('s') ?? 0, 'SIGKILL');
    await ear.until(() => ear.statesOf('s').filter((state) => state === 'ready').length === 3);
    expect([valueAt('s'), valueAt('s', 'AT')]).toEqual(['two', '/b']);
  });

  it('that was mistyped is asked for again by a retry, and not by its own retries', async () => {
    const { asked, input } = says('wrong', 'right');
    await start({ s: picky('s') }, { input, timing: { backoffMs: 10, longestBackoffMs: 10 } });
    await ear.until(() => stateOf('s')?.state === 'open');
    expect(ear.statesOf('s').filter((state) => state === 'waiting')).not.toHaveLength(0);
    expect(asked).toHaveLength(1);
    await computer.retryServer('s');
    expect([stateOf('s')?.state, valueAt('s'), asked.length]).toEqual(['ready', 'right', 2]);
  });

  it('reaches others that run once a server was ready with it, and not before', async () => {
    const { input } = says('good', 'wrong', 'right');
    await start({ s: picky('s'), t: wants('t') }, { input, timing: { backoffMs: 10, longestBackoffMs: 10 } });
    await ear.until(() => stateOf('s')?.state === 'open');
    const pid = pidOf('t');
    await computer.retryServer('s').catch(() => {});
    await ear.until(() => stateOf('s')?.state === 'open');
    expect([pidOf('t'), valueAt('t')]).toEqual([pid, 'good']);
    await computer.retryServer('s');
    await ear.until(() => ear.statesOf('t').filter((state) => state === 'ready').length === 2);
    expect(valueAt('t')).toBe('right');
  });

  it('by another definition restarts a server that runs, and no other', async () => {
    const defined = (value: string): object => ({ ...token, default: value });
    await start({ s: wants('s'), t: wants('t', {}) }, {}, [defined('one')] as never);
    const pids = [pidOf('s'), pidOf('t')];
    expect(valueAt('s')).toBe('one');
    const servers = { s: wants('s'), t: wants('t', {}) };
    await computer.setServers({ servers, inputs: [{ ...defined('one'), description: 'The same' }] });
    expect([pidOf('s'), pidOf('t')]).toEqual(pids);
    await computer.setServers({ servers, inputs: [defined('two')] });
    await ear.until(() => ear.statesOf('s').filter((state) => state === 'ready').length === 2);
    expect(valueAt('s')).toBe('two');
    expect(pidOf('t')).toBe(pids[1]);
  });
});

describe('while a person is asked', () => {
  const pending = () => {
    const asked: AbortSignal[] = [];
    const input: AskInput = (_, { signal }) => {
      asked.push(signal);
      ear.look();
      return new Promise(() => {});
    };
    return { asked, input };
  };
  it('the others serve, a stop wins, and the question is withdrawn', async () => {
    const { asked, input } = pending();
    await start({ s: wants('s'), t: wants('t', {}) }, { input, timing: { bootMs: 200 } });
    await ear.until(() => stateOf('t')?.state === 'ready');
    expect(stateOf('s')?.state).toBe('connecting');
    await computer.stopServer('s');
    expect(stateOf('s')?.state).toBe('idle');
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    expect(pidOf('s')).toBeUndefined();
  });
  it('the end of the computer withdraws the question', async () => {
    const { asked, input } = pending();
    await start({ s: wants('s') }, { input, timing: { bootMs: 100 } });
    await computer.close();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('what is known about a missing value', () => {
  const pick = { type: 'pickString', id: 'token', options: ['eu', 'us'] };
  it('is told at start, in the status, and by whoever starts it', async () => {
    const { input } = says(new Error('the vault is sealed'));
    await start({ s: wants('s'), t: wants('t', {}) }, { input });
    const reason = expect.stringMatching(/needs input token \(the vault is sealed\)/) as string;
    expect(stateOf('s')).toMatchObject({ state: 'needsInput', reason });
    expect(computer.status().state).toBe('degraded');
    expect(ear.of('server.changed').find(({ state }) => state === 'needsInput')).toMatchObject({
      name: 's',
      reason,
      failure: { code: 'InputNotFound', details: { input_id: 'token' } },
    });
    for (const order of ['startServer', 'retryServer', 'restartServer'] as const)
      await expect(computer[order]('s')).rejects.toMatchObject({
        code: 'InputNotFound',
        message: reason,
        remedy: expect.stringContaining('A2C_SMCP_token') as string,
        details: { input_id: 'token' },
      });
  });
  it('names the variable, and the option that is none', async () => {
    set('A2C_SMCP_token', 'mars');
    await start({ s: wants('s'), t: wants('t', { AT: '${env:INPUT_VALUES_NOWHERE}' }) }, {}, [pick] as never);
    expect(stateOf('s')?.reason).toContain('A2C_SMCP_token is none of its options');
    expect(stateOf('t')?.reason).toContain('INPUT_VALUES_NOWHERE is not set');
    await expect(computer.startServer('t')).rejects.toMatchObject({
      remedy: expect.stringContaining('INPUT_VALUES_NOWHERE') as string,
    });
  });
});
