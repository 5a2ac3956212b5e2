import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { unsafe, linked, expectClean, nameable, worst } from '../../scenarios/fixtures/hostile-texts.ts';
import { createOffice, type Computer, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests that commands print hostile text of servers, peers and files as plain text, without control characters. */
const server = fixtureFile('hostile-server.mjs');
const folder = testFolder('hostile');

// No operating system accepts a NUL character in an argument.
const inArgument = worst.replaceAll('\u0000', '');
const fileName = `h${nameable(worst)}`.slice(0, 90);
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const startedWith = (...more: string[]) => ({
  ...{ command: process.execPath, args: [server, JSON.stringify(worst), ...more], autoApprove: ['all'] },
});
const config = file(
  `${fileName}.json`,
  JSON.stringify({
    [worst]: worst,
    mcpServers: {
      [`s${inArgument}`]: startedWith(),
      dead: { ...startedWith('dies'), a2c: { restart: 'never' } },
      [`m${inArgument}`]: { command: `none${inArgument}`, [worst]: worst },
    },
  }),
);
const wrong = file(
  `${fileName}.wrong.json`,
  JSON.stringify({ servers: [{ name: worst, type: worst, [worst]: worst }] }),
);
const trace = file('x.trace.ndjson', '{"format":"\u202E","v":"\u001B"}\n');

interface How {
  readonly input?: string;
  /** Pattern of output after which the command is interrupted. */
  readonly until?: RegExp;
}
/** Runs a command whose output streams are no terminals, so that our own code moves no cursor either. */
async function typed(argv: readonly string[], { input: given, until }: How = {}) {
  const aborter = new AbortController();
  const onText = (): void => void (until?.test(told.all) && aborter.abort());
  const { input, told, terminal } = terminalOver({ onText });
  if (given !== undefined) input.end(given);
  await commandLine(argv, { terminal, signal: aborter.signal });
  return told;
}
const textOf = ({ out, err }: { readonly out: string; readonly err: string }): string => out + err;

let office: Office;
let afar: Computer;
beforeAll(async () => {
  office = await createOffice({ port: 0 });
  afar = await bootedComputer({
    name: 'afar',
    office: { url: office.url },
    record: false,
    stateDir: false,
    config: { mcpServers: { far: { type: 'inmemory', autoApprove: ['all'] } } },
    inMemory: { far: linked(worst) },
  });
});
afterAll(async () => {
  await afar.close();
  await office.close();
});

const asked: readonly (readonly string[])[] = [
  ['tools'],
  ['call', 'answer'],
  ['call', 'refuse'],
  ['call', 'fail'],
  ['call', `no${inArgument}`],
  ['desktop'],
  ['finder'],
  ['read', 'window://hostile/one'],
  ['read', `x${inArgument}`],
];
const here: readonly (readonly string[])[] = [
  ...asked,
  ['status'],
  ['resources'],
  ['prompts'],
  ['prompt', `s${inArgument}`, inArgument, `a=${inArgument}`],
  ['read', 'note://x'],
  ['tools', 'answer'],
  ['generate', 'types', `s${inArgument}`],
  ['skills'],
  ['skill', inArgument],
  ['list'],
  ['export'],
  ['export', '--for', 'goose'],
  ['get', `x${inArgument}`],
  ['logs', `x${inArgument}`],
  ['doctor'],
];

describe('a command', () => {
  it('shows what its servers say as text, also what they are called and why they fail', async () => {
    for (const argv of here) expectClean(textOf(await typed([...argv, '-c', config])));
    const up = ['up', '--port', '0', '--facts', '-c', config];
    expectClean(textOf(await typed(up, { input: 'servers list\nquit\n' })));
  });

  it('has the same value in --json, in one line of plain characters', async () => {
    for (const argv of [['tools'], ['call', 'answer'], ['desktop'], ['status']]) {
      const { out } = await typed([...argv, '--json', '-c', config]);
      expect(out).not.toMatch(unsafe);
      expect(out.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(inArgument).slice(1, -1));
    }
  });

  it('shows what an office and its computers say as text', async () => {
    for (const argv of asked)
      for (const more of [[], ['--json']])
        expectClean(textOf(await typed([...argv, '--url', office.url, ...more])));
  });

  it('shows seats and servers as text while it runs on', async () => {
    const computer = ['computer', '--url', office.url, '--name', `n${inArgument}`, '-c', config];
    expectClean(textOf(await typed(computer, { until: / serves(;| once)/ })));
    expectClean(textOf(await typed(['office', '--port', '0'], { until: /Ctrl-C/ })));
  });

  it('shows mistakes, files and options as text', async () => {
    const lines = [
      ['tools', '-c', wrong],
      ['tools', '-c', join(folder, `none${fileName}`)],
      ['call', 'answer', `{"${inArgument}`],
      [`none${inArgument}`],
      ['tools', `--${inArgument}`],
      ['replay', trace],
      ['replay', join(folder, `none${fileName}`)],
      ['replay', trace, '--server', inArgument],
      ['verify', trace],
      ['verify', trace, '--server', inArgument],
      ['verify', trace, '--set', inArgument],
      ['redact', trace, '--path', inArgument],
      ['redact', trace, '--value', inArgument],
      ['fork', trace, '--at', '1'],
      ['sim', '--faults', inArgument, '--seed', '1'],
      ['judge', '--only', inArgument, '--', 'none'],
      ['schema'],
      ['completion', 'fish', `a2c get -c ${file('plain.json', readFileSync(config, 'utf8'))} `],
      ['keep', '--list'],
      ['documents', join(folder, `none${fileName}`)],
      ['documents', folder, '--host', inArgument],
      ...['remove', 'enable', 'disable', 'login', 'logout'].map((word) => [
        word,
        `x${inArgument}`,
        '-c',
        config,
      ]),
      ['add', `x${inArgument}`, inArgument, inArgument, '-c', join(folder, 'added.json')],
      ['import', config, '--dry-run', '-c', join(folder, 'taken.json')],
      ['import', wrong, '--dry-run', '-c', join(folder, 'taken.json')],
      ['import', `x${inArgument}`],
      ['import', `vscode:mcp/install?${inArgument}`],
    ];
    for (const argv of lines) {
      const text = textOf(await typed(argv));
      expectClean(text);
      expect(text).not.toBe('');
    }
  });

  it('each command of the help is in the list of those that were looked at', async () => {
    const { out } = await typed(['completion', 'fish', 'a2c ']);
    const words = [...out.matchAll(/^(\w+)(?:\t|$)/gm)].map(([, word]) => word);
    const others =
      'up computer office schema trace lab help documents inspect show verify why serve redact completion keep';
    const changes = ['add', 'import', 'remove', 'enable', 'disable', 'login', 'logout'];
    const seen = [...others.split(' '), ...changes, ...here.map(([word]) => word)];
    expect(words.filter((word) => word === undefined || !seen.includes(word))).toEqual([]);
    expect(words.length).toBeGreaterThan(10);
  });
});
