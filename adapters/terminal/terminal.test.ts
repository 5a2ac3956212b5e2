import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal, type Terminal } from './terminal.ts';
import type { OnLine } from './typed-line.ts';

interface Harness {
  readonly terminal: Terminal;
  readonly lines: string[];
  readonly over: Promise<void>;
  type(text: string): void;
  endInput(): void;
  /** Resolves with all output since the last call, once it contains `text`. */
  shown(text: string): Promise<string>;
  interrupts: number;
}
/** Starts a prompt over streams that look like a terminal or like pipes. */
function createHarness(
  how: 'terminal' | 'pipes',
  onLine?: OnLine,
  onInterrupt?: () => 'over' | 'again',
): Harness {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  if (how === 'terminal')
    for (const stream of [input, output, errors]) Object.assign(stream, { isTTY: true });
  let written = '';
  let look = (): void => {};
  for (const stream of [output, errors])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      look();
    });
  const terminal = createTerminal({ input, output, errors });
  const lines: string[] = [];
  const take: OnLine = async (line) => {
    lines.push(line);
    return onLine ? onLine(line) : line === 'quit' ? 'over' : 'again';
  };
  const self: Harness = {
    terminal,
    lines,
    interrupts: 0,
    over: terminal.prompt('> ', take, () => {
      self.interrupts += 1;
      return onInterrupt ? onInterrupt() : 'over';
    }),
    type: (text) => void input.write(text),
    endInput: () => void input.end(),
    shown: (text) =>
      new Promise((resolve) => {
        look = () => {
          if (!written.includes(text)) return;
          look = () => {};
          resolve(written);
          written = '';
        };
        look();
      }),
  };
  return self;
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

describe('a prompt', () => {
  it.each(['terminal', 'pipes'] as const)(
    'hands on over %s each line once, in order, trimmed',
    async (how) => {
      const { lines, over, type } = createHarness(how);
      type('one\n  two  \n\n   \nthr');
      type('ee\nquit\nnever\n');
      await over;
      expect(lines).toEqual(['one', 'two', 'three', 'quit']);
    },
  );

  it('takes the next line only when the last one is done', async () => {
    const running: string[] = [];
    let most = 0;
    const { over, type, endInput } = createHarness('pipes', async (line) => {
      most = Math.max(most, running.push(line));
      await new Promise((resolve) => setImmediate(resolve));
      running.pop();
      return 'again';
    });
    type('one\ntwo\nthree\n');
    endInput();
    await over;
    expect(most).toBe(1);
  });

  it('ends with its input, when everything in it is worked off', async () => {
    const { lines, over, type, endInput } = createHarness('pipes');
    type('one\nwithout a line end');
    endInput();
    await over;
    expect(lines).toEqual(['one', 'without a line end']);
  });

  it('ends when it is closed, without waiting for the line that is worked on', async () => {
    let begun = (): void => {};
    const working = new Promise<void>((resolve) => (begun = resolve));
    const { terminal, lines, over, type } = createHarness('pipes', () => {
      begun();
      return new Promise(() => {});
    });
    type('for ever\nnever\n');
    await working;
    terminal.close();
    await over;
    expect(lines).toEqual(['for ever']);
  });

  it('can be closed before it began and after it ended', async () => {
    const { terminal, over, type } = createHarness('pipes');
    type('quit\n');
    await over;
    terminal.close();
    createTerminal().close();
    expect(terminal.isInteractive).toBe(false);
  });

  it('fails with the reader of its lines, and lets go of the input', async () => {
    const { over, type } = createHarness('pipes', () => Promise.reject(new Error('of the taker')));
    type('one\n');
    await expect(over).rejects.toThrow('of the taker');
  });
});

