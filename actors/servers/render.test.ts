import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { Inputs } from './inputs.ts';
import { renderServer, type RenderedServer } from './render.ts';

interface World {
  /** Tells whether environment variables are expanded; false by default. */
  readonly expands?: boolean;
  readonly inputs?: readonly object[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
}
const prompt = (id: string, password = false) => ({ type: 'promptString', id, password });
const render = async (
  server: object,
  { inputs = [], values = {}, environment = {}, expands = false }: World = {},
) => {
  const { servers, inputs: definitions } = readConfig({ servers: [{ name: 'a', ...server }], inputs });
  const held = new Inputs({ definitions, environment });
  for (const [id, value] of Object.entries(values)) expect(held.setValue(id, value)).toBe(true);
  const places = expands ? { home: '/u', workspace: '/ws' } : undefined;
  return renderServer(servers[0] as ServerConfig, held, { places });
};
const stdio = (server_parameters: object) => ({
  type: 'stdio',
  server_parameters: { command: 'x', ...server_parameters },
});
const remote = (server_parameters: object, type = 'streamable') => ({ type, server_parameters });
const failureOf = (rendered: RenderedServer) =>
  rendered.ok ? expect.unreachable('it rendered') : rendered.failure;

describe('a server', () => {
  it('is launched as its config says without placeholders', async () => {
    const child = { args: ['y'], env: { A: '${HOME}' }, cwd: '/' };
    const becomes = async (server: object, spec: object, secrets: readonly string[] = []): Promise<void> =>
      expect(await render(server)).toEqual({ ok: true, secrets, unknown: [], spec });
    await becomes(stdio(child), { kind: 'stdio', command: 'x', ...child });
    await becomes(stdio({}), { kind: 'stdio', command: 'x', args: [], env: {} });
    await becomes(remote({ url: 'https://h/mcp', timeout: 2, terminate_on_close: false }), {
      ...{ kind: 'streamable', url: 'https://h/mcp', headers: {} },
      ...{ timeoutMs: 2_000, sseReadTimeoutMs: 300_000, terminateOnClose: false, fallbackToSse: false },
    });
    expect(await render(remote({ url: 'http://h' }, 'sse'))).toMatchObject({
      spec: { kind: 'sse', timeoutMs: 5_000, terminateOnClose: false },
    });
    const inmemory = { type: 'inmemory', server_parameters: { args: ['z'] } };
    await becomes(inmemory, { kind: 'inmemory', args: ['z'], env: {} });
    const secret = { token: 'abcdefgh', args: ['--api-key=12345678'], headers: { Cookie: 'ijklmnop' } };
    const own = { type: 'own:unix', server_parameters: { path: '/s', ...secret } };
    const spec = { kind: 'own', type: 'own:unix', facts: own.server_parameters };
    await becomes(own, spec, ['abcdefgh', '12345678', 'ijklmnop']);
  });

  it('gets its inputs as texts: 3000 is "3000", true is "true", null is no variable', async () => {
    const server = stdio({
      args: ['--port', '${input:port}', '--on=${input:on}'],
      env: { PORT: '${input:port}', NONE: '${input:none}', WHERE: '${env:PLACE}/x' },
    });
    const inputs = ['port', 'on', 'none'].map((id) => prompt(id));
    const values = { port: 3000, on: true, none: null };
    expect(await render(server, { inputs, values, environment: { PLACE: 'here' } })).toMatchObject({
      spec: { args: ['--port', '3000', '--on=true'], env: { PORT: '3000', WHERE: 'here/x' } },
    });
  });

  it('cannot start with an object in its args, and hears in which place', async () => {
    const world = { inputs: [prompt('a')], values: { a: { b: 'hunter2' } } };
    const failure = failureOf(await render(stdio({ args: ['x', '${input:a}'] }), world));
    const mistakes = ['server_parameters.args[1]: expected a string, got an object'];
    expect(failure).toMatchObject({ code: 'ConfigInvalid', details: { server_name: 'a', mistakes } });
    expect(JSON.stringify(failure)).not.toContain('hunter2');
  });

  it('has a URL that is one after its inputs are in', async () => {
    const inputs = [prompt('a')];
    const url = (a: string) => render(remote({ url: '${input:a}' }), { inputs, values: { a } });
    expect(await url('https://h:1/mcp?x')).toMatchObject({ spec: { url: 'https://h:1/mcp?x' } });
    for (const wrong of ['h', 'file:///${input:a}', 'http://', 'http://[', 'http://h:99999999', 'http://h /'])
      expect(failureOf(await url(wrong))).toMatchObject({ code: 'ConfigInvalid' });
  });

  it('says all that is missing at once, by id and by name, and with why', async () => {
    const args = ['${input:b}', '${input:a}${env:NONE}'];
    const server = stdio({ args, env: { X: '${env:NONE}${input:b}' } });
    expect(failureOf(await render(server, { inputs: [prompt('a')] }))).toMatchObject({
      code: 'InputNotFound',
      message:
        "Server 'a' needs input b (the config does not define it); needs input a (nobody gave a value, and A2C_SMCP_a is not set); the environment variable NONE is not set",
      details: { server_name: 'a', input_id: 'b', inputs: ['b', 'a'], variables: ['NONE'] },
      remedy: expect.stringContaining(
        'Set A2C_SMCP_b and A2C_SMCP_a and NONE in the environment, or define each in "inputs" of the config and answer when asked',
      ),
    });
    expect(failureOf(await render(stdio({ args: ['${env:NONE}'] })))).toMatchObject({
      code: 'ConfigInvalid',
      message: "Server 'a' cannot start: the environment variable NONE is not set",
    });
  });

  it('is rendered in its launch config only', async () => {
    const meta = { tool_meta: { t: { extra: '${input:nobody}' } } };
    expect(await render({ ...stdio({}), ...meta })).toMatchObject({ ok: true });
  });
});

describe('the secrets of a spec', () => {
  const secretsOf = async (server: object, world?: World): Promise<readonly string[]> => {
    const rendered = await render(server, world);
    return rendered.ok ? rendered.secrets.toSorted() : expect.unreachable(rendered.failure.message);
  };

  it('are passwords, wherever they went and with all texts in them', async () => {
    const world = {
      inputs: [prompt('p', true), prompt('deep', true), prompt('open')],
      values: { p: 'hunter22', deep: { a: ['inner-1', 123456789] }, open: 'everybody' },
    };
    const server = stdio({ args: ['x-${input:p}', '${input:open}', '${input:deep} '] });
    expect(await secretsOf(server, world)).toEqual(['123456789', 'hunter22', 'inner-1']);
  });

  it('are what is secret by its name: variables, options, headers, queries, and the credential alone', async () => {
    const environment = { GITHUB_TOKEN: 'token-of-env', PLAIN: 'plain-text' };
    const args = ['--api-key=by-option', '${env:GITHUB_TOKEN}', '${env:PLAIN}'];
    expect(await secretsOf(stdio({ args, env: { MY_SECRET: 'by-name' } }), { environment })).toEqual([
      ...['by-name', 'by-option', 'plain-text', 'token-of-env'],
    ]);
    const url = 'https://u:s3cret%25@h/?api_key=in-query&page=2';
    const headers = { Authorization: 'Bearer abcdef', Accept: 'everything', 'X-Team': 'otters' };
    expect(await secretsOf(remote({ url, headers }))).toEqual([
      ...['Bearer abcdef', 'abcdef', 'in-query', 'otters', 's3cret%', 's3cret%25'],
    ]);
  });

  it('are short ones, too, and nothing that only switches something on', async () => {
    const world = { inputs: [prompt('p', true), prompt('q', true)], values: { p: 'abc', q: '1' } };
    const env = { TOKEN: '', USE_TOKEN: 'true', PIN_SECRET: '42' };
    const server = stdio({ args: ['${input:p}${input:q}'], env });
    expect(await secretsOf(server, world)).toEqual(['1', '42', 'abc']);
  });

  it('are the password of basic authentication, as it was typed', async () => {
    const headers = { Authorization: `Basic ${btoa('bob:pa:ss')}` };
    expect(await secretsOf(remote({ url: 'https://h/', headers }))).toContain('pa:ss');
  });
});

describe('a server whose variables are expanded', () => {
  const environment = { FOO: 'foo', EMPTY: '', API_TOKEN: 'secret-of-env' };
  const inputs = [prompt('i')];
  const expand = (server: object) =>
    render(server, { environment, expands: true, inputs, values: { i: '$FOO ~' } });
  it('is launched with homes, variables and defaults in all of its facts', async () => {
    const server = {
      command: '~/bin/x',
      args: [
        ...['~/a', '~', '~user/b', 'a~/c', '$FOO'],
        ...['${NOPE}', '-${FOO}-$FOO', '${NOPE:-x y}', '${EMPTY:-e}', '${EMPTY}'],
      ],
      env: {
        ...{ A: '${env:FOO}', B: '${env:NOPE:-d}', C: '${workspaceFolder}/c' },
        ...{ $FOO: '${userHome}', D: '$input:i $1 $' },
      },
      cwd: '${workspaceFolder}',
    };
    const rendered = await expand(stdio(server));
    expect(rendered).toMatchObject({
      ok: true,
      unknown: ['${NOPE}', '$input'],
      spec: {
        command: '/u/bin/x',
        args: ['/u/a', '/u', '~user/b', 'a~/c', 'foo', '${NOPE}', '-foo-foo', 'x y', 'e', ''],
        env: { A: 'foo', B: 'd', $FOO: '/u', C: '/ws/c', D: '$input:i $1 $' },
        cwd: '/ws',
      },
    });
  });
  it('is reached with them, too; a URL may be all variable', async () => {
    const url = '${BASE_URL:-https://h}/mcp/$FOO';
    expect(await expand(remote({ url, headers: { A: 'Bearer ${API_TOKEN}' } }))).toMatchObject({
      spec: { url: 'https://h/mcp/foo', headers: { A: 'Bearer secret-of-env' } },
    });
    expect(failureOf(await expand(remote({ url: '$NO_URL' })))).toMatchObject({ code: 'ConfigInvalid' });
  });
  it('expands nothing that a value brings in, and no other type of a host', async () => {
    expect(await expand(stdio({ args: ['${input:i}', '~/${input:i}'] }))).toMatchObject({
      spec: { args: ['$FOO ~', '/u/$FOO ~'] },
    });
    const own = { type: 'own:unix', server_parameters: { path: '~/$FOO' } };
    expect(await expand(own)).toMatchObject({ spec: { facts: { path: '~/$FOO' } } });
  });
  it('does not start without a variable of ours, which has no default', async () => {
    expect(failureOf(await expand(stdio({ args: ['${env:NOPE}'] }))).message).toContain('NOPE is not set');
  });
  it('hides what is secret by the name of its variable, and the default of that', async () => {
    const rendered = await expand(stdio({ args: ['$API_TOKEN', '${MY_PASSWORD:-hunter2}'] }));
    expect(rendered.ok && rendered.secrets.toSorted()).toEqual(['hunter2', 'secret-of-env']);
  });
});

describe('a file of variables', () => {
  const folder = testFolder('env-file');
  const file = join(folder, '.env');
  const named = (envFile: string, parameters: object = {}) => ({ ...stdio(parameters), envFile });

  it('is read at each start; env wins over it, and nothing in it is filled in', async () => {
    writeFileSync(file, '# of the shop\nexport A=1\nB="two words"\nC=${env:FOO}\nAPI_TOKEN=hunter2\n');
    const server = named(file, { env: { A: 'mine' } });
    const rendered = await render(server);
    expect(rendered).toMatchObject({
      ok: true,
      spec: { env: { A: 'mine', B: 'two words', C: '${env:FOO}', API_TOKEN: 'hunter2' } },
      secrets: ['mine', 'hunter2', 'two words'],
    });
    writeFileSync(file, 'D=4');
    expect(await render(server)).toMatchObject({ spec: { env: { A: 'mine', D: '4' } } });
    expect(await render(stdio({ env: {} }))).toMatchObject({ spec: { env: {} } });
  });
  it('lies in the folder of the server, and its path is filled in; Python spells it env_file', async () => {
    writeFileSync(file, 'D=4');
    expect(await render(named('.env', { cwd: folder }))).toMatchObject({ spec: { env: { D: '4' } } });
    const { envFile: env_file, ...server } = named('${env:AT}/.env');
    const environment = { AT: folder };
    expect(await render({ ...server, env_file }, { environment })).toMatchObject({
      spec: { env: { D: '4' } },
    });
  });
  it.each([
    ['is not there', 'none', 'does not exist'],
    ['is a folder', '.', 'is a folder'],
  ])('keeps its server from starting, and is named, when it %s', async (_, path, why) => {
    const failure = failureOf(await render(named(path, { cwd: folder })));
    expect(failure).toMatchObject({ code: 'ConfigInvalid' });
    expect(failure.message).toContain(`envFile: ${join(folder, path)} ${why}`);
  });
});
