import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { Client } from '@modelcontextprotocol/client';
import { createAgent, createOffice, type LogEntry } from '../index.ts';
import { createSupervisor } from '../transport/index.ts';
import { presenting } from '../../scenarios/fixtures/presenting.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests that secrets under realistic names appear in no output, while ordinary values do. */
/** Names that say alone that their value is a secret, each with the number of its value. */
const named = [
  'JIRA_PAT=01 PGPASSWORD=06 NOTION_KEY=07 BRAVE_API_KEY=08 SECRET_KEY_BASE=11 SECRET_ENV=12 PASS=13',
  'AUTH=14 JWT=15 STRIPE_SECRET=20 PIN=34 OTP=36 CVV=37 PASSCODE=40 SSN=42 IBAN=43 SESSION_ID=44',
  'LOGIN=46',
]
  .flatMap((line) => line.split(' '))
  .map((one) => one.replace('=', '=Planted').split('=') as [string, string]);
const env: Readonly<Record<string, string>> = {
  ...Object.fromEntries(named),
  DATABASE_URL: 'postgres://app:Planted02@db.internal.example:5432/shop',
  OPENAPI_MCP_HEADERS: '{"Authorization":"Bearer Planted03","Notion-Version":"2022-06-28"}',
  GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_Planted04',
  NOTION_TOKEN: 'ntn_Planted05',
  SLACK_BOT_TOKEN: 'xoxb-Planted09',
  SLACK_WEBHOOK_URL: 'https://hooks.example.com/services/T0/B0/Planted10aBcDeFgHiJkL',
  AWS_SECRET_ACCESS_KEY: '/Planted16+aBcDeFgHiJkLmNoP',
  OPENAI_API_KEY: 'sk-Planted17',
  SENTRY_DSN: 'https://Planted18@o1.ingest.example.com/2',
  REDIS_URL: 'redis://:Planted19@cache:6379/0',
  // These variable names do not hint at a secret.
  SHOP: 'Planted21-of-an-unusual-name',
  X1: '{"deep":[{"thing":"Planted22-0123"}]}',
  MAIL_PW: 'Planted33-river-11',
  SITE_LOGIN: 'ada:Planted35-river',
  WALLET_SEED: 'Planted38 absorb abstract absurd abuse access',
  MNEMONIC: 'Planted39 absorb',
  X_TEAM: 'Planted41-river-11',
  PLAIN: 'Planted45 river',
  SAS: 'sv=2021&sig=Planted47',
};
const common = {
  DEBUG_LEVEL: '1',
  USE_CACHE: 'true',
  LISTEN: '34567',
  NODE_ENV: 'production',
  DATA_ROOT: '/srv/shop/data',
  DB_HOST: 'db-1.internal.example.com',
};
const args = ['--token', 'Planted23', '--api-key=Planted24', 'postgres://me:Planted25@h/db'];
const more = [
  ...['-e', 'THING=Planted26-of-a-container', '--header', 'X-Key: Planted27', '--root', '/srv/shop'],
  ...['-p', 'Planted48-river', '-u', 'ada:Planted49-river', '-pPlanted50-river', '--user=ada:Planted51'],
  ...['--pin', 'Planted52', 'redis://Planted53@cache', '--otp=Planted55', '--cmd', '${input:cmd}'],
];
const server = fixtureFile('telling-server.mjs');
const never = { autoApprove: ['all'], a2c: { restart: 'never' } };
const launched = (mode: string): object => ({
  command: process.execPath,
  args: [server, mode, ...args, ...more],
  env: { ...env, ...common },
  ...never,
});
const folder = testFolder('planted');
const cmd = { type: 'command', id: 'cmd', description: '', command: 'fetch-it' } as const;
let echoing: Server;
const file = join(folder, 'a2c.json');
/** Entries of servers that are never started, each with secrets of its own. */
const neverStarted = {
  disabled: {
    ...{ command: 'node', disabled: true, args: ['--token', 'Planted62', 'x.mjs'] },
    env: { JIRA_PAT: 'Planted60', PLAIN: 'Planted61-river', HOOK: 'https://h.example/s/Planted63aBcDeFgHiJ' },
  },
  disabledLogin: {
    ...{ url: 'https://h.example/mcp?api_key=Planted58', disabled: true },
    ...{ headers: { 'X-Team': 'Planted57-river' }, oauth: { clientId: 'c', clientSecret: 'Planted59' } },
  },
  manual: {
    ...{ command: 'node', args: ['x.mjs', '-p', 'Planted65-river'], a2c: { autoConnect: false } },
    env: { DB_PASSWORD: 'Planted64', MIXED: 'Planted66-river-${env:HOME}' },
  },
  needing: {
    ...{ command: 'node', args: ['x.mjs', '--password=Planted68', '${input:missing}'] },
    env: { TEAM: 'Planted67-river' },
  },
};
const configOf = (port: number): object => ({
  inputs: [
    cmd,
    { type: 'promptString', id: 'missing', description: '' },
    { type: 'promptString', id: 'unused', description: '', password: true, default: 'Planted69-river' },
  ],
  mcpServers: {
    ...neverStarted,
    session: { url: `http://127.0.0.1:${port}/session`, ...never },
    sse: { type: 'sse', url: `http://127.0.0.1:${port}/sse`, ...never },
    child: launched('serve'),
    refusing: launched('refuse'),
    remote: {
      url: `http://user:Planted28@127.0.0.1:${port}/mcp?api_key=Planted29&page=2&session=Planted30-a-b-c`,
      headers: {
        ...{ Authorization: 'Bearer Planted31', 'X-Shop': 'Planted32-of-a-header', Accept: 'text/html' },
        ...{ 'X-Team': 'Planted56-river-23', Cookie: 'sid=Planted70; theme=dark' },
        'X-Session-Id': 'Planted71',
      },
      a2c: { restart: 'never' },
    },
  },
});
beforeAll(async () => {
  process.env['A2C_SMCP_cmd'] = 'Planted54-river';
  // This server includes the received address and headers in its error text.
  echoing = createServer((request, response) => {
    const { url, headers } = request;
    if (url === '/session') return void answerInSession(request, response);
    if (url === '/sse') return void openStream(response);
    if (url?.startsWith('/messages') === true) return void answerInStream(request, response);
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`cannot serve ${url} with ${JSON.stringify(headers)}`);
  }).listen(0, '127.0.0.1');
  await once(echoing, 'listening');
  writeFileSync(file, JSON.stringify(configOf((echoing.address() as AddressInfo).port)));
});
afterAll(() => {
  delete process.env['A2C_SMCP_cmd'];
  echoing.close();
});
const resultsOf = (tool: string): Readonly<Record<string, object>> => ({
  initialize: {
    ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
    serverInfo: { name: 's', version: '1' },
  },
  'tools/list': { tools: [{ name: tool, inputSchema: { type: 'object' } }] },
});
/** Answers as a server with one tool, which gives its session an id, and repeats it in the error of a call. */
async function answerInSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method = '' } = JSON.parse((await text(request)) || '{}') as { id?: number; method?: string };
  const error = { code: -32000, message: `no session Planted72-session, pin=Planted73, otp: "Planted74"` };
  const result = resultsOf('forget')[method];
  if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'Planted72-session' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
}
/** Stream of the server over SSE, whose id stands in the address that the server names. */
let stream: ServerResponse | undefined;
function openStream(response: ServerResponse): void {
  stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
  stream.write('event: endpoint\ndata: /messages?session_id=Planted97-session\n\n');
}
async function answerInStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method = '' } = JSON.parse(await text(request)) as { id?: number; method?: string };
  response.writeHead(202).end();
  const lost = { error: { code: -32000, message: `no session Planted97-session at ${request.url}` } };
  const result = resultsOf('lose')[method];
  if (id !== undefined)
    stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : lost) })}\n\n`);
}
/** Arguments of calls with secrets under their names, in URLs, and in the forms of known secrets. */
const personal = {
  ...{ pin: 'Planted75', otp: 'Planted76', cvv: 'Planted77', ssn: 'Planted78', iban: 'Planted79' },
  ...{ sessionId: 'Planted80', session_id: 'Planted81', login: 'Planted82', pw: 'Planted83' },
  seed: 'Planted84',
  ...{ passcode: 'Planted85', mnemonic: 'Planted86', password: 'Planted87', apiToken: 'Planted88' },
  ...{ at: 'https://Planted89@h.example/1', body: '{"cvv":"Planted90"}', line: 'session_id=Planted91 ok' },
};
/** Secrets that a recording shows: their name and form say nothing. */
const shown = { key: 'Planted92', note: 'my password is Planted93', words: 'token Planted94' };
/** Values that stay visible, with the words of docs/security.md that say why. */
const visible = {
  Planted92: 'they are data',
  Planted93: 'any word may follow',
  Planted94: 'any word may follow',
  Planted98: 'it may be a file or a word',
};
/** Secrets that were found in each kind of output. */
const leaks = (ways: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(ways).flatMap(([way, text]) => {
      const found = new Set(text.match(/Planted\d\d/g));
      return found.size > 0 ? [[way, [...found]]] : [];
    }),
  );

it('what servers were launched with comes out nowhere, and what is common does', async () => {
  const lines: LogEntry[] = [];
  const told: unknown[] = [];
  await using office = await createOffice({ port: 0, log: (entry) => lines.push(entry) });
  const computer = await bootedComputer({
    config: foreign(JSON.parse(readFileSync(file, 'utf8')) as object),
    name: 'c',
    stateDir: folder,
    office: { url: office.url },
    log: (entry) => lines.push(entry),
    logLevel: 'debug',
    record: { dir: folder, profile: 'full' },
    onEvent: (name, value) => told.push(name, value),
    onNotice: (notice) => told.push(notice),
  });
  await using inspection = await computer.debug.inspect();
  const page = await attachTo(inspection.url);
  await page.welcome();
  await using agent = await createAgent({ url: office.url });
  const failures = [
    ...[await computer.callTool('fail'), await agent.callTool('c', 'fail')],
    ...[await computer.callTool('failed'), await agent.callTool('c', 'failed')],
    ...[await computer.callTool('forget'), await agent.callTool('c', 'forget')],
    ...[await computer.callTool('lose'), await agent.callTool('c', 'lose')],
    ...[await computer.callTool('die', personal), await agent.callTool('c', 'fail')],
  ];
  const servers = ['child', 'refusing', 'remote'];
  const stderr = await Promise.all(
    servers.map((name, id) => page.say({ type: 'ask', id: id + 1, what: 'stderr', server: name })),
  );
  const ways = {
    log: JSON.stringify(lines),
    events: JSON.stringify(told),
    failures: JSON.stringify(failures),
    history: JSON.stringify(computer.calls()),
    status: JSON.stringify([computer.status(), computer.status().servers, computer.debug.catalogs()]),
    logs: JSON.stringify(servers.map((name) => computer.servers.logs(name))),
    getConfig: JSON.stringify(await agent.config('c')),
    tools: JSON.stringify(await agent.tools('c')),
    page: JSON.stringify([page.messages, stderr]),
  };
  await page.close();
  const trace = await computer.debug.writeTrace(folder);
  await computer.close();
  expect(leaks({ ...ways, recording: readFileSync(trace, 'utf8') })).toEqual({});
  // Each output must show masked secrets, and ordinary values must stay readable.
  for (const way of ['log', 'failures', 'history', 'logs', 'status'] as const)
    expect(ways[way]).toContain('***');
  for (const value of Object.values(common)) expect(ways.logs).toContain(`=${value}`);
  expect(ways.getConfig).toContain('/srv/shop');
});

it('only those planted values that docs/security.md names stay visible', async () => {
  const child = launched('serve') as { readonly args: readonly string[] };
  await using computer = await bootedComputer({
    config: { inputs: [cmd], mcpServers: { child: { ...child, args: [...child.args, 'Planted98'] } } },
    stateDir: folder,
    record: {},
  });
  const failure = JSON.stringify(await computer.callTool('fail', { ...personal, ...shown }));
  const trace = readFileSync(await computer.debug.writeTrace(folder), 'utf8');
  const [logs, history] = [computer.servers.logs('child'), computer.calls()].map((each) =>
    JSON.stringify(each),
  );
  const found = leaks({ recording: trace, failure, logs: logs ?? '', history: history ?? '' });
  const security = readFileSync(join(process.cwd(), 'docs/security.md'), 'utf8');
  for (const [value, why] of Object.entries(visible)) {
    const places = Object.entries(found).flatMap(([place, values]) =>
      values.includes(value) ? [place] : [],
    );
    process.stdout.write(`${value} | ${places.join(', ')} | ${why}\n`);
    expect(places).toContain('recording');
    expect(security).toContain(why);
  }
  expect(new Set(found['recording'])).toEqual(new Set(Object.keys(visible)));
  expect(new Set([failure, logs].flatMap((each) => each?.match(/Planted\d\d/g) ?? []))).toEqual(
    new Set(['Planted98']),
  );
});

it('programs and own keys of tool_meta stay with the host, and agents get the keys of the protocol', async () => {
  const meta = { tags: ['shown-tag'], alias: 'well', mine: 'Planted95-river' };
  const config = {
    mcpServers: { child: { ...launched('serve'), vrl: '.x = "Planted96-river"', tool_meta: { good: meta } } },
  };
  await using office = await createOffice({ port: 0 });
  await using computer = await bootedComputer({
    ...{ config, name: 'c', stateDir: folder, office: { url: office.url } },
    confirm: 'allow',
  });
  await using agent = await createAgent({ url: office.url });
  const { tools } = await agent.tools('c');
  const told = JSON.stringify([await agent.config('c'), tools, await agent.callTool('c', 'failed')]);
  expect(told).not.toMatch(/Planted9[56]/);
  expect(told).toContain('shown-tag');
  expect(JSON.stringify(await computer.tools())).toContain('Planted95-river');
});

/** Characters that move a cursor or turn the direction of a text; line ends and tabs stay. */
const unsafe = /[^\P{C}\n\t]/u;
/** Value of a public name, which is told as it is, and must be escaped. */
const turning = { LANG: 'C.UTF-8\u001b[2J\u202eturned' };

it('a presenter and a client with supervised() show none of what their servers were launched with, and nothing that moves a cursor', async () => {
  const told: unknown[] = [];
  const texts: string[] = [];
  const notices: string[] = [];
  const onNotice = (text: string): unknown => notices.push(text);
  // Notices name the recordings that are kept there.
  const stateDir = join(folder, 'state\u202eturned');
  const log = (entry: LogEntry): unknown => texts.push(...Object.values(entry).map(String));
  // These files define no inputs.
  const plain = [...args, ...more].filter((word) => !word.includes('${'));
  const program = { command: process.execPath, args: [server, 'serve', ...plain] };
  const started = { ...program, env: { ...env, ...turning } };
  const mcpServers = { ...neverStarted, child: { ...started, a2c: { restart: 'never' } } };
  const how = { stateDir, log, logLevel: 'debug', onNotice } as const;
  const host = await presenting(
    { mcpServers, defaultServers: ['child'] },
    { ...how, confirm: 'allow', record: { profile: 'full' } },
  );
  const { presenter } = host;
  await presenter.initialize();
  await host.until(() => presenter.isServerRunning('child'));
  for (const tool of ['fail', 'failed', 'die']) told.push(await presenter.computer.callTool(tool));
  told.push(host.told, presenter.computer.status(), presenter.computer.servers.logs('child'));
  const file = await presenter.computer.debug.writeTrace(folder);
  await host.end();

  const supervisor = createSupervisor(how);
  const client = new Client({ name: 'c', version: '1' });
  client.onerror = (error) => void told.push(String(error));
  await client.connect(supervisor.supervised(started, { name: 's' }));
  // What a call answers is for the client, and stays as it is.
  for (const name of ['fail', 'die']) await client.callTool({ name, arguments: {} }).catch(() => {});
  const trace = await supervisor.writeTrace(folder);
  await client.close();
  await supervisor.close();

  const traces = [file, trace].map((each) => readFileSync(each, 'utf8')).join('');
  expect(leaks({ told: JSON.stringify(told), texts: [...texts, ...notices].join('\n'), traces })).toEqual({});
  expect([...texts, ...notices].filter((text) => unsafe.test(text))).toEqual([]);
  const places = notices.filter((text) => text.includes(String.raw`state\u202eturned`));
  expect(places.some((text) => text.startsWith('server s '))).toBe(true);
  expect(places.some((text) => !text.startsWith('server s '))).toBe(true);
  expect(texts.join('\n')).toContain(String.raw`\u001b[2J\u202eturned`);
});

it('the result of a tool that succeeded stays as it came', async () => {
  await using computer = await bootedComputer({
    config: { inputs: [cmd], mcpServers: { child: launched('serve') } },
    stateDir: folder,
  });
  const result = JSON.stringify(await computer.callTool('good'));
  expect(result).toContain('Planted01');
  expect(result).toContain('Planted22-0123');
});

it('no command shows what servers were launched with', async () => {
  const lines = [
    ...['list', 'list --json', 'get child', 'get remote --json', 'export', 'servers', 'status --json'],
    ...['get disabled --json', 'get disabledLogin', 'get manual', 'get needing', 'tools', 'tools --json'],
    ...['call forget', 'call fail', 'call die --json', 'call failed --log-level=debug'],
  ];
  const shown = await Promise.all(
    lines.map(async (line) => [line, JSON.stringify(await commandLine([...line.split(' '), '-c', file]))]),
  );
  expect(leaks(Object.fromEntries(shown) as Readonly<Record<string, string>>)).toEqual({});
});
