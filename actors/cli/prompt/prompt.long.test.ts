import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { peerLine } from '../printing/servers.ts';
import { missedBy } from '../../../machines/protocol/protocol.ts';
import { fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';
import { terminalOver } from '../../e2e/terminal-over.ts';
import { factLine } from '../../../machines/facts.ts';
import { readFact } from '../../../scenarios/fixtures/read-fact.ts';
import { createComputer, createOffice, type Computer } from '../../index.ts';
import { Prompt } from './prompt.ts';
import { foreign } from '../../../machines/config/config-input.ts';
import {
  expectClean,
  hostile,
  linked,
  nameable,
  typeable,
  worst,
} from '../../../scenarios/fixtures/hostile-texts.ts';
import { bootedComputer } from '../../../scenarios/fixtures/booted.ts';

const [server, mannered] = [fixtureFile('mcp-server.mjs'), fixtureFile('shutdown-server.mjs')];
const folder = testFolder('prompt');
const only = { mcpServers: { fixture: { command: process.execPath, args: [server] } } };

/** Starts a prompt as a person reads it. */
const start = (isTerminal = false): AtPrompt => atPrompt(only, { isTerminal, isRead: true });

it.each([
  [undefined, false, 'says no version; misses large contents in parts, resources and skills, '],
  ['0.1.6', false, 'protocol 0.1.6; misses large contents in parts, resources and skills, '],
  ['0.2.0', false, 'protocol 0.2.0; misses the notice of changed tools, files of agents'],
  ['0.3.1', false, 'protocol 0.3.1; misses files of agents'],
  ['0.4.0', false, 'protocol 0.4.0'],
  ['0.2.0', true, 'protocol 0.2.0'],
])('a peer of version %s (ours: %s) is shown with what it misses', (version, isOurs, said) => {
  const peer = { id: '1', address: '::1', version, since: 0, misses: missedBy(version, isOurs) };
  const line = peerLine({ ...peer, seat: { office: 'o', role: 'agent', name: 'bot' } });
  expect(line.startsWith(`agent bot in o, from ::1: ${said}`)).toBe(true);
  expect([line.endsWith(said), peerLine(peer).startsWith('no seat yet, ')]).toEqual([
    !said.endsWith(', '),
    true,
  ]);
});

describe('the prompt of a2c up', () => {
  it('answers each line and ends with quit, while its input stays open', async () => {
    const up = start();
    expect(await up.until(seated)).toMatch(/office http:\/\/127\.0\.0\.1:\d+ \(id local\)/);
    up.write('status\n');
    const status = await up.until(/fixture +ready\na2c> /);
    expect(status).toContain('computer c1: all servers are ready, link joined');
    expect(status).toMatch(/^ {2}computer c1 in local, from \S*127\.0\.0\.1: protocol \d+\.\d+\.\d+$/m);
    up.write('tools list\n');
    expect(await up.until(/a2c> /)).toMatch(/^ {2}echo +echo$/m);
    up.write('tools call echo {"text": "two  blanks"}\n');
    expect(await up.until(/a2c> /)).toMatch(/^two {2}blanks$/m);
    up.write('quit\n');
    expect(await up.ended).toBe(0);
    expect(await up.until(/closing/)).not.toContain('error');
  });

  it('says what is wrong with a line and takes the next one', async () => {
    const up = start();
    await up.until(/a2c> /);
    for (const [line, reason] of [
      ['sing a song', /unknown command: sing a/],
      ['toosl', /unknown command: toosl\n {2}Did you mean tools\?/],
      ['tools call', /usage: call <tool\.\.\.>/],
      ['tools call echo {"text": }', /not JSON/],
      ['tools call echo [1]', /'\[1\]' is not an argument: the tool has no parameter left for it/],
      ['tools call no_such_tool', /error: .*no_such_tool/],
      ['tools call fail {}', /no such thing\n\(failed after/],
      ['servers start nobody', /Unknown server: nobody/],
      ['servers stop', /usage: stop <server>/],
      ['tools conflicts', /^no conflicts$/m],
    ] as const) {
      up.write(`${line}\n`);
      expect(await up.until(/a2c> $/)).toMatch(reason);
    }
    up.write('EXIT\n');
    expect(await up.ended).toBe(0);
  });

  it('adds a server from JSON or from a file, changes it, and removes it', async () => {
    const up = start();
    await up.until(/a2c> /);
    const more = { mcpServers: { more: { command: process.execPath, args: [server, 'pages'] } } };
    up.write(`servers add ${JSON.stringify(more)}\n`);
    const added = await up.until(/^(a2c> )*more +ready: Tool '#3' of 'more' is not offered[^\n]*\na2c> $/m);
    expect(added).not.toContain('error');
    const file = join(folder, 'changed.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { more: { command: 'no-such-command' } } }));
    up.write(`servers add ${file}\n`);
    expect(await up.until(/error: [^]*a2c> $/)).toMatch(/'more' could not be started .* is back as it was/);
    up.write('servers remove more\nservers list\n');
    expect(await up.until(/fixture +ready\na2c> $/)).not.toMatch(/^(a2c> )*more /m);
    for (const [line, reason] of [
      ['servers remove more', /Unknown server: more/],
      ['servers add', /usage: add \[options\] <name> \[target\.\.\.\]/],
      ['servers add {"mcp', /1:2: is not valid JSON/],
      ['servers add {"mcpServers": {"x": {"args": 7}}}', /mcpServers\.x/],
      [`servers add ${join(folder, 'none.json')}`, /none\.json/],
    ] as const) {
      up.write(`${line}\n`);
      expect(await up.until(/a2c> $/)).toMatch(reason);
    }
  });

  it('adds every server of a config, each with a line of its own, and none where one is wrong', async () => {
    const up = start();
    const pages = { command: process.execPath, args: [server, 'pages'] };
    const several = { one: pages, two: { command: 'no-such-command' }, fixture: { command: 'nor-this-one' } };
    const file = join(folder, 'several.json');
    writeFileSync(file, `// Mine.\n{ "mcpServers": ${JSON.stringify(several)}, }\n`);
    up.write(`servers add ${JSON.stringify({ mcpServers: { ...several, wrong: {} } })}\nservers list\n`);
    expect(await up.until(/mcpServers\.wrong[^]*fixture +ready\na2c> $/)).not.toMatch(/^one /m);
    up.write(`servers add ${file}\nservers list\n`);
    const lines = await up.until(/fixture +ready\none +ready[^\n]*\ntwo +gave up[^\n]*\na2c> $/);
    expect(lines).toMatch(/^(a2c> )*two +gave up: .*no-such-command/m);
    expect(lines).toMatch(/^(a2c> )*fixture +error: .* is back as it was: .*nor-this-one/m);
  });

  it('says when a server is tried again, tries it at once on request, and shows what nobody heard', async () => {
    const up = start();
    await up.until(/a2c> /);
    const gone = { mcpServers: { gone: { url: 'http://127.0.0.1:9/mcp' } } };
    up.write(`servers add ${JSON.stringify(gone)}\n`);
    await up.until(/gone +failed: .*; next try within \d+ s\na2c> $/);
    up.write('servers retry gone\n');
    expect(await up.until(/error: [^]*a2c> $/)).toContain('nobody listens there');
    up.write('servers remove gone\ntools call garbage {}\nstatus\n');
    expect(await up.until(/fixture +ready\n[^\n]*\na2c> $/)).toMatch(
      /^ {4}2 lines that are no JSON, 1 answers that nobody waits for; last: "42"$/m,
    );
  });

  it('the prompt survives whatever is typed', async () => {
    const up = start();
    await up.until(/a2c> /);
    const words = 'tools call list servers start stop retry add remove lists status echo { } {} " []'.split(
      ' ',
    );
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' ')),
      fc.json().map((json) => `tools call echo ${json}`),
    );
    // Random lines must not contain line ends, which would split them, nor begin with `quit`, which ends the prompt.
    const lines = fc
      .sample(line, { numRuns: 150, seed: 2 })
      .map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' '));
    for (const text of lines) if (!/^\s*(quit|exit)\b/i.test(text)) up.write(`${text}\n`);
    up.write('servers start fixture\ntools call echo {"text": "alive"}\n');
    expect(await up.until(/^(a2c> )*alive$/m)).toContain('alive');
  });
});

