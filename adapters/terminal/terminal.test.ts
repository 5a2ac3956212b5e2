import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';
import type { OnLine } from './typed-line.ts';

interface Takes {
  readonly onLine?: OnLine;
  readonly onInterrupt?: () => 'over' | 'again';
}
/** Makes a terminal over streams that look like one or like pipes; `prompted` starts its prompt. */
function createHarness(how: 'terminal' | 'pipes', { onLine, onInterrupt }: Takes = {}) {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  /** Each change of the raw mode. */
  const raw: boolean[] = [];
  if (how === 'terminal') {
    for (const stream of [input, output, errors]) Object.assign(stream, { isTTY: true });
    Object.assign(input, { setRawMode: (on: boolean) => raw.push(on) });
  }
  const told = { written: '', interrupts: 0, ofOpener: 0 };
  for (const stream of [output, errors])
    stream.setEncoding('utf8').on('data', (text: string) => (told.written += text));
  const terminal = createTerminal({ input, output, errors, interrupt: () => (told.ofOpener += 1) });
  const lines: string[] = [];
  const take: OnLine = async (line) => {
    lines.push(line);
    return onLine ? onLine(line) : line === 'quit' ? 'over' : 'again';
  };
  return {
    ...{ terminal, raw, lines, told },
    prompted: (): Promise<void> =>
      terminal.prompt('> ', take, () => {
        told.interrupts += 1;
        return onInterrupt ? onInterrupt() : 'over';
      }),
    /** Types a text and waits until the terminal has read it. */
    type: async (text: string): Promise<void> => {
      input.write(text);
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    },
    endInput: () => void input.end(),
  };
}
/** Text of the last row on the screen, after carriage returns, cursor moves and erasures. */
function lastRow(written: string): string {
  let row = '';
  let column = 0;
  for (const [, word, n, end] of written.matchAll(/(\u001B\[(\d*)([GJKC])|[^])/g)) {
    if (word === '\n') [row, column] = ['', 0];
    else if (word === '\r') column = 0;
    else if (end === 'G') column = Number(n) - 1;
    else if (end === 'J' || end === 'K') row = row.slice(0, column);
    else if (word !== undefined) {
      row = row.slice(0, column) + word + row.slice(column + 1);
      column += 1;
    }
  }
  return row;
}
const ctrlC = '\u0003';
const never = new AbortController().signal;

describe('a prompt', () => {
  it.each(['terminal', 'pipes'] as const)(
    'hands on over %s each line once, in order, trimmed',
    async (how) => {
      const { lines, prompted, type } = createHarness(how);
      const over = prompted();
      await type('one\n  two  \n\n   \nthr');
      await type('ee\nquit\nnever\n');
      await over;
      expect(lines).toEqual(['one', 'two', 'three', 'quit']);
    },
  );

  it('takes the next line only when the last one is done', async () => {
    const running: string[] = [];
    let most = 0;
    const onLine: OnLine = async (line) => {
      most = Math.max(most, running.push(line));
      await new Promise((resolve) => setImmediate(resolve));
      running.pop();
      return 'again';
    };
    const { prompted, type, endInput } = createHarness('pipes', { onLine });
    const over = prompted();
    await type('one\ntwo\nthree\n');
    endInput();
    await over;
    expect(most).toBe(1);
  });

  it('ends with its input, when everything in it is worked off', async () => {
    const { lines, prompted, type, endInput } = createHarness('pipes');
    const over = prompted();
    await type('one\nwithout a line end');
    endInput();
    await over;
    expect(lines).toEqual(['one', 'without a line end']);
  });

  it('ends when it is closed, without waiting for the line that is worked on', async () => {
    const { terminal, lines, prompted, type } = createHarness('pipes', {
      onLine: () => new Promise(() => {}),
    });
    const over = prompted();
    await type('for ever\nnever\n');
    terminal.close();
    await over;
    expect(lines).toEqual(['for ever']);
  });

  it('can be closed before it began and after it ended', async () => {
    const { terminal, prompted, type } = createHarness('pipes');
    const over = prompted();
    await type('quit\n');
    await over;
    terminal.close();
    createTerminal().close();
    expect(terminal.isInteractive).toBe(false);
  });

  it('fails with the reader of its lines, and lets go of the input', async () => {
    const onLine = () => Promise.reject(new Error('of the taker'));
    const { prompted, type } = createHarness('pipes', { onLine });
    const failed = prompted().catch(String);
    await type('one\n');
    expect(await failed).toContain('of the taker');
  });
});

describe('Ctrl-C', () => {
  it('clears what is half typed, goes on while somebody has a use for it, and then ends the prompt', async () => {
    const onInterrupt = () => (told.interrupts < 3 ? 'again' : 'over');
    const { told, lines, prompted, type } = createHarness('terminal', { onInterrupt });
    const over = prompted();
    await type(`half${ctrlC}${ctrlC}${ctrlC}typed\r`);
    expect([told.interrupts, lines]).toEqual([2, ['typed']]);
    await type(ctrlC);
    await over;
    expect(told).toMatchObject({ interrupts: 3, ofOpener: 0 });
  });

  it('says no to a question, and ends nothing; what was half typed before it is there again', async () => {
    const { terminal, lines, prompted, type } = createHarness('terminal');
    const over = prompted();
    await type('half');
    const answer = terminal.question('run it? ', never);
    await type(`y${ctrlC}`);
    expect(await answer).toBeNull();
    await type(' typed\rquit\r');
    await over;
    expect(lines).toEqual(['half typed', 'quit']);
  });
});

describe('lines from behind', () => {
  it('touch nothing but their stream when there is no terminal', async () => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = createTerminal({ input, output, errors });
    const over = terminal.prompt(
      '> ',
      async () => 'over',
      () => 'over',
    );
    terminal.err('behind');
    terminal.out('result');
    input.end('x\n');
    await over;
    expect(String(errors.read())).toBe('behind\n');
    expect(String(output.read())).toBe('> result\n');
  });
});

