import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { readFact } from '../../../scenarios/fixtures/read-fact.ts';
import { bootedComputer } from '../../../scenarios/fixtures/booted.ts';
import { launchedWith } from '../../../scenarios/fixtures/resource-servers.ts';
import { terminalOver } from '../../e2e/terminal-over.ts';
import type { Computer } from '../../index.ts';
import { Prompt } from './prompt.ts';

const mark = crypto.randomUUID();
const [notes, plan] = ['dpe://h/notes.md', 'dpe://h/reports%2F2026%20plan.pdf'];
let computer: Computer;
beforeAll(async () => {
  const config = {
    mcpServers: {
      w: launchedWith('windows', mark, '--host', 'w'),
      docs: launchedWith('documents', mark, '--host', 'h'),
    },
  };
  computer = await bootedComputer({ name: 'c1', record: false, stateDir: false, config });
});
afterAll(() => computer.close());

async function typed(line: string): Promise<{ readonly text: string; readonly facts: readonly Fact[] }> {
  const { input, told, terminal } = terminalOver();
  const how = { officeLine: 'office', seat: { url: '', id: 'local' }, folder: '.' };
  input.end(`${line}\n`);
  await new Prompt({ terminal, signal: new AbortController().signal }, computer, how).run();
  const lines = told.all.replaceAll('a2c> ', '').split('\n');
  return {
    text: lines.filter((one) => !one.startsWith('@a2c ')).join('\n'),
    // Facts of type `answer` are left out, because they have a test of their own.
    facts: lines.flatMap((one) => readFact(one) ?? []).filter(({ type }) => type !== 'answer'),
  };
}
const urisIn = (facts: readonly Fact[]): readonly string[] =>
  facts.flatMap((fact) => (fact.type === 'finder' ? fact.documents.map(({ uri }) => uri) : []));

it.each([
  ['finder', [plan, notes]],
  ['finder list', [plan, notes]],
  ['finder list --type md', [notes]],
  ['finder list list', []],
  ['finder budget', [plan]],
  ['finder "the plan"', [plan]],
  ['finder --limit 1', [plan]],
])('%s shows persons and programs %j', async (line, uris) => {
  const { text, facts } = await typed(line);
  expect(facts).toMatchObject([{ type: 'finder', missing: [] }]);
  expect(urisIn(facts)).toEqual(uris);
  for (const uri of uris) expect(text).toContain(uri);
  if (uris.length === 0) expect(text).toContain('no documents');
});

it.each(['desktop', 'desktop list', 'desktop show'])('%s shows all windows', async (line) => {
  const { text, facts } = await typed(line);
  const [fact] = facts;
  if (fact?.type !== 'desktop') throw new Error(text);
  expect(fact.desktops.length).toBeGreaterThan(1);
  for (const window of fact.desktops) expect(text).toContain(`── ${window.split('\n\n')[0]}`);
});

it('desktop shows the window that is named, or says that it is not there', async () => {
  expect((await typed('desktop show window://w/log')).facts).toMatchObject([
    { type: 'desktop', desktops: [expect.stringContaining('window://w/log')] },
  ]);
  const { text, facts } = await typed('desktop show window://w/none');
  expect(text).toContain('no window window://w/none');
  expect(facts).toEqual([{ type: 'desktop', desktops: [], missing: [] }]);
});

it('read shows a resource', async () => {
  const { facts } = await typed(`read ${notes}`);
  expect(facts).toMatchObject([{ type: 'resource', uri: notes, contents: [{ uri: notes }] }]);
});

it('read alone says how it is written', async () => {
  expect((await typed('read')).text).toContain('error: usage: read [options] <uri>');
});

it.each([
  ['desktop 1 2', 'too many arguments', 'usage: desktop [options] [uri]'],
  ['desktop --size 1', '--size', 'usage: desktop'],
  ['finder --keyword x', '--keyword', 'usage: finder [options] [word...]'],
  ['finder --type', "'--type <ext>' argument missing", 'usage: finder'],
  ['finder --limit many', 'a whole number', 'usage: finder'],
  ['read dpe://h/a dpe://h/b', 'too many arguments', 'usage: read'],
])(
  'a resource command is refused for %s: it names %j and says how it is written',
  async (line, what, remedy) => {
    const { text, facts } = await typed(line);
    expect(text).toMatch(/^error: /m);
    expect(facts).toEqual([
      {
        ...{ type: 'error', code: 'BadRequest', details: {} },
        message: expect.stringContaining(what),
        remedy: expect.stringContaining(remedy),
      },
    ]);
  },
);