describe('a key on a terminal', () => {
  it('stops with Ctrl-C a server that is on its way, and the prompt goes on', async () => {
    const up = start(true);
    await up.until(/a2c> /);
    const slow = {
      mcpServers: {
        slow: {
          command: process.execPath,
          args: [server, 'mute'],
          a2c: { timeouts: { connectMs: 600_000 } },
        },
      },
    };
    up.write(`servers add ${JSON.stringify(slow)}\r`);
    await up.until(/server slow +starting/);
    up.write('\u0003');
    // The state `idle` is written twice: as news and as the answer to the command; then the prompt is free.
    await up.until(/slow +stopped[^]*slow +stopped[^]*a2c> /);
    up.write('\u0003\u0003');
    expect(await up.ended).toBe(0);
  });

  it('hurries with Ctrl-C a server that is being stopped and does not want to end', async () => {
    const up = start(true);
    await up.until(/a2c> /);
    const timeouts = { stdinGraceMs: 600_000, termGraceMs: 600_000 };
    const deaf = { command: process.execPath, args: [mannered, 'stubborn'], a2c: { timeouts } };
    up.write(`servers add ${JSON.stringify({ mcpServers: { deaf } })}\r`);
    await up.until(/deaf +ready[^]*deaf +ready[^]*a2c> /);
    up.write('servers stop deaf\r');
    await up.until(/server deaf +stopping/);
    // The first Ctrl-C skips the wait for the closed input, the second one the wait after SIGTERM.
    up.write('\u0003');
    up.write('\u0003');
    await up.until(/server deaf +stopped/);
    up.write('servers list\r');
    await up.until(/deaf +stopped[^]*a2c> /);
    up.write('\u0004');
    expect(await up.ended).toBe(0);
  });
});

