import { describe, expect, it } from 'vitest';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { parseConfig } from './parse.ts';
import { toProtocol } from './to-protocol.ts';

const launch = { command: 'uvx', args: ['mcp-git', '${input:token}'], env: { A: '${input:a}' }, cwd: '/tmp' };
const log = { auto_apply: true, alias: 'git_log', tags: ['vcs'], ret_object_mapper: { a: 'b' }, extra: [1] };
const whole = {
  type: 'stdio',
  name: 'git',
  disabled: true,
  forbidden_tools: ['push'],
  tool_meta: { log },
  vrl: null,
  default_tool_meta: { auto_apply: null, alias: null, tags: ['x'], ret_object_mapper: null },
  server_parameters: { ...launch, encoding: 'utf-8', encoding_error_handler: 'replace' },
};

describe('shapes of a config', () => {
  it('one protocol server is read, complete as Python wants it', () => {
    const [server] = readConfig(whole).servers;
    expect(server).toMatchObject({
      name: 'git',
      kind: 'stdio',
      disabled: true,
      forbiddenTools: ['push'],
      defaultToolMeta: { tags: ['x'] },
      vrl: null,
      settings: {},
      launch: { ...launch, encodingErrors: 'replace' },
      toolMeta: { log },
    });
    expect(server?.raw).toEqual(whole);
  });

  it('a server of a kind of the host’s own is read, in any shape of file, with whatever facts it has', () => {
    const own = { type: 'own:unix', server_parameters: { path: '/run/${input:who}.sock', port: 1 } };
    for (const config of [{ name: 'a', ...own }, { servers: { a: own } }, { mcpServers: { a: own } }]) {
      const { servers, needsInputs } = readConfig(config);
      expect(servers).toMatchObject([
        { kind: 'own', own: { type: 'own:unix', facts: own.server_parameters } },
      ]);
      expect(servers[0]?.raw).toMatchObject(own);
      expect(needsInputs).toEqual([{ server: 'a', ids: ['who'] }]);
    }
  });

  it('the map of other clients is read also where it stands alone', () => {
    const { servers } = readConfig({ a: { command: 'x' }, b: { type: 'http', url: 'http://h/mcp' } });
    expect(servers).toMatchObject([
      { name: 'a', kind: 'stdio', launch: { command: 'x' } },
      { name: 'b', kind: 'streamable', remote: { url: 'http://h/mcp' } },
    ]);
  });

  it('a list of protocol servers is read that omit what has a default', () => {
    const { servers } = readConfig([
      { name: 'a', type: 'stdio', server_parameters: { command: 'x' } },
      { name: 'b', type: 'sse', server_parameters: { url: 'http://h/sse' } },
      { name: 'c', type: 'streamable', server_parameters: { url: 'https://h/mcp' } },
      { name: 'd', type: 'inmemory' },
    ]);
    const none = { disabled: false, forbidden_tools: [], tool_meta: {}, default_tool_meta: null, vrl: null };
    const codec = { encoding: 'utf-8', encoding_error_handler: 'strict' };
    const stdio = { command: 'x', args: [], env: null, cwd: null, ...codec };
    const url = 'https://h/mcp';
    const waits = { timeout: 'PT30S', sse_read_timeout: 'PT5M' };
    expect(servers.map((server) => server.raw)).toEqual([
      { type: 'stdio', name: 'a', ...none, server_parameters: stdio },
      expect.objectContaining({
        type: 'sse',
        server_parameters: { url: 'http://h/sse', headers: null, timeout: 5, sse_read_timeout: 300 },
      }),
      expect.objectContaining({
        type: 'streamable',
        server_parameters: { url, headers: null, ...waits, terminate_on_close: true },
      }),
      expect.objectContaining({ type: 'inmemory', server_parameters: { args: [], env: null } }),
    ]);
  });

  it('servers are read as a list or as a map, with inputs, settings and $schema', () => {
    const server = { type: 'stdio', server_parameters: { command: 'x' } };
    const inputs = [{ type: 'promptString', id: 'a', description: 'A' }];
    const a2c = { restart: 'never' };
    const listed = readConfig({ $schema: 's', servers: [{ ...server, name: 'n' }], inputs, a2c });
    const mapped = readConfig({ servers: { n: server }, inputs, a2c });
    expect(listed).toEqual(mapped);
    expect(mapped.settings).toEqual(a2c);
    expect(mapped.inputs).toEqual([
      { type: 'promptString', id: 'a', description: 'A', default: null, password: false },
    ]);
  });

  it('the mcpServers map of Claude Desktop, Cursor and DeepChat is read', () => {
    const files = { command: 'npx', args: ['-y', 'fs', 3], env: { PORT: 1 }, disabled: true };
    const deepchat = { command: '', args: [], env: {}, descriptions: 'd', icons: 'x', disable: false };
    const headers = { Authorization: 'Bearer ${input:key}' };
    const far = { type: 'http', baseUrl: 'https://h/mcp', customHeaders: headers, autoApprove: ['all'] };
    const config = readConfig({
      globalShortcut: '',
      mcpServers: {
        files: { ...files, autoApprove: ['list', 'read'] },
        'deep chat': { ...deepchat, ...far },
        Artifacts: { type: 'inmemory', command: 'artifacts', args: [], env: {}, descriptions: '', icons: '' },
        plain: { url: 'http://127.0.0.1:1/mcp', whatever: 1 },
      },
    });
    expect(config.servers.map(({ name, kind, disabled }) => [name, kind, disabled])).toEqual([
      ['files', 'stdio', true],
      ['deep chat', 'streamable', false],
      ['Artifacts', 'inmemory', false],
      ['plain', 'streamable', false],
    ]);
    expect(config.servers[0]).toMatchObject({
      settings: { autoApprove: ['list', 'read'] },
      launch: { args: ['-y', 'fs', '3'], env: { PORT: '1' } },
    });
    expect(config.servers[1]).toMatchObject({ settings: { autoApprove: ['all'] }, remote: { headers } });
    expect(config.warnings).toEqual([
      'globalShortcut: unknown key, ignored',
      'mcpServers.files.args[2]: a number is passed on as text',
      'mcpServers.files.env.PORT: a number is passed on as text',
      'mcpServers.Artifacts.command: means nothing to a server of type inmemory, ignored',
      'mcpServers.plain.whatever: unknown key, ignored',
      'server "deep chat" needs the input key, which inputs does not define',
    ]);
  });

  it('each entry is taken as one of the protocol or of other clients for itself', () => {
    const a = { type: 'stdio', server_parameters: { command: 'x' } };
    const { servers } = readConfig({ servers: { a, b: { command: 'x' } } });
    expect(servers[0]?.raw).toEqual({ ...servers[1]?.raw, name: 'a' });
    expect(readConfig({ mcpServers: { a } }).servers).toHaveLength(1);
    expect(readConfig([{ name: 'a', command: 'x' }]).servers).toHaveLength(1);
    expect(readConfig({ servers: [] }).servers).toEqual([]);
  });

  it('mcpEnabled: false disables every server', () => {
    const mcpServers = { a: { command: 'x', enabled: true } };
    const { servers, warnings } = readConfig({ mcpEnabled: false, mcpServers });
    expect(servers[0]?.disabled).toBe(true);
    expect(warnings).toEqual(['mcpEnabled: is false: every server counts as disabled']);
  });

  it.each(['streamable', 'http', 'streamable-http', 'streamableHttp', 'Streamable_HTTP'])(
    'type %s means streamable HTTP',
    (type) => {
      const { servers } = readConfig([{ name: 'a', type, server_parameters: { url: 'http://h' } }]);
      expect(servers).toMatchObject([{ kind: 'streamable', raw: { type: 'streamable' } }]);
    },
  );

  it('tool meta written in the words of the protocol wins over alwaysAllow', () => {
    const a = { auto_apply: false };
    const s = { command: 'x', alwaysAllow: ['a', 'constructor'], tool_meta: { a } };
    const [server] = readConfig({ mcpServers: { s } }).servers;
    expect(server?.toolMeta).toEqual({ a, constructor: { auto_apply: true } });
  });

  it('own settings are read, with idleStop as a duration', () => {
    const same = { timeouts: { connectMs: 5 }, onConflict: 'prefix', pollMs: 0 };
    const a2c = { idleStop: 'PT1M', keepAlive: true, ...same };
    const [server] = readConfig({ mcpServers: { s: { command: 'x', a2c } } }).servers;
    expect(server?.settings).toEqual({ idleStopMs: 60_000, keepAliveMs: 300_000, ...same });
  });

  it.each([
    ['20s', 20_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d 1h', 176_400_000],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['PT20S', 20_000],
    [20, 20_000],
    ['5', undefined],
    ['5 minutes', undefined],
    ['m', undefined],
    ['', undefined],
    ['-5s', undefined],
  ] as const)('the duration %j is read as %s ms', (keepAlive, ms) => {
    const of = { mcpServers: { s: { command: 'x', a2c: { keepAlive } } } };
    if (ms === undefined) expect(() => readConfig(of)).toThrow(/like/);
    else expect(readConfig(of).servers[0]?.settings).toEqual({ keepAliveMs: ms });
  });

  it('limits of all servers together are taken at the top, and refused where they stand at one server', () => {
    const top = { concurrency: 1, totalConcurrency: 2, totalQueue: 0 };
    const server = { name: 'a', type: 'inmemory' };
    const config = readConfig({ servers: [{ ...server, a2c: { concurrency: 3 } }], a2c: top });
    expect([config.settings, config.servers[0]?.settings]).toEqual([top, { concurrency: 3 }]);
    expect(parseConfig({ servers: [{ ...server, a2c: { totalQueue: 1 } }] })).toEqual({
      ok: false,
      mistakes: [
        { path: 'servers[0].a2c.totalQueue', message: expect.stringContaining('at the top') as string },
      ],
    });
  });

  it('vrl is kept without a warning; null and blank are none', () => {
    const server = { type: 'stdio', server_parameters: { command: 'x' } };
    const config = readConfig([
      { ...server, name: 'a', vrl: '.x = 1' },
      { ...server, name: 'b', vrl: ' \n' },
      { ...server, name: 'c', vrl: null },
    ]);
    expect(config.servers.map((one) => one.vrl)).toEqual(['.x = 1', null, null]);
    expect(config.warnings).toEqual([]);
  });

  it('all three kinds of input are read in any spelling', () => {
    const { inputs, warnings } = readConfig({
      servers: [],
      inputs: [
        { type: 'PromptString', id: 'a', description: 'A', default: 'x', password: null },
        { type: 'pick_string', id: 'b', options: ['1', '2'], default: '3' },
        { type: 'Command', id: 'c', description: 'C', command: 'date', args: { u: '1' } },
      ],
    });
    expect(inputs.map(({ type }) => type)).toEqual(['promptString', 'pickString', 'command']);
    expect(warnings).toEqual(['inputs[1].default: is none of the options']);
  });
});

it('one alias for all tools of a server is taken, with a warning that only one of them can be called by it', () => {
  const server = { type: 'inmemory' };
  const parsed = parseConfig([
    { ...server, name: 'a', default_tool_meta: { alias: 'all' } },
    { ...server, name: 'b', default_tool_meta: { alias: null, tags: ['t'] } },
  ]);
  expect(parsed.ok && parsed.config.warnings).toEqual([
    '[0].default_tool_meta.alias: gives every tool of this server one name, so that only one can be called; write it into tool_meta',
  ]);
});

it('a variable that is not expanded is named, without its default', () => {
  const args = ['${KEY:-hunter2}', '${file:x}'];
  const of = (own: object, top: object): unknown => {
    const parsed = parseConfig({ mcpServers: { a: { command: 'x', args, a2c: own } }, a2c: top });
    return parsed.ok && parsed.config.warnings.map((line) => /\$\{\S+/.exec(line)?.[0]);
  };
  expect(of({}, {})).toEqual(['${file:x}']);
  expect(of({ expand: false }, { expand: true })).toEqual(['${KEY:-…}', '${file:x}']);
  expect(of({}, { expand: false })).toEqual(['${KEY:-…}', '${file:x}']);
});

const ours = { name: 'a', type: 'stdio', server_parameters: { command: 'x' } };
const theirs = (entry: object) => ({ mcpServers: { a: { command: 'x', ...entry } } });
const approvedBy = (config: unknown) => readConfig(config).servers[0]?.settings.autoApprove;

it('auto_approve and autoApprove of a server, in either shape, and a2c.autoApprove are one setting', () => {
  const names = ['read', 'write_x'];
  const spellings = [{ auto_approve: names }, { autoApprove: names }, { a2c: { autoApprove: names } }];
  for (const spelling of spellings) {
    expect(approvedBy([{ ...ours, ...spelling }])).toEqual(names);
    expect(approvedBy(theirs(spelling))).toEqual(names);
    expect(readConfig(theirs(spelling)).warnings).toEqual([]);
  }
  expect(approvedBy([{ ...ours, ...spellings[0], ...spellings[1], ...spellings[2] }])).toEqual(names);
});

it('a server that says nothing of approvals has none of its own, and one that says [] wants none', () => {
  expect(approvedBy([ours])).toBeUndefined();
  expect(approvedBy([{ ...ours, auto_approve: null }])).toBeUndefined();
  expect(approvedBy([{ ...ours, auto_approve: [] }])).toEqual([]);
  expect(readConfig({ servers: [ours], a2c: { autoApprove: ['read'] } }).settings).toEqual({
    autoApprove: ['read'],
  });
});

it('approvals stand once, and * means all', () => {
  expect(approvedBy(theirs({ autoApprove: ['*', 'read', 'all', 'read'] }))).toEqual(['all', 'read']);
  const same = { auto_approve: ['*', 'x'], a2c: { autoApprove: ['*', 'x'] } };
  expect(approvedBy([{ ...ours, ...same }])).toEqual(['all', 'x']);
});

it('alwaysAllow names tools and no groups, whatever autoApprove says beside it', () => {
  const server = readConfig(theirs({ autoApprove: ['read'], alwaysAllow: ['write', 'all'] })).servers[0];
  expect(server?.settings.autoApprove).toEqual(['read']);
  expect(server?.toolMeta).toEqual({ write: { auto_apply: true }, all: { auto_apply: true } });
  expect(server?.defaultToolMeta).toBeNull();
  const every = readConfig(theirs({ alwaysAllow: ['*'] })).servers[0];
  expect([every?.toolMeta, every?.defaultToolMeta]).toEqual([{}, { auto_apply: true }]);
});

it('no approval leaves the house: peers refuse keys that they do not know', () => {
  const [plain, ...others] = [
    [ours],
    [{ ...ours, auto_approve: ['read'] }],
    [{ ...ours, a2c: { autoApprove: ['x'] } }],
    theirs({ autoApprove: ['all', 'x'] }),
  ].map((config) => toProtocol(readConfig(config)));
  expect(others).toEqual([plain, plain, plain]);
});

it('a config that goes back to the protocol keeps the default of a password at home, and so it does our settings', () => {
  const config = readConfig({
    servers: [{ ...whole, a2c: { restart: 'always' } }],
    inputs: [{ type: 'promptString', id: 'token', description: 'T', default: 'secret', password: true }],
  });
  expect(toProtocol(config)).toEqual({
    servers: { git: whole },
    inputs: [{ type: 'promptString', id: 'token', description: 'T', default: null, password: true }],
  });
});

it('a config that goes back to the protocol can be read again and means the same', () => {
  const url = 'http://h';
  const http = { url, timeout: 90, sse_read_timeout: 'P1DT0.5S' };
  const first = readConfig([
    whole,
    { name: 'r', type: 'http', server_parameters: http },
    { name: 's', type: 'sse', server_parameters: { url, timeout: 'PT1.5S', headers: { A: 'b' } } },
    { name: '__proto__', type: 'in-memory', server_parameters: { args: ['x'] } },
  ]);
  const second = readConfig({ ...toProtocol(first) });
  expect(second.servers).toEqual(first.servers);
  expect(second.servers[1]).toMatchObject({ remote: { timeoutMs: 90_000, sseReadTimeoutMs: 86_400_500 } });
  expect(second.servers[1]?.raw.server_parameters).toMatchObject({
    timeout: 'PT1M30S',
    sse_read_timeout: 'PT24H0.5S',
  });
});
