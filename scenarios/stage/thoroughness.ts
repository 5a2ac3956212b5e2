/**
 * Share of the slow suites that `npm test` runs (`few`), to stay within a minute or two. `.ci/run` tests `some` more in
 * `*.alone.test.ts`, and `.ci/full` the `rest` in `*.full.test.ts`, so each case is proven once. The choice follows
 * from the order of the cases, so every run tests the same ones.
 */
export type Part = 'few' | 'some' | 'rest';
const everyNth = {
  /** A replay proves that the machines are deterministic; it costs four times the play. */
  replays: Infinity,
  /**
   * A second play proves that the fakes are deterministic; they are the same for all scenarios, so `.ci/run` plays some and
   * nobody the rest.
   */
  playsTwice: 24,
  /** Real plays take processes and seconds: `npm test` has none. */
  realPlays: Infinity,
};
/** Share of the cases that `.ci/run` tests: every nth of these kinds, and all of the other kinds. */
const everyNthInRun: Partial<Record<keyof typeof everyNth, number>> = { replays: 6, realPlays: 6 };
/** Share that this run tests; `some-only.ts` and `rest-only.ts` set it before other modules are loaded. */
export const thoroughness: { part: Part } = { part: 'few' };

export const isFew = (what: keyof typeof everyNth, n: number): boolean =>
  Number.isFinite(everyNth[what]) && n % everyNth[what] === 0;
export function isIn(part: Part, what: keyof typeof everyNth, n: number): boolean {
  const isInRun = n % (everyNthInRun[what] ?? 1) === 0;
  return part === (isFew(what, n) ? 'few' : isInRun ? 'some' : 'rest');
}