const windows = fixtureFile('windows-server.mjs');
const file = join(folder, 'inputs.json');
const inputs = [{ type: 'promptString', id: 'city', description: 'Where', default: 'Oslo' }];
writeFileSync(file, JSON.stringify(inputs));
const small = { command: process.execPath, args: [server], a2c: { resultBytes: 2_000 } };

const own = null;
/** Arguments of each command and the value of its answer line; null where other lines carry the result. */
const linesAt = (url: string): Readonly<Record<string, readonly [string, unknown]>> => ({
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
  add: [JSON.stringify({ mcpServers: { more: small } }), own],
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

// Never run on Windows so far.
it.skipIf(process.platform === 'win32')(
  'each command at the prompt writes its line for programs, and some are answered by other lines',
  async () => {
    await using office = await createOffice({ port: 0 });
    await using computer = await createComputer({
      name: 'c1',
      config: foreign({
        mcpServers: { fixture: small, notes: { command: process.execPath, args: [windows] } },
        inputs,
      }),
    });
    const { input, told: said, terminal } = terminalOver();
    const context = { terminal, signal: new AbortController().signal };
    const how = { officeLine: '', seat: { url: office.url, id: 'local' }, folder };
    const prompt = new Prompt(context, computer, how);
    const all = linesAt(office.url);
    expect(prompt.commands.names.toSorted()).toEqual(Object.keys(all).toSorted());
    for (const [name, [rest]] of Object.entries(all)) input.write(`${name} ${rest}\n`);
    await prompt.run();
    const facts = said.out.split('\n').flatMap((line) => readFact(line) ?? []);
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
  },
);

it('a terminal gets of hostile texts no character that it would obey, and one line for each that is said of one', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const { terminal, told } = terminalOver();
      terminal.out(text);
      terminal.err(text);
      expect(told.all.split('\n')).toHaveLength(3);
      for (const say of ['outText', 'errText'] as const) terminal[say](text);
      const said = { type: 'error', code: text, message: text } as const;
      expectClean(told.all, false);
      terminal.line(factLine(said));
      terminal.line(factLine(said), 'err');
      expectClean(told.all);
      const facts = told.all.split('\n').filter((line) => line.startsWith('@a2c '));
      expect(facts.map((line) => JSON.parse(line.slice(5)) as unknown)).toEqual([said, said]);
    }),
  );
});

