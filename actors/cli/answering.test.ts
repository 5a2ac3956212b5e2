import { expect, it } from 'vitest';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { confirmBy, yesOrNo } from './answering.ts';

const question = {
  ...{ reqId: 'r', agent: 'bob', server: 'fs', tool: 'write', title: 'Write', annotations: null },
  arguments: { path: 'a' },
};

it('the question to a person says which agent wants what, and that it is no longer open, and why', async () => {
  const { terminal, told } = terminalOver({ isTerminal: true });
  const over = terminal.prompt(
    '> ',
    async () => 'again',
    () => 'over',
  );
  const confirm = confirmBy('ask', terminal);
  const aborter = new AbortController();
  const answer =
    typeof confirm === 'function' ? confirm({ ...question, signal: aborter.signal }) : 'not asked';
  aborter.abort(new Error('The question is no longer open: its time, 5 s, is over'));
  expect(await answer).toBe('deny');
  expect(told.all).toContain('agent bob wants to run write of fs: {"path":"a"}\n');
  expect(told.all).toContain('  its server calls it "Write"\n');
  expect(told.all).toContain('write of fs: The question is no longer open: its time, 5 s, is over\n');
  terminal.close();
  await over;
});

async function answered(answers: (string | null)[], preset: boolean) {
  const asked: string[] = [];
  const told: string[] = [];
  const terminal = {
    question: async (text: string) => {
      asked.push(text);
      return answers.shift() ?? null;
    },
    err: (line: string) => told.push(line),
  } as unknown as Terminal;
  const answer = await yesOrNo(terminal, 'run it?', new AbortController().signal, preset);
  return { answer, asked: asked.length, text: asked[0], told };
}

it.each([
  ['y', true],
  [' YES ', true],
  ['n', false],
  ['No', false],
  [null, null],
] as const)('the answer %j is understood', async (typed, answer) => {
  for (const preset of [true, false])
    expect(await answered([typed], preset)).toMatchObject({ answer, asked: 1, told: [] });
});
it.each([true, false])('an empty answer is %s where the question says so', async (preset) => {
  const { answer, text } = await answered([''], preset);
  expect([answer, text]).toEqual([preset, preset ? 'run it? [Y/n] ' : 'run it? [y/N] ']);
});
it.each(['maybe', 'cancel', 'nope', 'yeah', '1', 'ja'])(
  'the question is asked again after %s',
  async (typed) => {
    for (const preset of [true, false]) {
      const { answer, asked, told } = await answered([typed, 'n'], preset);
      expect({ answer, asked, told }).toEqual({
        answer: false,
        asked: 2,
        told: [`'${typed}' is neither yes nor no`],
      });
    }
  },
);
