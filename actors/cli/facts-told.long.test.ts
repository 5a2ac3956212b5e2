import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTerminal } from '../../adapters/terminal/terminal.ts';
import type { Fact } from '../../machines/facts.ts';
import { readFact } from '../../scenarios/fixtures/read-fact.ts';
import { run } from './run.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of the machine-readable lines of `a2c up`, as a program reads them over pipes. */
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('facts');
const config = join(folder, 'a2c.json');
const fine = { command: process.execPath, args: [server] };
const needy = { ...fine, env: { TOKEN: '${input:facts-told}' } };
const inputs = [{ type: 'promptString', id: 'facts-told' }];
writeFileSync(config, JSON.stringify({ servers: { fine, needy }, inputs }));

let input: PassThrough;
let ended: Promise<number>;
let facts: Fact[];
let shown: string;
let look = (): void => {};
const until = (holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    look = () => holds() && resolve();
    look();
  });
const is =
  (wanted: Partial<Extract<Fact, { type: 'server_status' }>>) =>
  (fact: Fact): boolean =>
    Object.entries(wanted).every(([key, value]) => (fact as Record<string, unknown>)[key] === value);
beforeEach(() => {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  input = new PassThrough();
  facts = [];
  shown = '';
  let rest = '';
  errors.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    look();
  });
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    facts.push(...lines.flatMap((line) => readFact(line) ?? []));
    look();
  });
  const terminal = createTerminal({ input, output, errors });
  const argv = ['up', '-c', config, '--name', 'c1', '--port', '0', '--no-reaper'];
  ended = run(argv, { terminal, signal: new AbortController().signal });
});
afterEach(async () => {
  input.end('quit\n');
  await ended;
});

it('a server that needs an input is told of at start, with what it needs', async () => {
  await until(() => facts.some(is({ name: 'needy', state: 'needsInput' })));
  expect(facts.find(is({ name: 'needy', state: 'needsInput' }))).toMatchObject({
    reason: expect.stringContaining('A2C_SMCP_facts_told is not set') as string,
  });
  expect(shown).toMatch(/server needy +needs a value: .*needs input facts-told/);
});

it('usage errors and unknown commands are errors for programs, too', async () => {
  const lines = [
    'sing a song',
    'tools call',
    'cancel',
    'result',
    'read',
    'servers add',
    'servers start needy',
  ];
  input.write(`${lines.join('\n')}\n`);
  const errors = () => facts.filter(({ type }) => type === 'error');
  await until(() => errors().length >= lines.length);
  expect(errors()).toMatchObject([
    { code: 'BadRequest', message: 'unknown command: sing a', remedy: 'Type help.' },
    { code: 'BadRequest', message: 'usage: call <tool...>' },
    { code: 'BadRequest', message: 'usage: cancel <req_id>' },
    { code: 'BadRequest', message: 'usage: result <handle>' },
    { code: 'BadRequest', message: 'usage: read [options] <uri>' },
    { code: 'BadRequest', message: expect.stringContaining('usage: add') as string },
    { code: 'InputNotFound', remedy: expect.stringContaining('A2C_SMCP_facts_told') as string },
  ]);
});

it('a server that is removed ends as removed', async () => {
  await until(() => facts.some(is({ name: 'fine', state: 'ready' })));
  input.write('servers remove fine\n');
  await until(() => facts.some(is({ name: 'fine', state: 'removed' })));
  const states = facts.filter(is({ type: 'server_status', name: 'fine' }));
  expect(states.at(-1)).toEqual({ type: 'server_status', name: 'fine', state: 'removed' });
  expect(shown).toContain('server fine');
});

it('a refused tool is told with its server, and a call of it with its server and its failure', async () => {
  await until(() => facts.some(is({ name: 'fine', state: 'ready' })));
  const twin = join(folder, 'twin.json');
  writeFileSync(twin, JSON.stringify({ mcpServers: { twin: fine } }));
  input.write(`servers add ${twin}\n`);
  const refused = (fact: Fact): boolean =>
    fact.type === 'server_status' && fact.name === 'twin' && /are refused/.test(fact.reason ?? '');
  await until(() => facts.some(refused));
  const notices = facts.filter(({ type }) => type === 'notice');
  expect(notices).toEqual([{ type: 'notice', message: expect.stringContaining("'twin'") as string }]);
  input.write(
    'servers add {"name": "strict", "type": "stdio", "forbidden_tools": ["echo"], "tool_meta": {"echo": {"alias": "mine"}}, ',
  );
  input.write(`"server_parameters": ${JSON.stringify(fine)}}\n`);
  await until(() => facts.some(is({ name: 'strict', state: 'ready' })));
  input.write('call mine\n');
  await until(() => facts.some(({ type }) => type === 'tool_call_result'));
  expect(facts.find(({ type }) => type === 'tool_call_result')).toMatchObject({
    server: 'strict',
    outcome: 'failed',
    failure: { code: 'ToolDisabled', message: expect.stringContaining('mine') as string },
  });
});
