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
const kinds = 'expected one of stdio, sse, streamable, inmemory, own:NAME';
const inputKinds = 'expected one of promptString, pickString, command';

/** The content of a config file, and the lines that report its mistakes. */
type Row = readonly [unknown, ...string[]];
/** Rows of what stands at one place of a config, each with what is told of it behind that place. */
const at = <T>(
  place: string,
  configOf: (part: T) => unknown,
  rows: readonly (readonly [T, string])[],
): Row[] => rows.map(([part, line]) => [configOf(part), place + line]);
const encodings = ['gbk', 'latin1', 'utf-16', 'utf-8x'].map(
  (encoding) => [{ command: 'x', encoding }, `encoding: ${notUtf8}`] as const,
);
const table: readonly Row[] = [
  [null, `expected ${shapes}`],
  ['text', `expected ${shapes}`],
  [{}, `has no servers (expected ${shapes})`],
  [{ servers: 3 }, 'servers: expected a list of servers or an object with one server per name'],
  [{ mcpServers: [] }, 'mcpServers: expected an object with one server per name'],
  [{ servers: {}, mcpServers: {} }, 'servers: stands beside mcpServers (keep all servers in one of them)'],
  [{ servers: [], server: 1 }, 'server: unknown key (expected servers, inputs, a2c)'],
  [[7], '[0]: expected an object that configures a server'],
  [{ servers: { a: null } }, 'servers.a: expected an object that configures a server'],
  [{ a: { command: 'x' }, theme: {} }, `has no servers (expected ${shapes})`],
  [{ servers: { '': ok } }, 'servers[""]: the name of a server must not be empty'],
  [{ servers: { b: ok } }, 'servers.b.name: differs from "b", the key of this server'],
  [{ servers: [ok, ok] }, 'servers[1].name: "a" is already the name of servers[0]'],
  [{ servers: launch({}) }, 'servers[0].server_parameters.command: is missing: expected a string'],
  [[{ name: 'a', type: 'stdio' }], '[0].server_parameters: is missing: expected an object'],
  ...at('[0].', (part: object) => [{ ...ok, ...part }], [
    [{ name: undefined }, 'name: is missing: expected a string'],
    [{ name: ' ' }, 'name: expected a string that is not empty'],
    [{ type: undefined }, `type: is missing: ${kinds}`],
    [{ type: 'tcp' }, `type: ${kinds}`],
    [{ type: 'own:' }, `type: ${kinds}`],
    [{ disabled: 'no' }, 'disabled: expected true or false, got a string'],
    [{ forbidden_tool: [] }, 'forbidden_tool: unknown key (did you mean forbidden_tools?)'],
    [{ forbidden_tools: 'x' }, 'forbidden_tools: expected a list, got a string'],
    [{ command: 'x' }, 'command: unknown key (command belongs into server_parameters)'],
    [{ tool_meta: { t: { auto_apply: 1 } } }, 'tool_meta.t.auto_apply: expected true or false, got a number'],
    [{ default_tool_meta: { tags: [1] } }, 'default_tool_meta.tags[0]: expected a string, got a number'],
    [{ vrl: {} }, 'vrl: expected a string, got an object'],
    [{ a2c: { restarts: 1 } }, 'a2c.restarts: unknown key (did you mean restart?)'],
    [
      { auto_approve: ['read'], a2c: { autoApprove: [] } },
      'a2c.autoApprove: says something else than [0].auto_approve, which means the same (keep one of them)',
    ],
    [{ auto_approve: [''] }, 'auto_approve[0]: must not be empty'],
    [{ auto_aprove: [] }, 'auto_aprove: unknown key (did you mean auto_approve?)'],
  ]),
  ...at('[0].server_parameters.', launch, [
    ...encodings,
    [{ command: '' }, 'command: must not be empty'],
    [{ command: 'x', args: 'y' }, 'args: expected a list, got a string'],
    [{ command: 'x', args: ['a\0'] }, 'args[0]: must not contain a NUL character'],
    [{ command: 'x', env: { A: 1 } }, 'env.A: expected a string, got a number'],
    [{ command: 'x', env: { 'A=': '1' } }, 'env["A="]: a variable name must not contain "="'],
    [
      { command: 'x', encoding_error_handler: 'no' },
      'encoding_error_handler: expected one of strict, ignore, replace',
    ],
  ]),
  ...at(
    '[0].server_parameters.',
    (part: object) => [{ ...web, server_parameters: { url: 'http://h', ...part } }],
    [
      [{ url: 'ftp://h' }, 'url: expected an http:// or https:// URL'],
      [
        { timeout: 'soon' },
        'timeout: expected seconds as a number, or a duration like "30s", "1h30m" or "PT30S" (0 to 24 days)',
      ],
      [{ headers: { 'a b': 'c' } }, 'headers["a b"]: is no valid header name'],
      [{ headers: { a: 'b\nc' } }, 'headers.a: a header value must be one line'],
    ],
  ),
  [mine([]), 'a2c: expected an object, got a list'],
  ...at('a2c.', mine, [
    [{ restart: 'maybe' }, 'restart: expected one of always, on-failure, never'],
    [{ restartBudget: -1 }, 'restartBudget: must be at least 0'],
    [{ concurrency: 1.5 }, 'concurrency: expected a whole number, got a number'],
    [{ timeouts: { connectMs: 0 } }, 'timeouts.connectMs: must be at least 1'],
    [{ timeouts: { drain: 0 } }, 'timeouts.drain: unknown key (did you mean drainMs?)'],
    [{ landing: {} }, 'landing.folder: is missing: expected a string'],
    [{ landing: { folder: 'in' } }, 'landing.folder: expected a whole path, or one that begins with ~'],
  ]),
  [
    other({ command: 'x', url: 'http://h' }),
    'mcpServers.git: has both a command and a URL (say which one with type)',
  ],
  ...at('mcpServers.git.', other, [
    ...encodings,
    [{ type: 'own:unix', path: 'p' }, 'path: unknown key'],
    [{}, 'command: is missing: expected a string'],
    [{ type: 'sse', command: '' }, 'url: is missing: expected a string'],
    [{ type: 'tcp' }, 'type: expected one of stdio, sse, http, inmemory'],
    [{ baseUrl: 'h' }, 'baseUrl: expected an http:// or https:// URL'],
    [
      { url: 'http://h', baseUrl: 'http://i' },
      'baseUrl: says something else than url, which means the same (keep one of them)',
    ],
    [{ url: 'http://h', customHeaders: { a: 1 } }, 'customHeaders.a: expected a string, got a number'],
  ]),
  ...at('mcpServers.git.', (part: object) => other({ command: 'x', ...part }), [
    [{ env: { A: [] } }, 'env.A: expected a string, got a list'],
    [{ includeTools: 'all' }, 'includeTools: expected a list, got a string'],
    [{ a2c: { tools: [''] } }, 'a2c.tools[0]: must not be empty'],
    [
      { enabled_tools: ['b'], a2c: { tools: ['a'] } },
      'enabled_tools: says something else than a2c.tools, which means the same (keep one of them)',
    ],
    [{ autoApprove: 'all' }, 'autoApprove: expected a list, got a string'],
    [{ alwaysAllow: [1] }, 'alwaysAllow: expected a list of tool names'],
    [
      { autoApprove: ['read'], auto_approve: ['all'] },
      'autoApprove: says something else than mcpServers.git.auto_approve, which means the same (keep one of them)',
    ],
    [{ autoaprove: ['read'] }, 'autoaprove: unknown key (did you mean autoApprove?)'],
    [{ disabledTool: ['rm'] }, 'disabledTool: unknown key (did you mean disabledTools?)'],
    [{ disable: 1 }, 'disable: expected true or false, got a number'],
  ]),
  [{ servers: [], inputs: {} }, 'inputs: expected a list of input definitions'],
  [inputs(1), 'inputs[0]: expected an object that defines an input'],
  ...at('inputs[0].', inputs, [
    [{ id: 'a', type: 'secret' }, `type: ${inputKinds}`],
    [{ type: 'constructor' }, `type: ${inputKinds}`],
    [{ type: 'promptString' }, 'id: is missing: expected a string'],
    [{ type: 'promptString', id: 'a}' }, 'id: must not contain "}": no placeholder could name it'],
    [{ type: 'promptString', id: 'a', pasword: true }, 'pasword: unknown key (did you mean password?)'],
    [{ type: 'pickString', id: 'a', options: [] }, 'options: must not be an empty list'],
    [{ type: 'command', id: 'a' }, 'command: is missing: expected a string'],
  ]),
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
    `inputs[0].type: ${inputKinds}`,
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
    const words: Readonly<Record<string, string>> = {
      ...{ opposite: 'the opposite of ', shown: 'ignored', unsupported: 'ignored, warning' },
    };
    const rows = foreignKeys.map(({ key, does, to }) => {
      const target = does === 'approve' ? '`tool_meta`' : to === undefined ? '' : `\`${to.join('.')}\``;
      return `| \`${key}\` | ${words[does] ?? ''}${target} |`;
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
