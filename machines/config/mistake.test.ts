import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { remedyFor, mistakeLine } from './mistake.ts';
import { inputSchemas, serverSchemas } from './schemas.ts';
import { apps } from '../applications/apps.ts';
import { foreignKeys } from './foreign.ts';
import { parseConfig } from './parse.ts';
import { toProtocol } from './to-protocol.ts';

const ok = { name: 'a', type: 'stdio', server_parameters: { command: 'x' } };
const launch = (server_parameters: object) => [{ ...ok, server_parameters }];
const mine = (a2c: unknown) => ({ servers: [], a2c });
const other = (entry: object) => ({ mcpServers: { git: entry } });
const web = { name: 'a', type: 'streamable' };
const inputs = (...list: unknown[]) => ({ servers: [], inputs: list });
const shapes =
  'a server, a list of servers, {"servers": …, "inputs": […]}, or {"mcpServers": {name: {"command": …}}}';

const notUtf8 =
  'is not UTF-8, the only encoding of MCP (Let the server speak UTF-8 (Python: "PYTHONUTF8": "1" or "PYTHONIOENCODING": "utf-8" in its env), and delete this key)';
/** Rows of: the content of a config file, and the lines that report its mistakes. */
const table: readonly (readonly [unknown, ...string[]])[] = [
  [null, `expected ${shapes}`],
  ['text', `expected ${shapes}`],
  [{}, `has no servers (expected ${shapes})`],
  [{ servers: 3 }, 'servers: expected a list of servers or an object with one server per name'],
  [{ mcpServers: [] }, 'mcpServers: expected an object with one server per name'],
  [{ servers: {}, mcpServers: {} }, 'servers: stands beside mcpServers (keep all servers in one of them)'],
  [{ servers: [], server: 1 }, 'server: unknown key (expected servers, inputs, a2c)'],
  [[7], '[0]: expected an object that configures a server'],
  ...['gbk', 'latin1', 'utf-16', 'utf-8x'].flatMap((encoding): (readonly [unknown, string])[] => [
    [launch({ command: 'x', encoding }), `[0].server_parameters.encoding: ${notUtf8}`],
    [other({ command: 'x', encoding }), `mcpServers.git.encoding: ${notUtf8}`],
  ]),
  [{ servers: { a: null } }, 'servers.a: expected an object that configures a server'],
  [{ a: { command: 'x' }, theme: {} }, `has no servers (expected ${shapes})`],
  [[{ ...ok, name: undefined }], '[0].name: is missing: expected a string'],
  [[{ ...ok, name: ' ' }], '[0].name: expected a string that is not empty'],
  [{ servers: { '': ok } }, 'servers[""]: the name of a server must not be empty'],
  [{ servers: { b: ok } }, 'servers.b.name: differs from "b", the key of this server'],
  [{ servers: [ok, ok] }, 'servers[1].name: "a" is already the name of servers[0]'],
  [
    [{ ...ok, type: undefined }],
    '[0].type: is missing: expected one of stdio, sse, streamable, inmemory, own:NAME',
  ],
  [[{ ...ok, type: 'tcp' }], '[0].type: expected one of stdio, sse, streamable, inmemory, own:NAME'],
  [[{ ...ok, type: 'own:' }], '[0].type: expected one of stdio, sse, streamable, inmemory, own:NAME'],
  [other({ type: 'own:unix', path: 'p' }), 'mcpServers.git.path: unknown key'],
  [[{ ...ok, disabled: 'no' }], '[0].disabled: expected true or false, got a string'],
  [[{ ...ok, forbidden_tool: [] }], '[0].forbidden_tool: unknown key (did you mean forbidden_tools?)'],
  [[{ ...ok, forbidden_tools: 'x' }], '[0].forbidden_tools: expected a list, got a string'],
  [[{ ...ok, command: 'x' }], '[0].command: unknown key (command belongs into server_parameters)'],
  [
    [{ ...ok, tool_meta: { t: { auto_apply: 1 } } }],
    '[0].tool_meta.t.auto_apply: expected true or false, got a number',
  ],
  [
    [{ ...ok, default_tool_meta: { tags: [1] } }],
    '[0].default_tool_meta.tags[0]: expected a string, got a number',
  ],
  [[{ ...ok, vrl: {} }], '[0].vrl: expected a string, got an object'],
  [[{ name: 'a', type: 'stdio' }], '[0].server_parameters: is missing: expected an object'],
  [{ servers: launch({}) }, 'servers[0].server_parameters.command: is missing: expected a string'],
  [launch({ command: '' }), '[0].server_parameters.command: must not be empty'],
  [launch({ command: 'x', args: 'y' }), '[0].server_parameters.args: expected a list, got a string'],
  [
    launch({ command: 'x', args: ['a\0'] }),
    '[0].server_parameters.args[0]: must not contain a NUL character',
  ],
  [launch({ command: 'x', env: { A: 1 } }), '[0].server_parameters.env.A: expected a string, got a number'],
  [
    launch({ command: 'x', env: { 'A=': '1' } }),
    '[0].server_parameters.env["A="]: a variable name must not contain "="',
  ],
  [
    launch({ command: 'x', encoding_error_handler: 'no' }),
    '[0].server_parameters.encoding_error_handler: expected one of strict, ignore, replace',
  ],
  [
    [{ ...web, server_parameters: { url: 'ftp://h' } }],
    '[0].server_parameters.url: expected an http:// or https:// URL',
  ],
  [
    [{ ...web, server_parameters: { url: 'http://h', timeout: 'soon' } }],
    '[0].server_parameters.timeout: expected seconds as a number, or a duration like "30s", "1h30m" or "PT30S" (0 to 24 days)',
  ],
  [
    [{ ...web, server_parameters: { url: 'http://h', headers: { 'a b': 'c' } } }],
    '[0].server_parameters.headers["a b"]: is no valid header name',
  ],
  [
    [{ ...web, server_parameters: { url: 'http://h', headers: { a: 'b\nc' } } }],
    '[0].server_parameters.headers.a: a header value must be one line',
  ],
  [[{ ...ok, a2c: { restarts: 1 } }], '[0].a2c.restarts: unknown key (did you mean restart?)'],
  [mine({ restart: 'maybe' }), 'a2c.restart: expected one of always, on-failure, never'],
  [mine({ restartBudget: -1 }), 'a2c.restartBudget: must be at least 0'],
  [mine({ concurrency: 1.5 }), 'a2c.concurrency: expected a whole number, got a number'],
  [mine({ timeouts: { connectMs: 0 } }), 'a2c.timeouts.connectMs: must be at least 1'],
  [mine({ timeouts: { drain: 0 } }), 'a2c.timeouts.drain: unknown key (did you mean drainMs?)'],
  [mine({ landing: {} }), 'a2c.landing.folder: is missing: expected a string'],
  [
    mine({ landing: { folder: 'in' } }),
    'a2c.landing.folder: expected a whole path, or one that begins with ~',
  ],
  [mine([]), 'a2c: expected an object, got a list'],
  [other({}), 'mcpServers.git.command: is missing: expected a string'],
  [other({ type: 'sse', command: '' }), 'mcpServers.git.url: is missing: expected a string'],
  [other({ type: 'tcp' }), 'mcpServers.git.type: expected one of stdio, sse, http, inmemory'],
  [
    other({ command: 'x', url: 'http://h' }),
    'mcpServers.git: has both a command and a URL (say which one with type)',
  ],
  [other({ baseUrl: 'h' }), 'mcpServers.git.baseUrl: expected an http:// or https:// URL'],
  [
    other({ url: 'http://h', baseUrl: 'http://i' }),
    'mcpServers.git.baseUrl: says something else than url, which means the same (keep one of them)',
  ],
  [
    other({ url: 'http://h', customHeaders: { a: 1 } }),
    'mcpServers.git.customHeaders.a: expected a string, got a number',
  ],
  [other({ command: 'x', env: { A: [] } }), 'mcpServers.git.env.A: expected a string, got a list'],
  [
    other({ command: 'x', includeTools: 'all' }),
    'mcpServers.git.includeTools: expected a list, got a string',
  ],
  [other({ command: 'x', a2c: { tools: [''] } }), 'mcpServers.git.a2c.tools[0]: must not be empty'],
  [
    other({ command: 'x', enabled_tools: ['b'], a2c: { tools: ['a'] } }),
    'mcpServers.git.enabled_tools: says something else than a2c.tools, which means the same (keep one of them)',
  ],
  [other({ command: 'x', autoApprove: 'all' }), 'mcpServers.git.autoApprove: expected a list, got a string'],
  [other({ command: 'x', alwaysAllow: [1] }), 'mcpServers.git.alwaysAllow: expected a list of tool names'],
  [
    [{ ...ok, auto_approve: ['read'], a2c: { autoApprove: [] } }],
    '[0].a2c.autoApprove: says something else than [0].auto_approve, which means the same (keep one of them)',
  ],
  [
    other({ command: 'x', autoApprove: ['read'], auto_approve: ['all'] }),
    'mcpServers.git.autoApprove: says something else than mcpServers.git.auto_approve, which means the same (keep one of them)',
  ],
  [[{ ...ok, auto_approve: [''] }], '[0].auto_approve[0]: must not be empty'],
  [[{ ...ok, auto_aprove: [] }], '[0].auto_aprove: unknown key (did you mean auto_approve?)'],
  [
    other({ command: 'x', autoaprove: ['read'] }),
    'mcpServers.git.autoaprove: unknown key (did you mean autoApprove?)',
  ],
  [
    other({ command: 'x', disabledTool: ['rm'] }),
    'mcpServers.git.disabledTool: unknown key (did you mean disabledTools?)',
  ],
  [other({ command: 'x', disable: 1 }), 'mcpServers.git.disable: expected true or false, got a number'],
  [{ servers: [], inputs: {} }, 'inputs: expected a list of input definitions'],
  [inputs(1), 'inputs[0]: expected an object that defines an input'],
  [inputs({ id: 'a', type: 'secret' }), 'inputs[0].type: expected one of promptString, pickString, command'],
  [inputs({ type: 'constructor' }), 'inputs[0].type: expected one of promptString, pickString, command'],
  [inputs({ type: 'promptString' }), 'inputs[0].id: is missing: expected a string'],
  [
    inputs({ type: 'promptString', id: 'a}' }),
    'inputs[0].id: must not contain "}": no placeholder could name it',
  ],
  [
    inputs({ type: 'promptString', id: 'a', pasword: true }),
    'inputs[0].pasword: unknown key (did you mean password?)',
  ],
  [inputs({ type: 'pickString', id: 'a', options: [] }), 'inputs[0].options: must not be an empty list'],
  [inputs({ type: 'command', id: 'a' }), 'inputs[0].command: is missing: expected a string'],
  [
    inputs({ type: 'promptString', id: 'a' }, { type: 'promptString', id: 'a' }),
    'inputs[1].id: "a" is already the id of inputs[0]',
  ],
  // Mistakes are reported in the order of the file.
  [
    {
      servers: [{ type: 'stdio', server_parameters: { args: [1] } }, { ...ok, disabled: 0 }, ok],
      inputs: [{}],
      a2c: { start: 1 },
    },
    'servers[0].name: is missing: expected a string',
    'servers[0].server_parameters.command: is missing: expected a string',
    'servers[0].server_parameters.args[0]: expected a string, got a number',
    'servers[1].disabled: expected true or false, got a number',
    'servers[2].name: "a" is already the name of servers[1]',
    'inputs[0].type: expected one of promptString, pickString, command',
    'a2c.start: expected one of eager, lazy',
  ],
];

