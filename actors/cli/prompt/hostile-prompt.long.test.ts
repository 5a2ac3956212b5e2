import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTerminal, type Terminal } from '../../../adapters/terminal/terminal.ts';
import { factLine } from '../../../machines/facts.ts';
import {
  hostile,
  linked,
  expectClean,
  nameable,
  typeable,
  worst,
} from '../../../scenarios/fixtures/hostile-texts.ts';
import type { Computer } from '../../index.ts';
import { Prompt } from './prompt.ts';
import { bootedComputer } from '../../../scenarios/fixtures/booted.ts';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';

/** Tests that the prompt shows hostile names and texts of servers as plain text, without control characters. */
const folder = testFolder('hostile');

/** Input and output streams that are no terminals, so that our own code moves no cursor either. */
function screen(): { terminal: Terminal; input: PassThrough; written: () => string } {
  let written = '';
  const stream = (): Writable =>
    new Writable({ decodeStrings: false, write: (text: string, _, done) => done(void (written += text)) });
  const input = new PassThrough();
  const terminal = createTerminal({ input, output: stream(), errors: stream() });
  return { terminal, input, written: () => written };
}

describe('a terminal', () => {
  it('gets no character that it would obey, through whatever of it is called', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { terminal, written } = screen();
        for (const say of ['out', 'outText', 'err', 'errText'] as const) terminal[say](text);
        const said = { type: 'error', code: text, message: text } as const;
        expectClean(written(), false);
        terminal.line(factLine(said));
        terminal.line(factLine(said), 'err');
        expectClean(written());
        const facts = written()
          .split('\n')
          .filter((line) => line.startsWith('@a2c '));
        expect(facts.map((line) => JSON.parse(line.slice(5)) as unknown)).toEqual([said, said]);
      }),
    );
  });

  it('has one line for each that is said of one', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { terminal, written } = screen();
        terminal.out(text);
        terminal.err(text);
        expect(written().split('\n')).toHaveLength(3);
      }),
    );
  });
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
    `call answer ${typed}`,
    ...['cancel', 'result', 'read', 'desktop', 'finder', 'unknown'].map((verb) => `${verb} x${typed}`),
    'list',
    `add x${nameable(text)} -- ${typed}`,
    ...['start', 'stop', 'restart', 'retry', 'enable', 'disable', 'remove'].map(
      (verb) => `${verb} x${typed}`,
    ),
    `add ${JSON.stringify({ mcpServers: { [text]: { [text]: text }, b: { command: text, [text]: 1 } } })}`,
    `add ${join(folder, `f${nameable(text)}`)}`,
    ...[
      'why',
      'logs',
      'connect',
      'socket connect',
      'socket join',
      'socket leave',
      'notify update',
      'inputs load',
    ].map((verb) => `${verb} x${typed}`),
    ...['list', 'set', 'clear'].map((verb) => `inputs value ${verb} x${typed}`),
    'inputs list',
    'tools answer',
    ...['desktop', 'desktop window://hostile/one', 'finder'],
    ...['read dpe://hostile/doc', 'read window://hostile/one'],
  ];
};
async function prompted(text: string): Promise<string> {
  const { terminal, input, written } = screen();
  const computer = await computerOf(text);
  const how = { officeLine: 'office', seat: { url: '', id: 'local' }, folder };
  const prompt = new Prompt({ terminal, signal: new AbortController().signal }, computer, how);
  input.end(`${linesWith(text).join('\n')}\n`);
  await prompt.run();
  await computer.close();
  return written();
}

describe('the prompt', () => {
  it('shows every answer of a hostile server as text', { timeout: 60_000 }, async () => {
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
