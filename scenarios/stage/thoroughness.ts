/** `npm test` runs a `few`, `.ci/run` `some` more (`*.alone.test.ts`), `.ci/full` the `rest`; always the same. */
export type Part = 'few' | 'some' | 'rest';
const everyNth = {
  /** A replay proves that the machines are deterministic; it costs four times the play. */
  replays: Infinity,
  /** It proves that the fakes are deterministic, so `.ci/run` plays some again and nobody the rest. */
  playsTwice: 24,
  /** Real plays take processes and seconds: `npm test` has none. */
  realPlays: Infinity,
};
/** Every nth of these kinds, and all of the other kinds. */
const everyNthInRun: Partial<Record<keyof typeof everyNth, number>> = { replays: 6, realPlays: 6 };
/** `some-only.ts` and `rest-only.ts` set it before other modules are loaded. */
export const thoroughness: { part: Part } = { part: 'few' };

export const isFew = (what: keyof typeof everyNth, n: number): boolean =>
  Number.isFinite(everyNth[what]) && n % everyNth[what] === 0;
export function isIn(part: Part, what: keyof typeof everyNth, n: number): boolean {
  const isInRun = n % (everyNthInRun[what] ?? 1) === 0;
  return part === (isFew(what, n) ? 'few' : isInRun ? 'some' : 'rest');
}
