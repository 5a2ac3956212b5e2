/**
 * Share of the slow suites that `npm test` runs, to stay within its three minutes. `.ci/run` tests the rest in the
 * `*.long.test.ts` files beside them, so each case is proven once. The choice follows from the order of the cases, so
 * every run tests the same ones.
 */
export type Part = 'few' | 'rest';
const everyNth = {
  /** A replay proves that the machines are deterministic; it costs as much as the play. */
  replays: 12,
  /**
   * A second play proves that the fakes are deterministic; they are the same for all scenarios, so the rest is not
   * run.
   */
  playsTwice: 24,
  mutants: 11,
};
/** Share that this run tests; a suite of the rest sets it before other modules are loaded. */
export const thoroughness: { part: Part } = { part: 'few' };

export const isFew = (what: keyof typeof everyNth, n: number): boolean => n % everyNth[what] === 0;
export const isIn = (part: Part, what: keyof typeof everyNth, n: number): boolean =>
  isFew(what, n) === (part === 'few');
