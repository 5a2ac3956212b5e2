import { canonical } from '../../../machines/trace/canonical.ts';
import type { Expectation, Row } from './plan.ts';
import type { Played } from './play.ts';
import { emptyContent, hasWordsOf, isSameFailure, type Seen } from './seen.ts';
import { resultDifferences, valueAt, type Apart, type Path } from './shape.ts';

/**
 * Verdict about an answer, or about a server. `red`: the recorded failure comes again. `other`: it fails in another way, or
 * another answer differs. `unsure`: what was recorded cannot be asked. `green`: everything is answered as it should be.
 */
export type VerifyVerdict = 'red' | 'other' | 'unsure' | 'green';
const order: readonly VerifyVerdict[] = ['red', 'other', 'unsure', 'green'];

export interface Rules {
  /** Compares values; otherwise types and keys. */
  readonly exact: boolean;
  readonly ignore: readonly Path[];
}
export interface Judged {
  readonly verdict: VerifyVerdict;
  readonly differences: readonly string[];
}
const verdict = (of: VerifyVerdict, ...differences: readonly string[]): Judged => ({
  verdict: of,
  differences,
});

const placeText = (path: Path): string => path.join('.') || 'it';
const isIgnored = (path: Path, rules: readonly Path[]): boolean =>
  rules.some((rule) => rule.every((key, n) => key === '*' || path[n] === '*' || key === path[n]));
const isMet = (now: unknown, wanted: unknown): boolean =>
  canonical(now ?? null) === canonical(wanted) ||
  (typeof wanted === 'string' &&
    (typeof now === 'number' || typeof now === 'boolean') &&
    String(now) === wanted);
const unmet = ({ value }: Seen, expected: readonly Expectation[]): readonly string[] =>
  expected.flatMap(({ path, value: wanted }) => {
    const now = valueAt(value, path);
    const shown = now === undefined ? 'missing' : canonical(now).slice(0, 200);
    return isMet(now, wanted)
      ? []
      : [`${placeText(path)} is ${shown}, expected ${canonical(wanted).slice(0, 200)}`];
  });
/** A recorded answer that does not meet them is a failure, and an error that does is none. */
export function expectedRow(of: Row, expected: readonly Expectation[]): Row {
  const row = { ...of, expected };
  const { was } = row;
  const faults = unmet(was, expected);
  if (faults.length === 0 && was.value) return { ...row, isFailure: false };
  if (was.kind !== 'good' && was.kind !== 'error') return row;
  return { ...row, isFailure: true, was: { ...was, kind: 'value', text: faults.join('; ') } };
}
const isAboutErrors = ({ path: [root, key] }: Expectation): boolean =>
  root === 'error' || (root === 'result' && key === 'isError');

/** Without a fault `red` and `other` say whether the recorded one had it, too. */
function judgeExpected(row: Row, now: Seen, expected: readonly Expectation[]): Judged | undefined {
  const faults = unmet(now, expected);
  const isWanted = now.kind === 'good' || (now.kind === 'error' && expected.some(isAboutErrors));
  if (faults.length === 0 && isWanted) return now.kind === 'error' ? verdict('green') : undefined;
  const isAgain = row.was.kind === 'value' && canonical(unmet(row.was, expected)) === canonical(faults);
  return verdict(isAgain ? 'red' : 'other', ...(isWanted ? faults : []));
}
function differencesOf(row: Row, now: Seen, rules: Rules): readonly string[] {
  const { method, was, list } = row;
  const root = (value: Seen['value']): unknown => value?.['result'];
  const recorded = list ?? root(was.value);
  const skipped = [...rules.ignore, ...(row.expected ?? []).map(({ path }) => path)];
  const found: readonly Apart[] = resultDifferences(method, recorded, root(now.value), rules.exact);
  return found
    .map(({ path, text }): Apart => ({ path: ['result', ...path], text }))
    .filter(({ path }) => !isIgnored(path, skipped))
    .map(({ path, text }) => `${placeText(path)} ${text}`);
}

export function judge({ row, now, missed }: Played, rules: Rules): Judged {
  const { was, isFailure, asked, expected } = row;
  const fails = (of: VerifyVerdict): Judged =>
    asked !== undefined && of === 'other'
      ? verdict('unsure', `the server asked its host (${asked}), which is not answered here`)
      : verdict(of, ...(now.kind === was.kind && isFailure && of === 'red' ? [] : [`was: ${was.text}`]));
  if (now.kind === 'unasked') return verdict('unsure');
  if (isFailure && isSameFailure(was, now) && !expected) return fails('red');
  if (now.isForeign) return verdict('unsure');
  const told = expected && judgeExpected(row, now, expected);
  if (told) return told;
  if (now.kind !== 'good') {
    if (was.kind === 'error' && isSameFailure(was, now)) return verdict('green');
    if (was.kind === 'open' && now.kind === 'timeOut')
      return verdict('unsure', `was: ${was.text}; --record ${row.s} if that is the failure`);
    return fails('other');
  }
  if (isFailure && missed !== undefined)
    return verdict('unsure', `record ${missed}, which ran at the same time, is answered sooner now`);
  const empty = emptyContent(now);
  if (!expected && empty && !emptyContent(was)) {
    const [key, value] = empty;
    const text = `it is empty; if that is right: --expect ${row.s}:result.${key}:=${canonical(value)}`;
    return verdict(isFailure ? 'unsure' : 'other', text);
  }
  if (isFailure && hasWordsOf(was, now))
    return verdict('other', 'the same error, which is not marked as one');
  // Has nothing to compare with where no good answer is recorded, unless it is a list from before.
  const isComparable = was.kind === 'good' || was.kind === 'value' || row.list !== undefined;
  const differences = isComparable ? differencesOf(row, now, rules) : [];
  return verdict(differences.length > 0 ? 'other' : 'green', ...differences);
}
export const worst = (verdicts: readonly VerifyVerdict[]): VerifyVerdict =>
  order.find((each) => verdicts.includes(each)) ?? 'green';
