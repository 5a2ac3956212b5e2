import { expect, it } from 'vitest';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { yesOrNo } from './answering.ts';

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
