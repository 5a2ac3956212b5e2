import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

const ctrlC = '\u0003';
/** Starts a prompt that takes lines until Ctrl-C ends it. */
function prompted() {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  for (const stream of [input, output]) Object.assign(stream, { isTTY: true });
  output.resume();
  errors.resume();
  const terminal = createTerminal({ input, output, errors });
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  const over = terminal.prompt(
    '> ',
    async (line) => {
      lines.push(line);
      waiting.shift()?.();
      return 'again';
    },
    () => 'over',
  );
  const taken = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { terminal, lines, over, taken, type: (text: string) => void input.write(text) };
}

it('Ctrl-C says no to a question, and ends nothing; what was half typed before it is there again', async () => {
  const { terminal, lines, over, taken, type } = prompted();
  type('half');
  const answer = terminal.question('run it? ', new AbortController().signal);
  await Promise.resolve();
  type(`y${ctrlC}`);
  expect(await answer).toBeNull();
  const next = taken();
  type(' typed\r');
  await next;
  expect(lines).toEqual(['half typed']);
  type(ctrlC);
  await over;
});

it('Ctrl-C clears what is half typed, and on an empty line is for the opener of the prompt', async () => {
  const { lines, over, taken, type } = prompted();
  const next = taken();
  type(`half${ctrlC}whole\r`);
  await next;
  expect(lines).toEqual(['whole']);
  type(ctrlC);
  await over;
});
