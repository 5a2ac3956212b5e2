import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { run } from '../cli/run.ts';
import type { Fact } from '../../machines/facts.ts';
import { readFact } from '../../scenarios/fixtures/read-fact.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { terminalOver } from './terminal-over.ts';

/**
 * Test form of `a2c up`, run in this process with streams in place of a terminal. Its input ends with the test, which fails
 * where the command fails then.
 */
export interface AtPrompt {
  write(text: string): void;
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
  const file = join(testFolder('prompt'), 'a2c.json');
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
  const context = { terminal, signal: new AbortController().signal };
  const ended = run(['up', '-c', file, '--name', 'c1', '--port', '0'], context);
  onTestFinished(async () => {
    input.end();
    expect(await ended).toBe(0);
  });
  return {
    write: (text) => void input.write(text),
    until,
    facts: () => told.all.split('\n').flatMap((line) => readFact(line.replace(/^(a2c> )*/, '')) ?? []),
    ask: (line) => {
      input.write(`${line}\n`);
      return until(/a2c> $/);
    },
    ended,
  };
}
