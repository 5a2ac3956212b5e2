import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature, Hello } from './protocol.ts';
import { isWindows } from './processes.ts';
import { Stage } from './stage.ts';

/** `absent`: the host has no such feature, such as a time-out for a call. */
export type Word = 'right' | 'partly' | 'wrong' | 'absent';
export interface Verdict {
  readonly verdict: Word;
  /** Observations of the case in words for people. */
  readonly facts: string;
}
export interface Case {
  readonly rule: string;
  /** `PAGE#SECTION` of MCP; null where it is silent and the rule is what a user of a host would wish. */
  readonly spec: string | null;
  /** From a driver's `can`; without them the verdict is `absent`. */
  readonly needs?: readonly Feature[];
  readonly endsHost?: boolean;
  /** Windows does not have the signal: the verdict is `absent` there. */
  readonly needsSignals?: boolean;
  play(stage: Stage): Promise<Verdict>;
}
export type Cases = Readonly<Record<string, Case>>;

export interface Players {
  readonly driver: readonly string[];
  readonly faultServer: readonly string[];
  /** When it ends the judging, whatever was started is ended, too. */
  readonly signal?: AbortSignal;
}
/** Over it a case is wrong; each wait in a case has its own limit. */
const caseMs = 280_000;

/** Ends all that `use` started before it returns or rejects, also when the signal is aborted. */
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

export const helloOf = (players: Players): Promise<Hello> => onStage(players, (stage) => stage.host.opened());

/** Rejects with a `DriverError` when the driver is at fault. */
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

/** Two of at most three runs agree on it; `unsure` when no two do. */
export interface Cell {
  readonly verdict: Word | 'unsure';
  readonly runs: readonly Verdict[];
}
export async function settle(players: Players, one: Case): Promise<Cell> {
  const runs = [await judge(players, one)];
  // A feature is not there in any run.
  if (runs[0]?.verdict === 'absent') return { verdict: 'absent', runs };
  runs.push(await judge(players, one));
  if (runs[0]?.verdict !== runs[1]?.verdict) runs.push(await judge(players, one));
  const words = runs.map(({ verdict }) => verdict);
  return { verdict: words.find((word, n) => words.indexOf(word) !== n) ?? 'unsure', runs };
}
