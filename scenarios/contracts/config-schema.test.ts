import { readFileSync } from 'node:fs';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../machines/config/parse.ts';
import { configSchema } from '../../machines/config/json-schema.ts';
import { blocksOf } from '../replay/report/page.ts';

const judge = new AjvJsonSchemaValidator().getValidator(configSchema());
const page = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8');
const examples = blocksOf(page)
  .filter(({ language }) => language === 'json')
  .map(({ text }): unknown => JSON.parse(text));

const stdio = { name: 'a', type: 'stdio', server_parameters: { command: 'x' } };
const everySetting = {
  ...{
    restart: 'never',
    restartBudget: 0,
    start: 'lazy',
    autoConnect: true,
    idleStop: 'PT1M',
    keepAlive: true,
    timeouts: { callIdleMs: 0, toolsMs: 0 },
  },
  ...{ concurrency: 1, onConflict: 'prefix', tools: ['a'], pollMs: 0, pollDeclaredMs: 1, listChanged: 'off' },
  ...{ refreshFailures: 1, participation: 'subscribe', autoApprove: ['read'] },
  ...{
    expand: true,
    npmRegistry: 'https://h/x',
    proxy: 'env',
    noProxy: ['.h'],
    baseEnv: 'full',
    passEnv: ['A'],
    path: ['~/bin'],
    runtimes: ['/opt/node/bin'],
  },
};
const web = { url: 'https://h/mcp', headers: { A: 'b' }, timeout: 'PT30S', sse_read_timeout: 300 };
const right: readonly unknown[] = [
  ...examples.map((example) => (Array.isArray(example) ? { servers: [], inputs: example } : example)),
  stdio,
  ...[
    { command: ['x', 'y'], environment: { A: 1 } },
    { transport: { type: 'sse', url: 'http://h' } },
    { transport: 'http', url: 'http://h', requestInit: { headers: { A: 'b' } } },
    { url: 'http://h', oauth: { callbackPort: 1 } },
    { url: 'http://h', oauth: false, isActive: true },
  ].map((entry) => ({ mcpServers: { a: entry } })),
  [stdio, { name: 'b', type: 'sse', server_parameters: web }],
  { servers: { a: { type: 'streamable', server_parameters: { ...web, terminate_on_close: false } } } },
  {
    servers: [{ ...stdio, disabled: null, tool_meta: { t: { auto_apply: true, mine: 1 } } }],
    a2c: everySetting,
  },
  {
    servers: [
      { name: 'u', type: 'own:unix', server_parameters: { path: 'p', port: 1, headers: { A: 'b' } } },
    ],
  },
  { mcpServers: { a: { command: 'npx', args: ['-y', 1], env: { PORT: 3000 }, a2c: everySetting } } },
  { mcpServers: {}, a2c: { landing: { folder: '~/in', maxFileBytes: 1, maxFiles: 2, autoApprove: true } } },
  { mcpServers: { a: { type: 'http', url: 'http://h' }, b: { type: 'inmemory' } }, mcpEnabled: false },
  {
    mcpServers: {
      a: { command: '', baseUrl: 'http://h', customHeaders: {}, autoApprove: ['all'], icons: '' },
    },
  },
  [{ ...stdio, a2c: { participation: 'resources' } }],
  [
    { ...stdio, auto_approve: ['read', 'write_x'] },
    { ...stdio, name: 'b', autoApprove: ['all'] },
  ],
  {
    mcpServers: {
      a: {
        url: 'https://h/mcp',
        oauth: { grant: 'jwt_bearer', issuer: 'https://as', assertionFile: '/run/t' },
      },
      b: {
        url: 'https://h/mcp',
        oauth: {
          ...{ grant: 'jwt_bearer', clientId: 'c', clientSecret: 's', assertion: '${input:id_token}' },
          ...{ idpTokenEndpoint: 'http://127.0.0.1:9/token', idpClientId: 'i', idpClientSecret: 's' },
        },
      },
    },
    inputs: [{ type: 'promptString', id: 'id_token', password: true }],
  },
  { mcpServers: { a: { command: 'x', auto_approve: ['*'], alwaysAllow: ['read'], tools: ['*'] } } },
  { $schema: './a2c.schema.json', servers: { a: { command: 'x', gallery: true, enabled: false } } },
];
const wrong: readonly unknown[] = [
  {},
  7,
  { servers: 7 },
  { ...stdio, comand: 'x' },
  { ...stdio, server_parameters: { command: 'x', arg: [] } },
  { ...stdio, server_parameters: { command: 7 } },
  { ...stdio, type: 'tcp' },
  { ...stdio, a2c: { restart: 'maybe' } },
  { name: 'w', type: 'streamable', server_parameters: web, oauth: { grant: 'id_jag' } },
  { ...stdio, a2c: { timeouts: { connectMs: 0 } } },
  { ...stdio, a2c: { participation: 'always' } },
  { ...stdio, auto_approve: 'read' },
  { ...stdio, a2c: { autoApprove: [1] } },
  { servers: [{ type: 'stdio', server_parameters: { command: 'x' } }] },
  { servers: [{ name: 'u', type: 'own:unix', server_parameters: { path: null } }] },
  { mcpServers: { a: { command: 'x', autoApprove: 'all' } } },
  { mcpServers: {}, a2c: { idleStop: true } },
  { mcpServers: {}, a2c: { keepAlive: {} } },
  { servers: [], inputs: [{ id: 'a', type: 'pickString', options: [] }] },
];

describe('the JSON Schema of config files', () => {
  it('has examples of the docs to be held against', () => {
    expect(examples.length).toBeGreaterThan(1);
  });
  it.each(right)('takes what is right: %j', (config) => {
    expect(parseConfig(config)).toMatchObject({ ok: true });
    expect(judge(config)).toMatchObject({ valid: true });
  });
  it.each(wrong)('refuses what is wrong: %j', (config) => {
    expect(parseConfig(config)).toMatchObject({ ok: false });
    expect(judge(config)).toMatchObject({ valid: false });
  });
});
