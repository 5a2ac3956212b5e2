import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

/** Text of the last row on the screen, after all erasures. */
const lastRow = (written: string): string =>
  written.slice(written.lastIndexOf('\u001B[K') + 1).replace('[K', '');

describe('a meter', () => {
  const watched = () => {
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    Object.assign(errors, { isTTY: true, columns: 12 });
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
    const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = createTerminal({ input, output, errors });
    terminal.meter('one');
    terminal.meter(null);
    expect([terminal.isWatched, errors.read()]).toEqual([false, null]);
  });

  it('makes room for a question, and does not come back while that is open', async () => {
    const [input, screen] = [new PassThrough(), new PassThrough()];
    for (const stream of [input, screen]) Object.assign(stream, { isTTY: true });
    let written = '';
    screen.setEncoding('utf8').on('data', (text: string) => (written += text));
    const terminal = createTerminal({ input, output: screen, errors: screen });
    const over = terminal.prompt(
      '> ',
      async () => 'over',
      () => 'over',
    );
    terminal.meter('one');
    const answer = terminal.question('run it? ', new AbortController().signal);
    await new Promise((resolve) => setImmediate(resolve));
    terminal.meter('two');
    expect(written).toContain('run it? ');
    expect(written).not.toContain('two');
    input.write('y\r');
    expect(await answer).toBe('y');
    input.write('quit\r');
    await over;
  });
});
