import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from './stage.ts';

/** `absent`: the host has no such thing, such as a time-out for a call. */
export type Word = 'right' | 'partly' | 'wrong' | 'absent';
export interface Verdict {
  readonly verdict: Word;
  /** Observations, in words for people. */
  readonly facts: string;
}
export interface Case {
  /** The rule by which it is judged: what is right, then what is partly so. */
  readonly rule: string;
  /** Words of a driver's `can` without which there is nothing to judge. */
  readonly needs?: readonly string[];
  /** Ends the host itself. */
  readonly endsHost?: boolean;
  play(stage: Stage): Promise<Verdict>;
}
export type Cases = Readonly<Record<string, Case>>;

/** Commands: a driver (README.md), and the fault server. */
export interface Players {
  readonly driver: readonly string[];
  readonly faultServer: readonly string[];
}
/** Over this a case is wrong: each wait in it has its own limit. */
const caseMs = 280_000;

/** Plays one case to a host of its own. */
export async function judge({ driver, faultServer }: Players, one: Case): Promise<Verdict> {
  const stage = new Stage(driver, faultServer);
  try {
    await stage.host.opened();
    const lacking = (one.needs ?? []).filter((need) => !stage.host.can(need));
    if (lacking.length > 0) return { verdict: 'absent', facts: `it has no ${lacking.join(', ')}` };
    const late = sleep(caseMs, undefined, { ref: false }).then((): Verdict => ({
      verdict: 'wrong',
      facts: `not over within ${caseMs} ms`,
    }));
    const seen = await Promise.race([one.play(stage), late]);
    const { ended } = stage.host;
    return ended === undefined || one.endsHost === true
      ? seen
      : { verdict: 'wrong', facts: `${seen.facts}; THE HOST ENDED: ${ended}` };
  } finally {
    stage.close();
  }
}
