import { describe, expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { judge, type Word } from './judge.ts';
import { playersWith, root } from './hosts.ts';

/** This host lacks what the bare SDK client lacks: a judge that finds nothing wrong proves nothing. */
const expected: readonly (readonly [name: string, verdict: Word])[] = [
  ['clean', 'right'],
  ['wrapped', 'wrong'],
  ['grandchild', 'partly'],
  ['hostKilledDeaf', 'wrong'],
  ['exitMidCall', 'partly'],
  ['cancel', 'right'],
  ['pages', 'wrong'],
  ['huge', 'wrong'],
  ['sessionGone', 'wrong'],
];

describe.concurrent('the judge of a bare client of the SDK', () => {
  it.concurrent.each(expected)('says of %s: %s', async (name, verdict) => {
    const one = cases[name];
    if (!one) throw new Error(`there is no case ${name}`);
    const seen = await judge(playersWith('sdk1.mjs', root), one);
    expect(seen).toEqual({ verdict, facts: seen.facts });
  });
});