describe('mistakes in a config', () => {
  it.each(table.map(([value, ...lines]) => [lines.join(' | '), value, lines] as const))(
    'are told as: %s',
    (_, value, lines) => {
      const parsed = parseConfig(value);
      expect(parsed.ok ? [] : parsed.mistakes.map((mistake) => mistakeLine(mistake))).toEqual(lines);
    },
  );

  it('are told with the file before the path', () => {
    expect(mistakeLine({ path: 'servers[0]', message: 'is wrong', remedy: 'mend it' }, 'a2c.json')).toBe(
      'a2c.json: servers[0]: is wrong (mend it)',
    );
  });

  it('never repeat a value of the file', () => {
    const secret = 'hunter2';
    const env = { [`A`]: { secret } };
    const text = JSON.stringify([
      parseConfig([
        { ...ok, type: secret, disabled: secret, server_parameters: { command: 1, env, cwd: `${secret}\0` } },
      ]),
      parseConfig([
        { ...web, server_parameters: { url: secret, timeout: secret, headers: { a: `${secret}\n` } } },
      ]),
      parseConfig(mine({ restart: secret })),
    ]);
    expect(text).not.toContain(secret);
  });
});

const words = fc.constantFrom(
  ...'servers mcpServers inputs a2c name type server_parameters command args env url tool_meta'.split(' '),
  ...'autoApprove headers timeout timeouts id options default __proto__ disabled'.split(' '),
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    ...'stdio sse inmemory promptString ${input:a} http://h PT1S'.split(' '),
    '',
    null,
    true,
  ),
  fc.jsonValue({ maxDepth: 1 }),
);
const likeConfig = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: fc.string() }),
      tie('node'),
      { maxKeys: 6 },
    ),
  ),
})).node;