/** Computer whose own name, server names and tool texts all contain the given text. */
const computerOf = (text: string): Promise<Computer> =>
  bootedComputer({
    name: `c${text}`,
    record: false,
    stateDir: false,
    config: {
      mcpServers: { [`s${text}`]: { type: 'inmemory' }, off: { type: 'inmemory', disabled: true } },
    },
    inMemory: { [`s${text}`]: linked(text) },
  });
/** Every command line of the prompt, with the given text as an argument where one is possible. */
const linesWith = (text: string): readonly string[] => {
  const typed = typeable(text);
  return [
    ...['help', 'tools', 'tools conflicts', 'calls', 'history', 'status'],
    ...['answer', 'refuse', 'fail', 'structured', `none${nameable(text)}`].map((tool) => `call ${tool} {}`),
    `call answer ${JSON.stringify({ [text]: text })}`,
    typed,
    `call answer ${typed}`,
    ...['cancel', 'result', 'read', 'desktop', 'finder', 'unknown'].map((verb) => `${verb} x${typed}`),
    'list',
    `add x${nameable(text)} -- ${typed}`,
    ...['start', 'stop', 'restart', 'retry', 'enable', 'disable', 'remove'].map(
      (verb) => `${verb} x${typed}`,
    ),
    `add ${JSON.stringify({ mcpServers: { [text]: { [text]: text }, b: { command: text, [text]: 1 } } })}`,
    `add ${join(folder, `f${nameable(text)}`)}`,
    ...['why', 'logs', 'connect', 'socket connect', 'socket join', 'socket leave'].map(
      (verb) => `${verb} x${typed}`,
    ),
    ...['notify update', 'inputs load'].map((verb) => `${verb} x${typed}`),
    ...['list', 'set', 'clear'].map((verb) => `inputs value ${verb} x${typed}`),
    'inputs list',
    'tools answer',
    ...['desktop', 'desktop window://hostile/one', 'finder'],
    ...['read dpe://hostile/doc', 'read window://hostile/one'],
  ];
};
async function prompted(text: string): Promise<string> {
  const { terminal, input, told } = terminalOver();
  const computer = await computerOf(text);
  const how = { officeLine: 'office', seat: { url: '', id: 'local' }, folder };
  const prompt = new Prompt({ terminal, signal: new AbortController().signal }, computer, how);
  input.end(`${linesWith(text).join('\n')}\n`);
  await prompt.run();
  await computer.close();
  return told.all;
}

describe('the prompt with hostile names and texts', () => {
  it('shows every answer of a hostile server as text', async () => {
    expectClean(await prompted(worst));
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => expectClean(await prompted(text))),
      { numRuns: 15 },
    );
  });

  it('has no word that was not typed for this', async () => {
    const help = await prompted('plain');
    const table = help.slice(help.indexOf('As in a shell'), help.indexOf('Ctrl-C cancels'));
    const named = [...table.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = '']) => verb);
    const others = [...table.matchAll(/^[A-Z][^:]*: ([^]*?)(?=\n[A-Z]|$)/gm)].flatMap(([, verbs = '']) =>
      verbs.trim().split(/,\s+/),
    );
    const verbs = [...named, ...others.filter((verb) => /^[a-z ]+$/.test(verb))];
    // `quit` and `trace` print no text of servers, so the list above leaves them out.
    const seen = [...linesWith(''), 'quit', 'trace'];
    expect(verbs.filter((verb) => !seen.some((line) => line.startsWith(verb)))).toEqual([]);
    expect(verbs.length).toBeGreaterThan(15);
  });
});
