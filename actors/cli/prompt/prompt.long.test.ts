import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atPrompt, seated, type AtPrompt } from '../../e2e/at-prompt.ts';
import { peerLine } from '../printing/servers.ts';
import { missedBy } from '../../../machines/protocol/protocol.ts';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../scenarios/fixtures/${name}`, import.meta.url));
const [server, mannered] = [fixture('mcp-server.mjs'), fixture('shutdown-server.mjs')];
const folder = testFolder('prompt');
const only = { mcpServers: { fixture: { command: process.execPath, args: [server] } } };

/** Starts a prompt as a person reads it; the lines for programs have a test of their own. */
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
    up.write('help\n');
    expect(await up.until(/a2c> /)).toContain('call a tool');
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
      ['tools call echo [1]', /'\[1\]' is not an argument: the tool names no parameters/],
      ['tools call no_such_tool', /error: .*no_such_tool/],
      ['tools call fail {}', /no such thing\n\(failed after/],
      ['servers start nobody', /Unknown server: nobody/],
      ['servers stop', /usage: stop <server>/],
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
    up.end();
    expect(await up.ended).toBe(0);
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
    up.end();
    expect(await up.ended).toBe(0);
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
    up.end();
    expect(await up.ended).toBe(0);
  });

  it('survives whatever is typed', async () => {
    const up = start();
    await up.until(/a2c> /);
    const words = [
      'tools',
      'call',
      'list',
      'servers',
      'start',
      'stop',
      'retry',
      'add',
      'remove',
      'lists',
      'status',
      'echo',
      '{',
      '}',
      '{}',
      '"',
      '[]',
    ];
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
    await up.until(/^(a2c> )*alive$/m);
    up.end();
    expect(await up.ended).toBe(0);
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
