import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOffice } from '../api/office.ts';
import { commandLine, documentIn, type CommandOutput } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('run');
const fileOf = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
let [config, impatient] = ['', ''];
beforeAll(() => {
  // A variable of its own: a host of another test would lend a server that is launched in the same way.
  const fixture = { command: process.execPath, args: [server], env: { LAUNCHED_BY: 'run.test.ts' } };
  const twin = { ...fixture, args: [server, 'pages'] };
  const mcpServers = { fixture, off: { ...fixture, disabled: true }, twin };
  config = fileOf('good.json', { mcpServers });
  // Each call has a total time of 200 ms, counted from the moment at which its server is ready.
  impatient = fileOf('impatient.json', { mcpServers, a2c: { timeouts: { callTotalMs: 200 } } });
});

const a2c = (...argv: string[]): Promise<CommandOutput> => commandLine(argv);
it.each([
  ['up', '--config', '--port', '--confirm', '--no-auto-connect'],
  ['options', '--header', '--record', '--boot', '--jwks', '--redis', '--allow-control'],
  ['call', '--json', '--timeout', 'SERVER.TOOL'],
])('the help of %s names its options', async (command, ...options) => {
  const { code, out, err } = await a2c('help', command);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const option of options) expect(out).toContain(option);
});
it('the version is one line', async () => {
  expect(await a2c('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

describe('a wrong use of the command line', () => {
  it('names the help of its command as it was started', async () => {
    const [, main = ''] = process.argv;
    process.argv[1] = '/p/node_modules/.bin/a2c';
    const { err } = await a2c('tools', '--nonsense').finally(() => (process.argv[1] = main));
    expect(err).toContain('(npx a2c help tools tells more)');
  });

  it.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['tools', '--nonsense'], "unknown option '--nonsense'"],
    [['call'], "missing required argument 'tool'"],
    [['tools', '-z'], 'Usage: a2c tools [options] [server|tool] [tool]'],
    [['call', 'echo', '{}', '-x'], 'Usage: a2c call TOOL | SERVER.TOOL'],
    [['computer'], "required option '--url <url>' not specified"],
    [['office', '--port', '65536'], 'from 0 to 65535'],
    [['desktop', '--size', 'many'], 'a whole number'],
    [['desktop', 'window://h/a'], 'too many arguments'],
    [['call', 'echo', '--timeout', 'soon'], 'a number of seconds'],
    [['up', '--confirm', 'maybe'], 'Allowed choices are ask, allow, deny'],
  ])('is answered with 64 and the reason, on stderr: %j', async (argv, reason) => {
    const { code, out, err } = await a2c(...argv);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toContain(reason);
  });

  it.each([
    ['{"text": }', 'not JSON'],
    ['text:=x y', 'not JSON'],
    ['@no-such-arguments.json', 'no such file'],
  ])('is answered with 64 and the reason for %s, before anything is started', async (json, reason) => {
    const told = await a2c('call', 'echo', json, '-c', 'no-such-file.json');
    expect(told).toMatchObject({ code: 64, out: '', err: expect.stringContaining(reason) });
  });

  it.each([[['call', 'echo', '{1}', '--json']], [['call', '--json']], [['tools', '--json', '--nonsense']]])(
    'is told as one document, too: %j',
    async (argv) => {
      const told = await a2c(...argv);
      expect(told.code).toBe(64);
      const error = expect.objectContaining({ code: 'BadRequest', message: expect.any(String) });
      expect(documentIn(told)).toEqual({ error });
    },
  );
});

describe('a wrong config file', () => {
  it('is told with one line per mistake and the path inside the file', async () => {
    const file = fileOf('wrong.json', {
      servers: { a: { type: 'stdio', server_parameters: { command: 7 } }, b: { type: 'carrier pigeon' } },
      typo: 1,
    });
    for (const argv of [['tools'], ['call', 'echo'], ['up'], ['computer', '--url', 'http://127.0.0.1:9']]) {
      const { code, out, err } = await a2c(...argv, '-c', file);
      expect({ code, out }).toEqual({ code: argv[0] === 'call' ? 2 : 1, out: '' });
      const lines = err.trim().split('\n');
      expect(lines.filter((line) => line.includes(`${file}: `))).toHaveLength(3);
      for (const path of ['servers.a.server_parameters.command', 'servers.b.type', 'typo'])
        expect(err).toContain(`${file}: ${path}: `);
      expect(lines.at(-1)).toContain('nothing was started');
    }
  });

  it('is told where a program of it cannot be run, before an office is opened or a server started', async () => {
    const file = fileOf('wrong-vrl.json', { mcpServers: { a: { command: 'no-such-command', vrl: '.x =' } } });
    const { code, out, err } = await a2c('up', '-c', file);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const mistake = `${file}: vrl of server 'a': line 1, column 5: syntax error: unexpected end of program`;
    expect(err).toBe(`error: ${mistake}\n  Fix the program, or set vrl to null.\n`);
    const { error } = documentIn(await a2c('tools', '--json', '-c', file));
    const details = { server_name: 'a', line: 1, column: 5 };
    expect(error).toMatchObject({ code: 'VrlSyntaxError', message: mistake, details });
  });

  it.each([
    ['no-such-file.json', undefined, 'does not exist'],
    ['broken.json', '{"servers": [', 'broken.json'],
    ['list.json', '7', 'list.json'],
  ])('%s is told as a document with --json', async (name, content, reason) => {
    const file = content === undefined ? join(folder, name) : fileOf(name, content);
    const told = await a2c('tools', '--json', '-c', file);
    expect(told.code).toBe(1);
    const { error } = documentIn(told) as { error: { message: string } };
    expect(error).toEqual({
      code: 'ConfigInvalid',
      message: expect.stringContaining(reason),
      details: { mistakes: [expect.any(Object)] },
      remedy: `${content === undefined ? 'Name a file that exists' : 'Fix the file'}; nothing was started.`,
    });
  });
});

describe('the command tools', () => {
  it('lists with --json tools, refusals and servers in the documented shape', async () => {
    const told = await a2c('tools', '--json', '-c', config);
    expect(told.code).toBe(0);
    const listing = documentIn(told);
    expect(Object.keys(listing)).toEqual(['tools', 'refused', 'servers', 'warnings']);
    const keys = ['name', 'original', 'server', 'description', 'params_schema', 'return_schema', 'meta'];
    for (const tool of listing['tools'] as object[])
      expect(Object.keys(tool).toSorted()).toEqual(keys.toSorted());
    expect(listing['tools']).toContainEqual(
      expect.objectContaining({ name: 'echo', original: 'echo', server: 'fixture', return_schema: null }),
    );
    expect(listing['servers']).toEqual([
      { name: 'fixture', state: 'ready', pid: expect.any(Number) },
      { name: 'off', state: 'disabled', reason: 'disabled in its config' },
      {
        name: 'twin',
        state: 'ready',
        pid: expect.any(Number),
        reason: "Tool '#3' of 'twin' is not offered: it has no name",
        failure: expect.objectContaining({ details: expect.objectContaining({ refused: ['#3'] }) }),
      },
    ]);
  });

  it('lists the tools of each server for a person, and what is not ready', async () => {
    const { code, out } = await a2c('tools', '-c', config);
    expect(code).toBe(0);
    expect(out).toMatch(/^fixture {2}ready, \d+ tools\n {2}echo +echo$/m);
    expect(out).toMatch(/^server off disabled in its config/m);
  });
});

describe('the command call', () => {
  it('answers with --json in the documented shape', async () => {
    const told = await a2c('call', 'echo', '{"text":"hi"}', '--json', '-c', config);
    expect(told.code).toBe(0);
    expect(documentIn(told)).toEqual({
      ...{ outcome: 'succeeded', phase: null },
      server: 'fixture',
      tool: 'echo',
      req_id: expect.any(String),
      duration_ms: expect.any(Number),
      result: { content: [{ type: 'text', text: 'hi' }] },
      failure: null,
    });
  });

  const timedOut = { code: 'ToolTimeout', details: { timeout: 200 } };
  it.each([
    [
      'an unknown tool',
      2,
      'no_such_tool',
      { phase: 'resolving', result: null, failure: { code: 'ToolNotFound' } },
    ],
    ['a tool that failed', 1, 'fail', { outcome: 'failed', result: { isError: true }, failure: null }],
    ['an error of the server', 1, 'error', { outcome: 'failed', failure: { message: 'bad arguments' } }],
    ['a time-out', 3, 'hang', { outcome: 'unknown', failure: timedOut }],
    [
      'a server that died',
      3,
      'die',
      { outcome: 'unknown', phase: 'running', failure: { code: 'ServerLost' } },
    ],
  ])('exits for %s with %i and says so in its document', async (_, code, tool, shape) => {
    const told = await a2c('call', tool, '--json', '-c', tool === 'hang' ? impatient : config);
    expect(told.code).toBe(code);
    expect(documentIn(told)).toMatchObject(shape);
  });

  it('shows a person the text of the result, and failures on stderr', async () => {
    const told = await a2c('call', 'echo', '{"text":"a\\nb"}', '-c', config);
    expect(told).toMatchObject({ code: 0, out: 'a\nb\n' });
    const failed = await a2c('call', 'no_such_tool', '-c', config);
    expect(failed).toMatchObject({ code: 2, out: '' });
    expect(failed.err).toMatch(/^error: .*no_such_tool/m);
  });

  it('ends with 2 for an office that is not there, and says what to do', async () => {
    const url = 'http://127.0.0.1:9';
    const told = await a2c('call', 'echo', '--json', '--url', url);
    expect(told.code).toBe(2);
    expect(documentIn(told)).toEqual({
      error: {
        code: 'LinkLost',
        message: expect.stringContaining('Could not join the office'),
        details: { url, refusal: null, reason: expect.stringContaining('ECONNREFUSED') },
        remedy: 'Start an office: createOffice; in a shell: a2c office',
      },
    });
  });
});

describe('an office', () => {
  it.each(['office', 'up'])(
    'says so when a2c %s finds its port taken, and nothing is started',
    async (command) => {
      await using taken = await createOffice({ port: 0 });
      const { code, out, err } = await a2c(command, '--port', String(taken.port));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^error: .*is already in use/m);
      expect(err).not.toContain('server ');
    },
  );
});

describe('the embedded default', () => {
  it('reads a file of the current folder without any config', async () => {
    const { code, out } = await a2c('call', 'read', '{"path":"package.json"}');
    expect(code).toBe(0);
    expect(out).toContain('"name": "a2c-actors"');
  });
});
