import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

describe('colour', () => {
  const written = (hasColors: boolean): string => {
    const errors = Object.assign(new PassThrough(), { isTTY: true, hasColors: () => hasColors });
    const terminal = createTerminal({ input: new PassThrough(), output: new PassThrough(), errors });
    terminal.err('error: no such file\u001B[31m');
    return String(errors.read());
  };
  it('is on the word that says how bad it is, and what a server colours is shown as text', () => {
    expect(written(true)).toBe('\u001B[31merror:\u001B[39m no such file\\u001b[31m\n');
  });
  it('is absent where the terminal or NO_COLOR has none', () => {
    expect(written(false)).toBe('error: no such file\\u001b[31m\n');
  });
});