describe('Ctrl-C', () => {
  it('goes on when somebody has', async () => {
    const self = createHarness(
      'terminal',
      async (line) => {
        self.terminal.out(`took ${line}`);
        return 'again';
      },
      () => (self.interrupts < 3 ? 'again' : 'over'),
    );
    await self.shown('> ');
    self.type(`${ctrlC}${ctrlC}typed\r`);
    await self.shown('took typed');
    self.type(ctrlC);
    await self.over;
    expect(self).toMatchObject({ interrupts: 3, lines: ['typed'] });
  });

  it('says no to a question, and ends nothing; what was half typed before it is there again', async () => {
    const { terminal, lines, over, type } = createHarness('terminal');
    type('half');
    const answer = terminal.question('run it? ', new AbortController().signal);
    await Promise.resolve();
    type(`y${ctrlC}`);
    expect(await answer).toBeNull();
    type(' typed\rquit\r');
    await over;
    expect(lines).toEqual(['half typed', 'quit']);
  });

  it('clears what is half typed, and on an empty line ends the prompt when nobody has a use for it', async () => {
    const self = createHarness('terminal', async (line) => {
      self.terminal.out(`took ${line}`);
      return 'again';
    });
    self.type(`half${ctrlC}whole\r`);
    await self.shown('took whole');
    self.type(ctrlC);
    await expect(self.over).resolves.toBeUndefined();
    expect(self).toMatchObject({ interrupts: 1, lines: ['whole'] });
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
  const never = new AbortController().signal;

  it('is answered by the next line, which is no line of the prompt', async () => {
    const { terminal, lines, over, shown, type } = createHarness('terminal');
    await shown('> ');
    const answer = terminal.question('run it? [y/N] ', never);
    await shown('run it? [y/N] ');
    type('y\r');
    expect(await answer).toBe('y');
    expect(lastRow(await shown('> '))).toBe('> ');
    type('quit\r');
    await over;
    expect(lines).toEqual(['quit']);
  });

  it('comes in the middle of a line that is worked on', async () => {
    const answers: (string | null)[] = [];
    const { over, shown, type, terminal } = createHarness('terminal', async () => {
      answers.push(await terminal.question('sure? ', never));
      return 'over';
    });
    type('delete\r');
    await shown('sure? ');
    type('no\r');
    await over;
    expect(answers).toEqual(['no']);
  });

  it('is null when it is withdrawn, together with what was typed so far', async () => {
    const { terminal, lines, over, shown, type } = createHarness('terminal');
    await shown('> ');
    const aborter = new AbortController();
    const answer = terminal.question('run it? ', aborter.signal);
    await shown('run it? ');
    type('ye');
    await shown('e');
    aborter.abort();
    expect(await answer).toBeNull();
    type('quit\r');
    await over;
    expect(lines).toEqual(['quit']);
  });

  it('is null without a terminal, without a prompt, and when it is withdrawn already', async () => {
    const piped = createHarness('pipes');
    expect(await piped.terminal.question('?', never)).toBeNull();
    piped.endInput();
    await piped.over;
    expect(await createTerminal().question('?', never)).toBeNull();
    const { terminal, over } = createHarness('terminal');
    expect(await terminal.question('?', AbortSignal.abort())).toBeNull();
    terminal.close();
    await over;
  });

  it('waits for the one before it', async () => {
    const { terminal, over, shown, type } = createHarness('terminal');
    await shown('> ');
    const answers = Promise.all([terminal.question('first? ', never), terminal.question('second? ', never)]);
    await shown('first? ');
    type('1\r');
    await shown('second? ');
    type('2\r');
    expect(await answers).toEqual(['1', '2']);
    terminal.close();
    await over;
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
    const { terminal, over, shown, type } = createHarness('terminal');
    terminal.meter('one');
    const answer = terminal.question('run it? ', new AbortController().signal);
    await shown('run it? ');
    terminal.meter('two');
    type('y\r');
    expect(await answer).toBe('y');
    type('quit\r');
    await over;
    expect(await shown('quit')).not.toContain('two');
  });
});
