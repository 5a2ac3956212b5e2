import {
  isCrossing,
  type Crossing,
  type CrossingLine,
  type Thrown,
  type Trace,
  type TraceLine,
} from '../../machines/trace/index.ts';

/** A line that crosses the boundary. */
export interface TapeLine extends TraceLine {
  readonly record: CrossingLine;
}
/** Crossing, recorded or replayed, with its time. */
export interface TapeMoment {
  readonly t: number;
  readonly crossing: Crossing;
}
/** One thing that the world did, with everything that was recorded up to the next one. */
export interface TapeStep {
  readonly line: TapeLine;
  /** Crossings that left the host or that its user heard. */
  readonly out: readonly TapeLine[];
  /** How long a busy machine took for what follows from it, in ms: timers that it sets begin as late as that. */
  readonly pauseMs: number;
}
/** Trace as a replay needs it: events of the world in order, and the recorded crossings of the host. */
export interface Tape {
  /** Facts where it begins, when that is not the start of its hosts. */
  readonly facts: Trace['facts'];
  readonly steps: readonly TapeStep[];
  /** When timers fired, by their names, and when those were cleared that were due and had not fired. */
  readonly fired: ReadonlyMap<string, number>;
  readonly late: ReadonlyMap<string, number>;
  /** Values by channel, in order. */
  readonly draws: ReadonlyMap<string, readonly unknown[]>;
  /** Errors that were thrown by who was told something: by channel and how many things it had been told. */
  readonly throws: ReadonlyMap<string, Thrown>;
  /** Channels of questions that were asked. */
  readonly asked: ReadonlySet<string>;
}

/** Method and target of a question, without its params; of a tool its name too. Undefined: it is no channel of a question. */
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
      // A busy machine may pause within one input: what follows from it happens with it.
      if (!step) continue;
      step.out.push({ ...line, t: step.line.t });
      step.pauseMs = line.t - step.line.t;
    }
  }
  return { facts, steps, fired, late, draws, throws, asked };
}
