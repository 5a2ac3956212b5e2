import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../cli/run.ts';
import type { Fact } from '../../machines/facts.ts';
import { readFact } from '../../scenarios/fixtures/read-fact.ts';
import { terminalOver } from './terminal-over.ts';

/** Test form of `a2c up`, run in this process with streams in place of a terminal. */
export interface AtPrompt {
  write(text: string): void;
  end(): void;
  /** Matches the output since the last call, and returns it. */
  until(pattern: RegExp): Promise<string>;
  ask(line: string): Promise<string>;
  /** Facts in all output so far; stdout is no terminal then. */
  facts(): readonly Fact[];
  readonly ended: Promise<number>;
}
interface How {
  readonly isTerminal?: boolean;
  readonly isRead?: boolean;
}
export const seated = /(?=[^]*a2c> )(?=[^]*office joined)/;
const withoutFacts = (text: string): string =>
  text.replaceAll(/(?<=a2c> )\n@a2c [^\n]*\n/g, '').replaceAll(/^@a2c [^\n]*\n/gm, '');

export function atPrompt(config: object, { isTerminal = false, isRead = false }: How = {}): AtPrompt {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-prompt-'));
  const file = join(folder, 'a2c.json');
  writeFileSync(file, JSON.stringify(config));
  let shown = '';
  let look = (): void => {};
  const onText = (text: string): void => {
    shown = isRead ? withoutFacts(shown + text) : shown + text;
    look();
  };
  const { input, told, terminal } = terminalOver({ isTerminal, onText });
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        if (!pattern.test(shown)) return;
        look = () => {};
        resolve(shown);
        shown = '';
      };
      look();
    });
  const ended = run(['up', '-c', file, '--name', 'c1', '--port', '0'], {
    terminal,
    signal: new AbortController().signal,
  }).finally(() => rmSync(folder, { recursive: true }));
  return {
    write: (text) => void input.write(text),
    end: () => void input.end(),
    until,
    facts: () => told.all.split('\n').flatMap((line) => readFact(line.replace(/^(a2c> )*/, '')) ?? []),
    ask: (line) => {
      input.write(`${line}\n`);
      return until(/a2c> $/);
    },
    ended,
  };
}
