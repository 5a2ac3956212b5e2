import { describe, expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { judge } from './judge.ts';
import { playersWith, root } from './hosts.ts';

const all = Object.entries(cases).map(([name, one]) => ({ name, ...one }));

it('the judge has 46 cases', () => expect(all).toHaveLength(46));

describe.concurrent('a host of createComputer', () => {
  it.concurrent.each(all)('is right in a case: $name: $rule', async (one) => {
    const { verdict, facts } = await judge(playersWith('create-computer.mjs', root), one);
    expect({ verdict, facts }).toEqual({ verdict: 'right', facts });
  });
});
