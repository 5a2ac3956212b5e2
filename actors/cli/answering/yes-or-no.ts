import type { Terminal } from '../../../adapters/index.ts';

/** Asks until the answer is yes, no or nothing, which is `preset`. Null: nobody answers, or not any more. */
export async function yesOrNo(
  terminal: Terminal,
  text: string,
  signal: AbortSignal,
  preset: boolean,
): Promise<boolean | null> {
  for (;;) {
    const answer = await terminal.question(`${text} ${preset ? '[Y/n]' : '[y/N]'} `, signal);
    if (answer === null) return null;
    const word = answer.trim();
    if (word === '') return preset;
    if (/^y(es)?$/i.test(word)) return true;
    if (/^no?$/i.test(word)) return false;
    terminal.err(`'${word}' is neither yes nor no`);
  }
}
