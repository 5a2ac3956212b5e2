import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Features from a driver's `can` that the case needs; without them the verdict is `absent`. */
  readonly needs?: readonly string[];
  /** Tells whether the case ends the host itself. */
  readonly endsHost?: boolean;
  play(stage: Stage): Promise<Verdict>;
}
export type Cases = Readonly<Record<string, Case>>;

/** Commands of a driver (README.md) and of the fault server. */
export interface Players {
  readonly driver: readonly string[];
  readonly faultServer: readonly string[];
}
/** Time limit of a case in ms, over which it is wrong; each wait in a case has its own limit. */
const caseMs = 280_000;

/** Plays one case with a host of its own. */
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
