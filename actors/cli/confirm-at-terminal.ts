import type { Terminal } from '../../adapters/index.ts';
import type { Confirm } from '../api/computer-options.ts';
import type { ConfirmWord } from './host-options.ts';

/** `ask` needs a person at a terminal; without one every question is answered no. */
export function confirmBy(word: ConfirmWord, terminal: Terminal): Confirm {
  if (word !== 'ask') return word;
  if (!terminal.isInteractive) return 'deny';
  return async ({ agent, server, tool, arguments: given, signal }) => {
    const what = `${tool} of ${server}`;
    const who = agent === null ? 'this host' : `agent ${agent}`;
    terminal.err(`${who} wants to run ${what}: ${JSON.stringify(given)}`);
    const told = (): void => terminal.err(`${what}: ${(signal.reason as Error).message}`);
    signal.addEventListener('abort', told, { once: true });
    // Its name again: several may wait, and this says which one is open.
    const answer = await terminal.question(`run ${what}? [y/N/a = yes, and do not ask again] `, signal);
    if (answer === null) return 'deny';
    if (/^a(lways)?$/i.test(answer.trim())) return 'allowForSession';
    return /^y(es)?$/i.test(answer.trim()) ? 'allow' : 'deny';
  };
}
