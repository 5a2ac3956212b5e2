import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

const ctrlC = '\u0003';
const never = new AbortController().signal;
/** Terminal that records each change of its raw mode. */
function atTerminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const raw: boolean[] = [];
  for (const stream of [input, output]) Object.assign(stream, { isTTY: true });
  Object.assign(input, { setRawMode: (on: boolean) => raw.push(on) });
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  let interrupts = 0;
  const terminal = createTerminal({ input, output, errors: output, interrupt: () => (interrupts += 1) });
  const lines: string[] = [];
  const prompted = (): Promise<void> =>
    terminal.prompt(
      '> ',
      async (line) => {
        lines.push(line);
        return line === 'quit' ? 'over' : 'again';
      },
      () => 'over',
    );
  return {
    terminal,
    raw,
    lines,
    prompted,
    shown: () => shown,
    interrupts: () => interrupts,
    /** Types a text and waits until the terminal has read it. */
    type: async (text: string): Promise<void> => {
      input.write(text);
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    },
    end: () => input.end(),
  };
}

it('the keyboard is read by one reader from the first question until it is closed', async () => {
  const { terminal, raw, prompted, type } = atTerminal();
  expect(raw).toEqual([]);
  const first = terminal.question('one? ', never);
  await type('1\r');
  expect(await first).toBe('1');
  const over = prompted();
  const second = terminal.question('two? ', never, { isSecret: true });
  await type('2\r');
  expect(await second).toBe('2');
  await type('quit\r');
  await over;
  expect(raw).toEqual([true]);
  terminal.close();
  expect(raw).toEqual([true, false]);
});

it('the keyboard keeps lines that are typed after an answer for the prompt, and gives them to no question', async () => {
  const { terminal, lines, prompted, type } = atTerminal();
  const first = terminal.question('trust it? ', never);
  await type('y\r');
  expect(await first).toBe('y');
  await type('one\rtwo\r');
  const second = terminal.question('run it? ', never);
  await type('n\r');
  expect(await second).toBe('n');
  void prompted();
  await type('');
  expect(lines).toEqual(['one', 'two']);
  terminal.close();
});

it('the keyboard gives keys to nobody while nobody is asked, and Ctrl-C to its opener', async () => {
  const { terminal, lines, prompted, type, shown, interrupts } = atTerminal();
  const answer = terminal.question('one? ', never);
  await type('1\r');
  await answer;
  await type(`late\r${ctrlC}`);
  expect(interrupts()).toBe(1);
  const second = terminal.question('run it? ', never);
  await type('n\r');
  expect(await second).toBe('n');
  const over = prompted();
  await type('quit\r');
  await over;
  expect(lines).toEqual(['quit']);
  expect(shown()).not.toContain('late');
});

it('the keyboard gives what was pasted behind an answer to the next question that comes at once', async () => {
  const { terminal, lines, prompted, type } = atTerminal();
  const over = prompted();
  const asked = (async () => {
    const user = await terminal.question('User: ', never);
    return [user, await terminal.question('Token: ', never, { isSecret: true })];
  })();
  await type('alice\rs3cret\rquit\r');
  expect(await asked).toEqual(['alice', 's3cret']);
  // Text in the same chunk after a secret may be a part of it, so it is dropped.
  expect(lines).toEqual([]);
  await type('quit\r');
  await over;
});

it('the keyboard is over when its input ends, in front of a prompt and of a question', async () => {
  const { terminal, lines, prompted, end } = atTerminal();
  const over = prompted();
  const answers = Promise.all([terminal.question('one? ', never), terminal.question('two? ', never)]);
  end();
  expect(await answers).toEqual([null, null]);
  await over;
  await prompted();
  expect(await terminal.question('three? ', never)).toBeNull();
  expect(lines).toEqual([]);
});

it('the keyboard is closed in front of a question that nobody has answered', async () => {
  const { terminal, raw } = atTerminal();
  const answer = terminal.question('Token: ', never, { isSecret: true });
  terminal.close();
  expect(await answer).toBeNull();
  expect(await terminal.question('again? ', never)).toBeNull();
  expect(raw).toEqual([true, false]);
});
