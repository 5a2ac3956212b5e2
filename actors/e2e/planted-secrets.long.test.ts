import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { createAgent, createOffice, type LogEntry } from '../index.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

/** Tests that secrets under realistic names appear in no output, while ordinary values do. */
const env = {
  JIRA_PAT: 'Planted01',
  DATABASE_URL: 'postgres://app:Planted02@db.internal.example:5432/shop',
  OPENAPI_MCP_HEADERS: '{"Authorization":"Bearer Planted03","Notion-Version":"2022-06-28"}',
  GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_Planted04',
  NOTION_TOKEN: 'ntn_Planted05',
  PGPASSWORD: 'Planted06',
  NOTION_KEY: 'Planted07',
  BRAVE_API_KEY: 'Planted08',
  SLACK_BOT_TOKEN: 'xoxb-Planted09',
  SLACK_WEBHOOK_URL: 'https://hooks.example.com/services/T0/B0/Planted10aBcDeFgHiJkL',
  SECRET_KEY_BASE: 'Planted11',
  SECRET_ENV: 'Planted12',
  PASS: 'Planted13',
  AUTH: 'Planted14',
  JWT: 'Planted15',
  AWS_SECRET_ACCESS_KEY: '/Planted16+aBcDeFgHiJkLmNoP',
  OPENAI_API_KEY: 'sk-Planted17',
  SENTRY_DSN: 'https://Planted18@o1.ingest.example.com/2',
  REDIS_URL: 'redis://:Planted19@cache:6379/0',
  STRIPE_SECRET: 'Planted20',
  // These variable names do not hint at a secret.
  SHOP: 'Planted21-of-an-unusual-name',
  X1: '{"deep":[{"thing":"Planted22-0123"}]}',
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
const more = ['-e', 'THING=Planted26-of-a-container', '--header', 'X-Key: Planted27', '--root', '/srv/shop'];
const server = fixtureFile('telling-server.mjs');
const launched = (mode: string): object => ({
  command: process.execPath,
  args: [server, mode, ...args, ...more],
  env: { ...env, ...common },
  autoApprove: ['all'],
  a2c: { restart: 'never' },
});
const folder = mkdtempSync(join(tmpdir(), 'a2c-planted-'));
let echoing: Server;
const file = join(folder, 'a2c.json');
const configOf = (port: number): object => ({
  mcpServers: {
    child: launched('serve'),
    refusing: launched('refuse'),
    remote: {
      url: `http://user:Planted28@127.0.0.1:${port}/mcp?api_key=Planted29&page=2&session=Planted30-a-b-c`,
      headers: { Authorization: 'Bearer Planted31', 'X-Shop': 'Planted32-of-a-header', Accept: 'text/html' },
      a2c: { restart: 'never' },
    },
  },
});
beforeAll(async () => {
  // This server includes the received address and headers in its error text.
  echoing = createServer(({ url, headers }, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`cannot serve ${url} with ${JSON.stringify(headers)}`);
  }).listen(0, '127.0.0.1');
  await once(echoing, 'listening');
  writeFileSync(file, JSON.stringify(configOf((echoing.address() as AddressInfo).port)));
});
afterAll(() => {
  echoing.close();
  rmSync(folder, { recursive: true });
});
/** Secrets that were found in each kind of output. */
const leaks = (ways: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(ways).flatMap(([way, text]) => {
      const found = new Set(text.match(/Planted\d\d/g));
      return found.size > 0 ? [[way, [...found]]] : [];
    }),
  );

it('what servers were launched with comes out nowhere, and what is common does', async () => {
  const lines: LogEntry[] = [];
  const told: unknown[] = [];
  await using office = await createOffice({ port: 0 });
  const computer = await bootedComputer({
    config: JSON.parse(readFileSync(file, 'utf8')) as object,
    name: 'c',
    stateDir: folder,
    office: { url: office.url },
    log: (entry) => lines.push(entry),
    logLevel: 'debug',
    record: { dir: folder, profile: 'full' },
    onEvent: (name, value) => told.push(name, value),
  });
  await using inspection = await computer.inspect();
  const page = await attachTo(inspection.url);
  await page.welcome();
  await using agent = await createAgent({ url: office.url });
  const failures = [
    ...[await computer.callTool('fail'), await agent.callTool('c', 'fail')],
    ...[await computer.callTool('failed'), await agent.callTool('c', 'failed')],
    ...[await computer.callTool('die'), await agent.callTool('c', 'fail')],
  ];
  const servers = ['child', 'refusing', 'remote'];
  const stderr = await Promise.all(
    servers.map((name, id) => page.say({ type: 'ask', id: id + 1, what: 'stderr', server: name })),
  );
  const ways = {
    log: JSON.stringify(lines),
    events: JSON.stringify(told),
    failures: JSON.stringify(failures),
    history: JSON.stringify(computer.history()),
    status: JSON.stringify([computer.status(), computer.servers(), computer.catalogs()]),
    logs: JSON.stringify(servers.map((name) => computer.logs(name))),
    getConfig: JSON.stringify(await agent.getConfig('c')),
    page: JSON.stringify([page.messages, stderr]),
  };
  await page.close();
  const trace = await computer.writeTrace(folder);
  await computer.close();
  expect(leaks({ ...ways, recording: readFileSync(trace, 'utf8') })).toEqual({});
  // Each output must show masked secrets, and ordinary values must stay readable.
  for (const way of ['log', 'failures', 'history', 'logs', 'status'] as const)
    expect(ways[way]).toContain('***');
  for (const value of Object.values(common)) expect(ways.logs).toContain(`=${value}`);
  expect(ways.getConfig).toContain('/srv/shop');
});

it('the result of a tool that succeeded stays as it came', async () => {
  await using computer = await bootedComputer({
    config: { mcpServers: { child: launched('serve') } },
    stateDir: folder,
  });
  const result = JSON.stringify(await computer.callTool('good'));
  expect(result).toContain('Planted01');
  expect(result).toContain('Planted22-0123');
});

it('no command shows them', async () => {
  const argv = [
    ...[['list'], ['list', '--json'], ['get', 'child'], ['get', 'remote', '--json'], ['export']],
    ...[['call', 'fail'], ['call', 'die', '--json'], ['call', 'failed', '--log-level=debug'], ['tools']],
  ];
  const shown = await Promise.all(
    argv.map(
      async (words) => [words.join(' '), JSON.stringify(await commandLine([...words, '-c', file]))] as const,
    ),
  );
  expect(leaks(Object.fromEntries(shown))).toEqual({});
});
