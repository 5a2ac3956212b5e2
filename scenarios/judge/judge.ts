import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature, Hello } from './protocol.ts';
import { isWindows } from './processes.ts';
import { Stage } from './stage.ts';

/** Verdict in one word; `absent` means that the host has no such feature, such as a time-out for a call. */
export type Word = 'right' | 'partly' | 'wrong' | 'absent';
export interface Verdict {
  readonly verdict: Word;
  /** Observations of the case in words for people. */
  readonly facts: string;
}
export interface Case {
  /** Rule of the case: when a host is right, then when it is partly right. */
  readonly rule: string;
  /**
   * Part of the MCP specification on which the rule rests, as `PAGE#SECTION`; null where the specification is silent and
   * the rule is what a user of a host would wish.
   */
  readonly spec: string | null;
  /** Features from a driver's `can` that the case needs; without them the verdict is `absent`. */
  readonly needs?: readonly Feature[];
  /** Tells whether the case ends the host itself. */
  readonly endsHost?: boolean;
  /** Tells whether the case sends a signal that Windows does not have; the verdict is `absent` there. */
  readonly needsSignals?: boolean;
  play(stage: Stage): Promise<Verdict>;
}
export type Cases = Readonly<Record<string, Case>>;

/** Commands of a driver (docs/judge.md) and of the fault server. */
export interface Players {
  readonly driver: readonly string[];
  readonly faultServer: readonly string[];
  /** Signal that ends the judging; whatever was started is ended, too. */
  readonly signal?: AbortSignal;
}
/** Time limit of a case in ms, over which it is wrong; each wait in a case has its own limit. */
const caseMs = 280_000;

/** Calls `use` with a stage; ends all that it started before it returns or rejects, also when the signal is aborted. */
async function onStage<T>(
  { driver, faultServer, signal }: Players,
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const stage = new Stage(driver, faultServer);
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([use(stage), stopped]);
  } finally {
    signal?.removeEventListener('abort', stop);
    await stage.close();
  }
}

/** Starts a driver once, and returns its hello. */
export const helloOf = (players: Players): Promise<Hello> => onStage(players, (stage) => stage.host.opened());

/** Plays one case with a host of its own. Rejects with a `DriverError` when the driver is at fault. */
export const judge = (players: Players, one: Case): Promise<Verdict> =>
  onStage(players, async (stage) => {
    await stage.host.opened();
    if (one.needsSignals && isWindows) return { verdict: 'absent', facts: 'Windows has no such signal' };
    const lacking = (one.needs ?? []).filter((need) => !stage.host.can(need));
    if (lacking.length > 0) return { verdict: 'absent', facts: `it has no ${lacking.join(', ')}` };
    const late = sleep(caseMs, undefined, { ref: false }).then((): Verdict => ({
      verdict: 'wrong',
      facts: `not over within ${caseMs / 1_000} s`,
    }));
    const seen = await Promise.race([one.play(stage), late]);
    const { ended, mistake } = stage.host;
    if (mistake) throw mistake;
    return ended === undefined || one.endsHost === true
      ? seen
      : { verdict: 'wrong', facts: `${seen.facts}; THE HOST ENDED: ${ended}` };
  });

/** Verdict on which two of at most three runs agree; `unsure` when no two do. */
export interface Cell {
  readonly verdict: Word | 'unsure';
  /** Runs in their order, with the observations of each. */
  readonly runs: readonly Verdict[];
}
/** Plays one case twice, and once more when the two disagree. */
export async function settle(players: Players, one: Case): Promise<Cell> {
  const runs = [await judge(players, one)];
  // A feature is not there in any run.
  if (runs[0]?.verdict === 'absent') return { verdict: 'absent', runs };
  runs.push(await judge(players, one));
  if (runs[0]?.verdict !== runs[1]?.verdict) runs.push(await judge(players, one));
  const words = runs.map(({ verdict }) => verdict);
  return { verdict: words.find((word, n) => words.indexOf(word) !== n) ?? 'unsure', runs };
}