describe('a question', () => {
  it('waits for the one before it, and the prompt is there again after the last answer', async () => {
    const { terminal, told, lines, prompted, type } = createHarness('terminal');
    const over = prompted();
    const answers = Promise.all(['first? ', 'second? '].map((text) => terminal.question(text, never)));
    await type('1');
    expect(told.written).not.toContain('second? ');
    await type('\r');
    await type('2\r');
    expect([await answers, lastRow(told.written)]).toEqual([['1', '2'], '> ']);
    await type('quit\r');
    await over;
    expect(lines).toEqual(['quit']);
  });

  it('comes in the middle of a line that is worked on', async () => {
    const answers: (string | null)[] = [];
    const onLine: OnLine = async () => {
      answers.push(await terminal.question('sure? ', never));
      return 'over';
    };
    const { terminal, prompted, type } = createHarness('terminal', { onLine });
    const over = prompted();
    await type('delete\r');
    await type('no\r');
    await over;
    expect(answers).toEqual(['no']);
  });

  it('is null when it is withdrawn, together with what was typed so far', async () => {
    const { terminal, lines, prompted, type } = createHarness('terminal');
    const over = prompted();
    const aborter = new AbortController();
    const answer = terminal.question('run it? ', aborter.signal);
    await type('ye');
    aborter.abort();
    expect(await answer).toBeNull();
    await type('quit\r');
    await over;
    expect(lines).toEqual(['quit']);
  });

  it('is null without a terminal, without a prompt, and when it is withdrawn already', async () => {
    const piped = createHarness('pipes').terminal;
    void piped.prompt(
      '> ',
      async () => 'again',
      () => 'over',
    );
    expect(await piped.question('?', never)).toBeNull();
    piped.close();
    expect(await createTerminal().question('?', never)).toBeNull();
    const { terminal } = createHarness('terminal');
    expect(await terminal.question('?', AbortSignal.abort())).toBeNull();
    terminal.close();
  });
});

describe('a meter', () => {
  const watched = (as: object = { isTTY: true, columns: 12 }) => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    Object.assign(errors, as);
    return {
      terminal: createTerminal({ input, output, errors }),
      written: () => String(errors.read() ?? ''),
    };
  };

  it('is the last line, shorter than it is wide, and the next one takes its place', () => {
    const { terminal, written } = watched();
    terminal.meter('one');
    terminal.meter('two and a bit more');
    expect(lastRow(written())).toBe('two and a b');
    terminal.meter(null);
    expect(lastRow(written())).toBe('');
  });

  it('stays below what is told meanwhile', () => {
    const { terminal, written } = watched();
    terminal.meter('one');
    terminal.err('told');
    const rows = written().split('\n');
    expect(rows.map(lastRow)).toEqual(['told', 'one']);
  });

  it('is nothing where nobody reads along', () => {
    const { terminal, written } = watched({});
    terminal.meter('one');
    terminal.meter(null);
    expect([terminal.isWatched, written()]).toEqual([false, '']);
  });

  it('makes room for a question, and does not come back while that is open', async () => {
    const { terminal, told, prompted, type } = createHarness('terminal');
    void prompted();
    terminal.meter('one');
    const answer = terminal.question('run it? ', never);
    terminal.meter('two');
    await type('y\r');
    expect(await answer).toBe('y');
    expect(told.written).toContain('run it? ');
    expect(told.written).not.toContain('two');
    terminal.close();
  });
});

it('the keyboard is read by one reader from the first question until it is closed', async () => {
  const { terminal, raw, prompted, type } = createHarness('terminal');
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
  const { terminal, lines, prompted, type } = createHarness('terminal');
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
  const { terminal, lines, prompted, type, told } = createHarness('terminal');
  const answer = terminal.question('one? ', never);
  await type('1\r');
  await answer;
  await type(`late\r${ctrlC}`);
  expect(told.ofOpener).toBe(1);
  const second = terminal.question('run it? ', never);
  await type('n\r');
  expect(await second).toBe('n');
  const over = prompted();
  await type('quit\r');
  await over;
  expect(lines).toEqual(['quit']);
  expect(told.written).not.toContain('late');
});

it('the keyboard gives what was pasted behind an answer to the next question that comes at once', async () => {
  const { terminal, lines, prompted, type } = createHarness('terminal');
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
  const { terminal, lines, prompted, endInput } = createHarness('terminal');
  const over = prompted();
  const answers = Promise.all([terminal.question('one? ', never), terminal.question('two? ', never)]);
  endInput();
  expect(await answers).toEqual([null, null]);
  await over;
  await prompted();
  expect(await terminal.question('three? ', never)).toBeNull();
  expect(lines).toEqual([]);
});

it('the keyboard is closed in front of a question that nobody has answered', async () => {
  const { terminal, raw } = createHarness('terminal');
  const answer = terminal.question('Token: ', never, { isSecret: true });
  terminal.close();
  expect(await answer).toBeNull();
  expect(await terminal.question('again? ', never)).toBeNull();
  expect(raw).toEqual([true, false]);
});
