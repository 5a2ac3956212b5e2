import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { AskInput, Computer, ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of placeholders in configs, read from the environment and the output of real processes. */
const mark = crypto.randomUUID();
const secret = 'pa55-w0rd-of-nobody';
let folder: string;
let ear: ReturnType<typeof createEar>;
let computer: Computer;
const variables = new Set<string>();
const set = (name: string, value: string): void => {
  variables.add(name);
  process.env[name] = value;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2c-inputs-'));
  ear = createEar();
});
afterEach(async () => {
  await computer.close();
  for (const name of variables) delete process.env[name];
  rmSync(folder, { recursive: true });
  expect(pidsOf(mark)).toEqual([]);
});

const inputs = [
  { type: 'promptString', id: 'user', description: 'Who' },
  { type: 'promptString', id: 'pass', description: 'Word', password: true },
  { type: 'promptString', id: 'later', description: 'Not yet' },
];
const server = (env: Record<string, string>, behaviour = 'echo'): object =>
  launched(mark, behaviour, { env: { MARK: mark, ...env } });
const start = async (servers: object, options: ComputerOptions = {}): Promise<void> => {
  const config = { servers, inputs };
  computer = await bootedComputer({ name: 'c1', config: foreign(config), onEvent: ear.onEvent, ...options });
};
const stateOf = (name: string) => computer.status().servers.find((each) => each.name === name);
/** Reads the environment of the server process from /proc. */
const envOf = (): Record<string, string> => {
  const [pid] = pidsOf(mark);
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
};

describe('a placeholder', () => {
  it('is filled in from the environment of the host, an input as well as a variable', async () => {
    set('A2C_SMCP_user', 'ada');
    set('INPUTS_TEST_HOME', '/srv');
    await start({ s: server({ WHO: 'I am ${input:user}', HOME_OF: '${env:INPUTS_TEST_HOME}/data' }) });
    expect(envOf()).toMatchObject({ WHO: 'I am ada', HOME_OF: '/srv/data' });
  });

  it('is asked for by the callback of the host, once for all servers that want it', async () => {
    const asked: string[] = [];
    const input: AskInput = async ({ id }) => {
      asked.push(id);
      return `answer to ${id}`;
    };
    await start(
      { s: server({ WHO: '${input:user}' }), t: { ...server({ WHO: '${input:user}' }) } },
      { input },
    );
    expect(envOf()['WHO']).toBe('answer to user');
    expect(asked).toEqual(['user']);
  });

  it('keeps its server down without a value, which says what it needs; the others start', async () => {
    await start({
      needy: server({ WHO: '${input:later}' }),
      lost: server({ WHO: '${env:INPUTS_TEST_NOWHERE}' }),
      fine: server({}, 'pages'),
    });
    expect(computer.status().servers).toMatchObject([
      { name: 'needy', state: 'needsInput', reason: expect.stringContaining('needs input later') as string },
      {
        name: 'lost',
        state: 'unsupported',
        reason: expect.stringContaining('INPUTS_TEST_NOWHERE') as string,
      },
      { name: 'fine', state: 'ready' },
    ]);
    expect(pidsOf(mark)).toHaveLength(1);
    await expect(computer.servers.start('needy')).rejects.toThrow('needs input later');
  });

  it('lets its server start with a value that comes later, when it is told to', async () => {
    await start({ needy: server({ WHO: '${input:later}' }) });
    expect(stateOf('needy')?.state).toBe('needsInput');
    set('A2C_SMCP_later', 'here at last');
    await computer.servers.start('needy');
    expect(stateOf('needy')).toEqual({ name: 'needy', state: 'ready', pid: expect.any(Number) as number });
    expect(envOf()['WHO']).toBe('here at last');
    expect(await computer.callTool('echo', { text: 'x' })).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('the value of a password', () => {
  it('reaches its server and appears in no status, event, failure or trace', async () => {
    const input: AskInput = async () => secret;
    const says = `process.stderr.write('the word is ' + process.env.WORD + '\\n'); process.exit(7)`;
    const dies = {
      command: process.execPath,
      args: ['-e', says],
      env: { MARK: mark, WORD: 'x-${input:pass}-y' },
    };
    await start({ dies, runs: server({ WORD: '${input:pass}' }) }, { input, autoReconnect: false });
    expect(envOf()['WORD']).toBe(secret);
    expect(stateOf('dies')).toMatchObject({ state: 'open' });
    expect(stateOf('dies')?.reason).toContain('exit code 7');
    const trace = await computer.debug.writeTrace(folder);
    const all = {
      status: computer.status(),
      tools: await computer.tools(),
      catalogs: computer.debug.catalogs(),
      told: ear.told,
      trace: readFileSync(trace, 'utf8'),
    };
    const text = JSON.stringify(all);
    // The last output of the process is recorded, without the secret word.
    expect(text).toContain('the word is');
    expect(text).not.toContain(secret);
  });

  it('is as hidden when it was set by the host, before its server starts and after', async () => {
    const log: unknown[] = [];
    await start(
      { s: server({ WORD: '${input:pass}' }) },
      { log: (entry) => log.push(entry), logLevel: 'debug' },
    );
    computer.inputs.values.set('pass', secret);
    await computer.servers.start('s');
    await computer.servers.restart('s');
    expect(envOf()['WORD']).toBe(secret);
    computer.inputs.values.clear();
    await expect(computer.servers.restart('s')).rejects.toThrow('needs input pass');
    const trace = readFileSync(await computer.debug.writeTrace(folder), 'utf8');
    const all = [computer.status(), computer.config(), await computer.tools(), ear.told, log, trace];
    expect(JSON.stringify(all)).not.toContain(secret);
  });
});
