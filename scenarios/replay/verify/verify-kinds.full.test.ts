import { describe, expect, it } from 'vitest';
import { recordedTrouble, troubledCommand, type Trouble } from '../../fixtures/troubled.ts';
import { verify } from './verify.ts';

/** Verdicts by kind: while it is broken, when it is mended, with another fault, and with another of the same kind. */
const table: Readonly<Record<string, readonly [string, string, string, string]>> = {
  crash: ['red', 'green', 'other', 'other'],
  hang: ['red', 'green', 'other', 'red'],
  error: ['red', 'green', 'other', 'other'],
  refused: ['red', 'green', 'other', 'other'],
  mismatch: ['red', 'green', 'other', 'other'],
  malformed: ['red', 'green', 'other', 'other'],
  neither: ['red', 'green', 'other', 'red'],
  change: ['red', 'green', 'other', 'red'],
  race: ['red', 'green', 'other', 'other'],
  list: ['red', 'green', 'other', 'other'],
  rest: ['red', 'green', 'other', 'other'],
  value: ['red', 'green', 'other', 'other'],
};
const states: readonly Trouble[] = ['broken', 'mended', 'otherwise', 'again'];

describe('a failure of each kind', () => {
  it.each(Object.entries(table))(
    'is red, then green, and never green otherwise: %s',
    async (kind, verdicts) => {
      const file = await recordedTrouble(kind);
      const expect_ = kind === 'value' ? await unluckyValue(file) : {};
      const found: string[] = [];
      for (const how of states) {
        const command = troubledCommand(kind, how);
        const { verdict, text } = await verify(file, {
          command,
          yes: true,
          timeoutMs: 10_000,
          expect: expect_,
        });
        found.push(verdict === verdicts[states.indexOf(how)] ? verdict : text);
      }
      expect(found).toEqual(verdicts);
    },
  );
  it.each([
    ['a death that comes after the answer now', 'crash', 'late', 'red'],
    ['a death after an answer that was none before', 'mismatch', 'late', 'other'],
    ['a tool that leaves the list after its answer', 'crash', 'shrunk', 'other'],
    ['an error that comes at the other one of two calls', 'race', 'moved', 'red'],
  ] as const)('is not mended by %s', async (_, kind, how, expected) => {
    const file = await recordedTrouble(kind);
    const { verdict, text } = await verify(file, { command: troubledCommand(kind, how), yes: true });
    expect(verdict, text).toBe(expected);
  });
  it('a death that kept a later call from being sent is green only when that call is answered, too', async () => {
    const file = await recordedTrouble('crash', 'broken', async (computer) => {
      await computer.callTool('crash', { n: 2 });
      await computer.callTool('hang', { n: 2 }, { timeoutMs: 1 });
    });
    const asked = async (kind: string, how: 'mended' | 'broken') => {
      const command = troubledCommand(kind, how);
      const { verdict, failure } = await verify(file, { command, yes: true, timeoutMs: 3_000 });
      return [verdict, failure?.request];
    };
    const found = [await asked('crash', 'mended'), await asked('hang', 'broken')];
    expect(found).toEqual([
      ['green', 'tools/call crash {"n":2}'],
      ['other', 'tools/call hang {"n":2}'],
    ]);
  });
});
async function unluckyValue(file: string): Promise<Record<string, unknown>> {
  const { answers } = await verify(file, { command: troubledCommand('value', 'mended'), yes: true });
  const { s } = answers.filter(({ request }) => request.startsWith('tools/call')).at(-1) ?? { s: 0 };
  return { [`${s}:result.content.0.text`]: '2' };
}
