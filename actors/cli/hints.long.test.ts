import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atPrompt, seated } from '../e2e/at-prompt.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { wordsIn } from './prompt/commands.ts';
import { shared, words } from './words.ts';

/** Types each command that a message gives, in the place where it was given. */
const fixture = { command: process.execPath, args: [fixtureFile('typed-server.mjs')] };
const gone = { command: 'no-such-command-of-anybody' };
const mcpServers = { a: fixture, b: fixture, off: { ...fixture, disabled: true }, gone };
const folder = testFolder('hints');
const file = join(folder, 'servers of mine.json');
writeFileSync(file, JSON.stringify({ mcpServers }));

const isExample = (hint: string): boolean => /…|\b[A-Z]{3,}\b/.test(hint);

describe('in a shell', () => {
  const hintsIn = (text: string): string[] =>
    [...text.matchAll(/(?<=(?:^|: | or | {2}|\()a2c )[a-z][^\n;)]*?(?= or a2c| tells more|\.\s|\)|;|$)/gm)]
      .map(([hint]) => hint.trim())
      .filter((hint) => !isExample(hint));
  it.each([
    ...[
      'call get_next n=1',
      'call a',
      'call a.get_nxt',
      'call a.get_next',
      'call off.get_next',
      'call gone.x',
    ],
    ...['call nobody.x', 'tools', 'tools a', 'tools a.get_next', 'tools nothing_like_it', 'resources'],
    ...['status', 'status gone', 'logs nobody', 'get nobody', 'prompt nobody', 'help nonsense'],
  ])('what a2c %s tells to type is a command', async (line) => {
    const { out, err } = await commandLine([...line.split(' '), '-c', file], { folder });
    for (const hint of new Set(hintsIn(out + err))) {
      expect(hint.replaceAll(/'[^']*'/g, '')).not.toContain("'");
      const typed = await commandLine(wordsIn(hint), { folder });
      expect([hint, typed.code, typed.err]).not.toEqual([hint, 64, expect.anything()]);
    }
  });
  it('some of these have hints', async () => {
    const { err } = await commandLine(['call', 'get_next', 'n=1', '-c', file], { folder });
    const named = ['a', 'b'].map((server) => `call ${server}.get_next -c '${file}'`);
    expect(hintsIn(err).slice(0, 2)).toEqual(named);
  });
});

describe('at the prompt', () => {
  const hintsIn = (text: string): string[] =>
    [
      ...text
        .replaceAll(/^.*@a2c .*$/gm, '')
        .matchAll(/(?:(?<=^ {2}.*: | or )|^(?=call ))[a-z]+(?: [^\n]*?)?(?= or [a-z]+ |\. |$)/gm),
    ]
      .map(([hint]) => hint.trim())
      .filter((hint) => !isExample(hint) && !/[?{]/.test(hint));
  it('each hint of an answer is a command that can be typed there', async () => {
    const up = atPrompt({ mcpServers });
    await up.until(seated);
    const seen: string[] = [];
    for (const line of [
      ...['get_next n=1', 'a', 'b.get_nxt', 'off.get_next', 'gone.x', 'nobody.x'].map((to) => `call ${to}`),
      ...['tools a', 'tools b.get_next', 'tools nothing_like_it', 'why gone', 'why nobody', 'status gone'],
      ...['start nobody', 'logs nobody', 'inputs value set nobody', 'result nobody'],
    ])
      for (const hint of hintsIn(await up.ask(line))) {
        seen.push(hint);
        expect(await up.ask(hint), `${line}: ${hint}`).not.toContain('unknown command');
      }
    for (const hint of seen) expect(hint.replaceAll(/"[^"]*"/g, '')).not.toContain('"');
    expect(seen).toEqual(expect.arrayContaining(['call a.get_next', 'tools a', 'list', 'inputs list']));
  });
  it('the words of the shell are there, also with a2c before them, and those of the shell alone say so', async () => {
    const up = atPrompt({ mcpServers: {} });
    await up.until(seated);
    for (const word of shared) expect(await up.ask(`npx a2c ${word}`), word).not.toContain('unknown command');
    expect(await up.ask('tools')).toContain('no servers; add one: add NAME -- COMMAND');
    expect(await up.ask('a2c login docs')).toContain('Type it there: a2c login docs');
    expect(Object.keys(words)).toEqual(expect.arrayContaining([...shared]));
  });
  it('a server is added, looked at and taken out in the words of the shell', async () => {
    const up = atPrompt({ mcpServers: {} });
    await up.until(seated);
    const added = `add new -e LAUNCHED_BY=hints -- ${fixture.command} ${fixture.args.join(' ')}`;
    expect(await up.ask(added)).toMatch(/^new +ready/m);
    expect(await up.ask('call new.get_next n=1')).toMatch(/^2$/m);
    expect(await up.ask('disable new')).toMatch(/^new +disabled/m);
    expect(await up.ask('enable new')).toMatch(/^new +ready/m);
    expect(await up.ask('status new')).toContain('It is ready.');
    await up.ask('remove new');
    expect(await up.ask('list')).toContain('no servers');
  });
});

it('a tool whose name another server has is called with its server, in both places', async () => {
  expect((await commandLine(['call', 'b.get_next', 'n=1', '-c', file], { folder })).out).toBe('2\n');
  const up = atPrompt({ mcpServers });
  await up.until(seated);
  expect(await up.ask('call b.get_next n=1')).toMatch(/^2$/m);
  expect(await up.ask('call b get_next n=2')).toMatch(/^3$/m);
  expect(await up.ask('call get_next n=1')).toContain('Name the server: call a.get_next or call b.get_next');
});
