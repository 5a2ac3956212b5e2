/**
 * What `npm test` does of suites that would take its three minutes for themselves. The rest is done by `.ci/run`, in
 * the `*.long.test.ts` beside them: everything is proven there, and nothing twice. Which are the few follows from
 * where they stand, so that the same are tried in every run.
 */
export type Part = 'few' | 'rest';
const everyNth = {
  /** A replay proves that the machines do the same once more; it costs as much as the play. */
  replays: 12,
  /** A second play proves that the fakes do, too, which are the same few for all: of these there is no rest. */
  playsTwice: 24,
  mutants: 11,
};
/** Whoever proves the rest sets it before anything else is loaded. */
export const thoroughness: { part: Part } = { part: 'few' };

export const isFew = (what: keyof typeof everyNth, n: number): boolean => n % everyNth[what] === 0;
export const isIn = (part: Part, what: keyof typeof everyNth, n: number): boolean =>
  isFew(what, n) === (part === 'few');
