import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { AskInput, Computer, ComputerOptions } from '../index.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of input values that change while a computer runs, read from the environment of real processes. */
const mark = crypto.randomUUID();
const markOf = (name: string): string => `${mark}-${name}.`;
let ear: ReturnType<typeof createEar>;
let computer: Computer;

const token = { type: 'promptString', id: 'token', description: 'Token' };
const wants = (name: string, env: Record<string, string> = { TOKEN: '${input:token}' }, more = {}): object =>
  launched(markOf(name), 'echo', { env: { MARK: markOf(name), ...env }, ...more });
const start = async (servers: object, options: ComputerOptions = {}, inputs = [token]): Promise<void> => {
  const config = { servers, inputs, a2c: { timeouts: { stdinGraceMs: 100, termGraceMs: 100 } } };
  ({ computer, ear } = await endingComputer(mark, { config: foreign(config), ...options }));
};
const stateOf = (name: string) => computer.status().servers.find((each) => each.name === name);
const pidOf = (name: string): number | undefined => pidsOf(markOf(name))[0];
const valueAt = (name: string, variable = 'TOKEN'): string | undefined => {
  const entries = readFileSync(`/proc/${pidOf(name)}/environ`, 'utf8').split('\0');
  return entries.find((entry) => entry.startsWith(`${variable}=`))?.slice(variable.length + 1);
};
/** Person who answers each question with the next of these words, and repeats the last one. */
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

describe('the value of a password', () => {
  const secret = 'pa55-w0rd-of-nobody';
  const folder = testFolder('inputs');
  const password = [{ ...token, password: true }];
  const traceOf = async (): Promise<string> => readFileSync(await computer.debug.writeTrace(folder), 'utf8');

  it('reaches its server and appears in no status, event, failure or trace', async () => {
    const script = `process.stderr.write('the word is ' + process.env.TOKEN + '\\n'); process.exit(7)`;
    const dies = wants('dies', { TOKEN: 'x-${input:token}-y' }, { args: ['-e', script] });
    const input: AskInput = async () => secret;
    await start({ dies, s: wants('s') }, { input, autoReconnect: false }, password);
    expect(valueAt('s')).toBe(secret);
    expect(stateOf('dies')).toMatchObject({ state: 'open' });
    expect(stateOf('dies')?.reason).toContain('exit code 7');
    const all = [computer.status(), await computer.tools(), computer.debug.catalogs(), ear.told];
    const text = JSON.stringify([...all, await traceOf()]);
    // The last output of the process is recorded, without the secret word.
    expect(text).toContain('the word is');
    expect(text).not.toContain(secret);
  });

  it('a password that the host sets is hidden before its server starts and after', async () => {
    const log: unknown[] = [];
    await start({ s: wants('s') }, { log: (entry) => log.push(entry), logLevel: 'debug' }, password);
    computer.inputs.values.set('token', secret);
    await computer.servers.start('s');
    await computer.servers.restart('s');
    expect(valueAt('s')).toBe(secret);
    computer.inputs.values.clear();
    await expect(computer.servers.restart('s')).rejects.toThrow('needs input token');
    const all = [computer.status(), computer.config(), await computer.tools(), ear.told, log];
    expect(JSON.stringify([...all, await traceOf()])).not.toContain(secret);
  });
});

describe('a value that is another by now', () => {
  it('restarts by another definition a server that runs, and no other', async () => {
    const defined = (value: string): object => ({ ...token, default: value });
    await start({ s: wants('s'), t: wants('t', {}) }, {}, [defined('one')] as never);
    const pids = [pidOf('s'), pidOf('t')];
    expect(valueAt('s')).toBe('one');
    const servers = { s: wants('s'), t: wants('t', {}) };
    const same = { ...defined('one'), description: 'The same' };
    await computer.servers.set(foreign({ servers, inputs: [same] }));
    expect([pidOf('s'), pidOf('t')]).toEqual(pids);
    await computer.servers.set(foreign({ servers, inputs: [defined('two')] }));
    await ear.until(() => ear.statesOf('s').filter((state) => state === 'ready').length === 2);
    expect(valueAt('s')).toBe('two');
    expect(pidOf('t')).toBe(pids[1]);
  });
});

describe('a value that was set', () => {
  it('is taken without a question, by all servers that use its input, until it is cleared', async () => {
    const { asked, input } = says('typed', 'typed again');
    await start({ s: wants('s'), t: wants('t') }, { input });
    expect([valueAt('s'), valueAt('t')]).toEqual(['typed', 'typed']);
    computer.inputs.values.set('token', 'by hand');
    for (const name of ['s', 't']) await computer.servers.restart(name);
    expect([valueAt('s'), valueAt('t'), asked.length]).toEqual(['by hand', 'by hand', 1]);
    await computer.servers.add(foreign({ servers: { s: wants('s', undefined, { disabled: true }) } }));
    await computer.servers.remove('t');
    await computer.servers.add(foreign({ servers: { s: wants('s') } }));
    expect([valueAt('s'), asked.length]).toEqual(['by hand', 1]);
    computer.inputs.values.clear();
    await computer.servers.restart('s');
    expect([valueAt('s'), asked.length]).toEqual(['typed again', 2]);
  });
});

describe('a server that runs', () => {
  it('runs on when the question of its restart is refused, with its value', async () => {
    const { input } = says('one', new Error('not now'), 'two');
    await start({ s: wants('s') }, { input });
    const pid = pidOf('s');
    await expect(computer.servers.restart('s')).rejects.toMatchObject({
      code: 'InputNotFound',
      message: expect.stringMatching(/not now.*runs on as it was/) as string,
      remedy: expect.stringContaining('servers restart s') as string,
    });
    const now = [stateOf('s')?.state, pidOf('s'), computer.inputs.values.get('token')];
    expect(now).toEqual(['ready', pid, 'one']);
    await computer.servers.restart('s');
    expect(valueAt('s')).toBe('two');
  });
});

describe('an order that another one interrupts', () => {
  it('says which one', async () => {
    const s = wants('s', {}, { args: ['-e', 'setInterval(() => {}, 1000)'] });
    await start({ s }, { autoConnect: false });
    const started = computer.servers.start('s');
    await ear.until(() => stateOf('s')?.state === 'connecting');
    await computer.servers.stop('s');
    await expect(started).rejects.toThrow("Server 's' was stopped before it was ready");
  });
});

describe('what is known about a missing value', () => {
  it('is told at start, in the status, and by the one who starts it', async () => {
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
    for (const order of ['start', 'restart'] as const)
      await expect(computer.servers[order]('s')).rejects.toMatchObject({
        code: 'InputNotFound',
        message: reason,
        remedy: expect.stringContaining('A2C_SMCP_token') as string,
        details: { input_id: 'token' },
      });
  });
});
