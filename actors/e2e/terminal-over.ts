import { PassThrough, Writable } from 'node:stream';
import { createTerminal } from '../../adapters/terminal/terminal.ts';

interface How {
  /** A person is at it; otherwise it is pipes, so that our own code moves no cursor. */
  readonly isTerminal?: boolean;
  readonly onText?: (text: string) => void;
}
/** A terminal over streams that a test writes to, and what it was told: on stdout, on stderr, and in all. */
export function terminalOver({ isTerminal = false, onText = () => {} }: How = {}) {
  const told = { out: '', err: '', all: '' };
  const stream = (to: 'out' | 'err'): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        told[to] += text;
        told.all += text;
        onText(text);
        done();
      },
    });
  const [input, output, errors] = [new PassThrough(), stream('out'), stream('err')];
  if (isTerminal) for (const each of [input, output]) Object.assign(each, { isTTY: true });
  return { input, told, terminal: createTerminal({ input, output, errors }) };
}
