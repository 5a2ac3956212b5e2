/** Tests that every command at the prompt writes an answer line for programs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/terminal.ts';
import type { Fact } from '../../../machines/facts.ts';
import { readFact } from '../../../scenarios/fixtures/read-fact.ts';
import { createComputer, createOffice } from '../../index.ts';
import { Prompt } from './prompt.ts';
import { fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../../machines/config/config-input.ts';

const server = fixtureFile('mcp-server.mjs');
const windows = fixtureFile('windows-server.mjs');
const folder = testFolder('answers');
const file = join(folder, 'inputs.json');
const inputs = [{ type: 'promptString', id: 'city', description: 'Where', default: 'Oslo' }];
writeFileSync(file, JSON.stringify(inputs));
const fixture = { command: process.execPath, args: [server], a2c: { resultBytes: 2_000 } };

const own = null;
/** Arguments of each command and the value of its answer line; null where other lines carry the result. */
const typed = (url: string): Readonly<Record<string, readonly [string, unknown]>> => ({
  tools: ['', { tools: expect.arrayContaining([{ name: 'echo', server: 'fixture' }]), refused: [] }],
  'tools conflicts': ['', { refused: [] }],
  call: ['echo {"text": "hi"}', own],
  calls: ['', []],
  cancel: ['nobody', { req_id: 'nobody', cancelled: false }],
  history: ['1', [expect.objectContaining({ tool: 'echo' })]],
  result: ['nothing', own],
  list: ['', own],
  stop: ['fixture', own],
  start: ['fixture', own],
  restart: ['fixture', own],
  retry: ['fixture', own],
  add: [JSON.stringify({ mcpServers: { more: fixture } }), own],
  disable: ['more', own],
  enable: ['more', own],
  remove: ['more', own],
  logs: ['fixture', expect.any(Array)],
  why: ['fixture', expect.objectContaining({ name: 'fixture', state: 'ready' })],
  desktop: ['', own],
  finder: ['', own],
  read: ['window://com.example.windows/log', own],
  'inputs load': [file, own],
  'inputs list': ['', [expect.objectContaining({ id: 'city' })]],
  'inputs value set': ['city Bergen', own],
  'inputs value list': ['', { city: 'Bergen' }],
  'inputs value clear': ['', own],
  connect: [`--url ${url} --name other`, own],
  'socket connect': [url, own],
  'socket join': ['o2', own],
  'socket leave': ['', own],
  'notify update': ['', own],
  status: ['', expect.objectContaining({ computer: 'c1', seat: null })],
  trace: ['', expect.stringContaining(folder)],
  help: ['', own],
  quit: ['', own],
});

it('each command has its line, and those that other lines answer have these', async () => {
  await using office = await createOffice({ port: 0 });
  await using computer = await createComputer({
    name: 'c1',
    config: foreign({
      mcpServers: { fixture, notes: { command: process.execPath, args: [windows] } },
      inputs,
    }),
  });
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let out = '';
  output.setEncoding('utf8').on('data', (text: string) => (out += text));
  errors.resume();
  const context = {
    terminal: createTerminal({ input, output, errors }),
    signal: new AbortController().signal,
  };
  const how = { officeLine: '', seat: { url: office.url, id: 'local' }, folder };
  const prompt = new Prompt(context, computer, how);
  const all = typed(office.url);
  expect(prompt.commands.names.toSorted()).toEqual(Object.keys(all).toSorted());
  for (const [name, [rest]] of Object.entries(all)) input.write(`${name} ${rest}\n`);
  await prompt.run();
  const facts = out.split('\n').flatMap((line): Fact[] => {
    const fact = readFact(line);
    return fact ? [fact] : [];
  });
  const told = facts.flatMap((fact) => (fact.type === 'answer' ? [[fact.command, fact.value]] : []));
  const failed = facts.filter(({ type }) => type === 'error');
  expect(failed.map((fact) => fact.type === 'error' && fact.message)).toEqual([
    "No result is kept as 'nothing'",
  ]);
  const expected = Object.entries(all).filter(([, [, value]]) => value !== undefined);
  expect(told).toEqual(expected.map(([name, [, value]]) => [name, value]));
  const types = new Set(facts.map(({ type }) => type));
  for (const type of ['tool_call_result', 'server_status', 'inputs_loaded', 'office'] as const)
    expect(types).toContain(type);
});
