import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from './shared.ts';

export interface ReplayOptions {
  readonly level: string;
  /** The number of an input. */
  readonly until?: number;
  readonly inputs: boolean;
  /** A file for the results as JUnit XML. */
  readonly junit?: string;
  readonly json: boolean;
}
export interface ForkOptions {
  readonly at?: number;
  readonly set: readonly string[];
  readonly inject: readonly string[];
  readonly skip: readonly number[];
  /** The file of the new trace. */
  readonly out?: string;
  readonly json: boolean;
}
/** Commands that live with the scenarios, and are loaded when they are asked for (main.ts). */
export interface Laboratory {
  replayTraces(context: Context, paths: readonly string[], options: ReplayOptions): Promise<number>;
  forkTrace(context: Context, file: string, options: ForkOptions): Promise<number>;
}

const countOf = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('the number of a record: its "s"');
};
const collected = (text: string, all: readonly string[]): string[] => [...all, text];
const replayHelp = `
exit codes: 0 the same · 1 diverged · 2 a law is broken · 3 something never came, or never ended ·
4 not deterministic · 5 the trace is unusable · 64 wrong usage. For several files: the highest.`;
const laboratoryOf = ({ laboratory }: Context): Promise<Laboratory> =>
  laboratory ? laboratory() : Promise.reject(new Error('replay and fork belong to the command a2c'));

type Does = (
  action: (context: Context, ...args: never[]) => Promise<number>,
) => (...args: unknown[]) => Promise<void>;

/** `a2c replay` and `a2c fork`. */
export function addLaboratory(program: Command, does: Does): void {
  program
    .command('replay')
    .description('lets everything that a trace recorded happen again on today’s machines, and compares')
    .argument('<path...>', 'traces, or folders of them')
    .option('--level <level>', 'effects (survives refactoring), steps or strict', 'effects')
    .option('--until <seq>', 'stop after this input and show where every machine stands', countOf)
    .option('--inputs', 'also list what the world did, each with its number', false)
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--json', 'one JSON document on stdout', false)
    .addHelpText('after', replayHelp)
    .action(
      does(async (c: Context, paths: string[], options: ReplayOptions) =>
        (await laboratoryOf(c)).replayTraces(c, paths, options),
      ),
    );
  program
    .command('fork')
    .description('what would have happened: a trace with a change in it, as a new trace')
    .argument('<file>', 'a trace')
    .option('--at <seq>', 'the input from which on it is another world', countOf)
    .option('--set <key=value>', 'another value in that input, such as ev.code=1', collected, [])
    .option('--inject <json>', 'an input just before it', collected, [])
    .option(
      '--skip <seq>',
      'an input that does not happen',
      (text, all: number[]) => [...all, countOf(text)],
      [],
    )
    .option('--out <file>', 'the new trace (default: beside the old one)')
    .option('--json', 'one JSON document on stdout', false)
    .action(
      does(async (c: Context, file: string, options: ForkOptions) =>
        (await laboratoryOf(c)).forkTrace(c, file, options),
      ),
    );
}
