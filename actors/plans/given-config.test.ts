import { describe, expect, it } from 'vitest';
import type { Config } from '../../machines/config/parse.ts';
import { readConfig } from '../../scenarios/fixtures/read-config.ts';
import { timing } from '../../machines/kernel/timing.ts';
import { canonical, revived } from '../../machines/trace/canonical.ts';
import { redactorOf } from '../../machines/secrets/redaction.ts';
import {
  configAsGiven,
  givenConfig,
  planned,
  shownConfig,
  type GivenConfig,
  type ServerFacts,
} from './given-config.ts';
import { planOf } from './plan.ts';

const policy = { autoConnect: true, autoReconnect: true, timing: { ...timing, pingMs: 700 } };
const facts: ServerFacts = { generation: 3, values: 2, fingerprint: 'f', cached: null, lastTools: ['read'] };
const givenOf = (config: Config): GivenConfig =>
  givenConfig(config, policy, Object.fromEntries(config.servers.map(({ name }) => [name, facts])));
/** Makes the launch plans of a config in the same way as a host. */
const plansOf = (config: Config): object => ({
  servers: config.servers
    .filter(({ disabled }) => !disabled)
    .map((server) => planOf(server, config.settings, policy, facts)),
  shown: shownConfig(config),
});
const redactor = redactorOf((text) => text.length.toString(16).padStart(16, '0'));
const hidden = (value: unknown): unknown => revived(JSON.parse(canonical(value, redactor)));

const stdio = { name: 'git', type: 'stdio', server_parameters: { command: 'uvx', args: ['mcp-server-git'] } };
const http = { name: 'web', type: 'http', server_parameters: { url: 'https://x.example/mcp?key=abc' } };
const launching = (launch: object): object => ({
  ...stdio,
  server_parameters: { ...stdio.server_parameters, ...launch },
});
const reaching = (name: string, remote: object): object => ({
  ...http,
  name,
  server_parameters: { url: 'http://y.example', ...remote },
});
const settings = {
  ...{ restart: 'always', idleStop: 'PT1M30S', keepAlive: true, timeouts: { connectMs: 5 }, expand: true },
  ...{ resultBytes: 2048, onConflict: 'prefix', tools: ['read'], autoApprove: ['*', 'read'] },
};
const ssh = { host: 'h', port: 22, password: 'hunter22', on: true, to: ['x'] };
const secretArgs = ['--token', 'hunter2222', 'sk-abcdefghijklmnopqrstuvwxyz0123456789'];
const inCode = { command: 'uvx', args: ['${input:x}'], envFile: '${workspaceFolder}/.env', cwd: '/x' };
const configs: Readonly<Record<string, unknown>> = {
  'a server in the shape of the protocol': {
    ...launching({ env: { TOKEN: '${input:token}' } }),
    tool_meta: { git_log: { auto_apply: true, alias: 'log' } },
  },
  'a list of servers, one of them disabled': [stdio, { ...stdio, name: 'off', disabled: true }],
  'every key of the protocol': {
    ...launching({ args: [], cwd: '/tmp', encoding: 'utf-8', encoding_error_handler: 'ignore' }),
    ...{ bundle_id: 'git_1', forbidden_tools: ['push'], vrl: '.a = 1' },
    default_tool_meta: { tags: ['x'], ret_object_mapper: { a: 'b' }, more: 1 },
  },
  'inputs of all kinds': {
    servers: [stdio],
    inputs: [
      { type: 'promptString', id: 'token', description: 'GitHub token', password: true },
      { type: 'promptString', id: 'who', description: 'Who', default: 'me' },
      { type: 'pickString', id: 'region', description: 'Region', options: ['eu', 'us'], default: 'eu' },
      { type: 'pickString', id: 'zone', description: 'Zone', options: [{ label: 'A', value: 'a' }, 'b'] },
      { type: 'command', id: 'rev', description: 'Revision', command: 'git', args: { short: 'HEAD' } },
    ],
  },
  'settings at the top and of a server': {
    servers: [
      { ...stdio, a2c: settings },
      { ...stdio, name: 'plain' },
    ],
    a2c: {
      idleStop: 5,
      timeouts: { listMs: 7, callIdleMs: 8 },
      totalConcurrency: 4,
      npmRegistry: 'https://r.example/x',
    },
  },
  'what runs unasked, beside a2c': [
    { ...stdio, auto_approve: ['read'] },
    { ...stdio, name: 'b', autoApprove: ['*'] },
  ],
  'a file of variables, in both spellings': [
    { ...stdio, envFile: '.env' },
    { ...stdio, name: 'b', env_file: '.env' },
  ],
  'a login and authorities': {
    ...http,
    oauth: { clientId: 'me', clientSecret: 'hunter22', scopes: ['read'] },
    ca: 'authority.pem',
  },
  'servers behind URLs, with headers and times': [
    reaching('web', { ...http.server_parameters, headers: { 'X-Api-Key': 'abcdefgh' }, timeout: 'PT2S' }),
    { ...reaching('sse', { timeout: 1.5, sse_read_timeout: 9 }), type: 'sse' },
    reaching('kept', { terminate_on_close: false }),
  ],
  'types of a host, and servers in its process': [
    { name: 'ssh', type: 'own:ssh', server_parameters: ssh },
    { name: 'here', type: 'inmemory', server_parameters: { args: ['a'], env: { A: 'b' } } },
  ],
  'a name that is no bundle_id, with a secret in its arguments': {
    ...launching({ args: secretArgs }),
    name: '文件',
  },
  'a file of Claude Desktop or Cursor': {
    mcpServers: {
      git: { command: 'uvx', args: ['x'], env: { A: 'b' }, disabled: false, autoApprove: ['read'] },
      off: { command: 'uvx', disabled: true },
      web: { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer abcdefgh' } },
      timed: { command: 'uvx', timeout: 90 },
    },
  },
  'a file of VS Code': {
    servers: { git: { type: 'stdio', ...inCode } },
    inputs: [{ type: 'promptString', id: 'x', description: 'X' }],
  },
  'a file of DeepChat, with icons and descriptions': {
    mcpServers: {
      git: {
        ...{ command: 'uvx', args: [], env: {}, icons: '🐙', descriptions: 'git', autoApprove: ['all'] },
        ...{ type: 'stdio', disable: false, baseUrl: '' },
      },
    },
  },
};

describe('a config of a trace', () => {
  it.each(Object.entries(configs))(
    'makes the plans that it made when it was given, also with its secrets hidden: %s',
    (_name, value) => {
      const config = readConfig(value);
      expect(planned(givenOf(config))).toEqual(plansOf(config));
      expect(planned(hidden(givenOf(config)) as GivenConfig)).toEqual(hidden(plansOf(config)));
      // A config that was already written as given must not change when it is written again.
      expect(configAsGiven(readConfig(configAsGiven(config)))).toEqual(configAsGiven(config));
    },
  );
});
