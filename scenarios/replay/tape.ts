import { isCrossing, type CrossingLine, type Trace, type TraceLine } from '../../machines/trace/reading.ts';
import type { Crossing } from '../../machines/trace/channels.ts';
import type { Thrown } from '../../machines/trace/record.ts';

export interface TapeLine extends TraceLine {
  readonly record: CrossingLine;
}
export interface TapeMoment {
  readonly t: number;
  readonly crossing: Crossing;
}
export interface TapeStep {
  readonly line: TapeLine;
  readonly out: readonly TapeLine[];
  /** The recording machine needed it for the consequences; timers set by them begin that much later. */
  readonly pauseMs: number;
}
export interface Tape {
  readonly facts: Trace['facts'];
  readonly steps: readonly TapeStep[];
  /** Times at which timers fired, by their names; `late` has the times at which overdue timers were cleared. */
  readonly fired: ReadonlyMap<string, number>;
  readonly late: ReadonlyMap<string, number>;
  readonly draws: ReadonlyMap<string, readonly unknown[]>;
  /** By channel and number of the event. */
  readonly throws: ReadonlyMap<string, Thrown>;
  readonly asked: ReadonlySet<string>;
}

/** Without parameters; undefined when the channel is not that of a question. */
export function questionIn(ch: string): string | undefined {
  const [, question] = /^(ask \S+ of \S+)/.exec(ch) ?? [];
  const tool = /"name":"((?:[^"\\]|\\.)*)"/.exec(ch)?.[1];
  return question?.startsWith('ask tools/call ') === true && tool !== undefined
    ? `${question} ${tool}`
    : question;
}
export const isTimer = ({ ch }: Pick<CrossingLine, 'ch'>): boolean => ch.startsWith('timer ');

export function tapeOf({ lines, facts }: Trace): Tape {
  const steps: { line: TapeLine; out: TapeLine[]; pauseMs: number }[] = [];
  const [fired, late] = [new Map<string, number>(), new Map<string, number>()];
  const draws = new Map<string, unknown[]>();
  const throws = new Map<string, Thrown>();
  const told = new Map<string, number>();
  const asked = new Set<string>();
  for (const each of lines) {
    const { record } = each;
    if (!isCrossing(record)) continue;
    const line = each as TapeLine;
    const { k, ch } = record;
    if (k === 'in') {
      if (isTimer(record) && record.ev?.type === 'late') {
        late.set(ch, each.t);
        continue;
      }
      if (isTimer(record)) fired.set(ch, each.t);
      steps.push({ line, out: [], pauseMs: 0 });
    } else if (k === 'draw') {
      if (record.threw) throws.set(`${ch} ${told.get(ch) ?? 0}`, record.threw);
      else draws.set(ch, [...(draws.get(ch) ?? []), record.v]);
    } else {
      told.set(ch, (told.get(ch) ?? 0) + 1);
      const step = steps.at(-1);
      // Moves consequences to the time of their input, because a busy machine may pause within one input.
      if (!step) continue;
      step.out.push({ ...line, t: step.line.t });
      step.pauseMs = line.t - step.line.t;
    }
  }
  return { facts, steps, fired, late, draws, throws, asked };
}