describe('any JSON', () => {
  it('is a config or a list of mistakes, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(likeConfig, fc.jsonValue()), (raw) => {
        const value: unknown = JSON.parse(JSON.stringify(raw));
        const parsed = parseConfig(value, { file: 'f' });
        if (!parsed.ok) expect(parsed.mistakes.length).toBeGreaterThan(0);
        // A valid config stays valid after it was written and parsed again.
        else expect(parseConfig({ ...toProtocol(parsed.config) }).ok).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('docs/config-of-others.md', () => {
  it('has a row for each key of others, with its target, and for each application', () => {
    const page = readFileSync(new URL('../../docs/config-of-others.md', import.meta.url), 'utf8');
    const words = {
      same: '',
      opposite: 'the opposite of ',
      kind: '',
      login: '',
      approve: '',
      allow: '',
      shown: 'ignored',
      unsupported: 'ignored, warning',
    };
    const rows = foreignKeys.map(({ key, does, to }) => {
      const target = does === 'approve' ? '`tool_meta`' : to === undefined ? '' : `\`${to.join('.')}\``;
      return `| \`${key}\` | ${words[does]}${target} |`;
    });
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
    const others = apps.map(({ id, format = 'json' }) => `| \`${id}\` | ${format.toUpperCase()} |`);
    expect(others.filter((row) => !page.includes(row))).toEqual([]);
  });
});

const propertiesIn = (schema: unknown): readonly string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as { readonly properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(propertiesIn)];
};

it('every key of the schemas is meant by a word that is almost the same', () => {
  const schemas = [...Object.values(serverSchemas), ...Object.values(inputSchemas)];
  const keys = schemas.flatMap((schema) =>
    propertiesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
  );
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => !/^(command|url)$/.test(key) && remedyFor(`${key}_`) === undefined)).toEqual(
    [],
  );
});

it.each(['utf8', 'UTF-8', 'utf_8', 'utf-8-sig', 'UTF8'])('UTF-8 may be written as %s', (encoding) => {
  expect(parseConfig(launch({ command: 'x', encoding }))).toMatchObject({ ok: true });
  expect(parseConfig(other({ command: 'x', encoding, encoding_error_handler: 'strict' }))).toMatchObject({
    ok: true,
  });
});
