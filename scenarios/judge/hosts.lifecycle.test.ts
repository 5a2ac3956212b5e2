import { describe, expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { processes } from './cases/processes.ts';
import { judge } from './judge.ts';
import { playersWith, root } from './hosts.ts';

const all = Object.entries(cases).map(([name, one]) => ({ name, ...one }));
/** `a2c up` waits for slow servers on purpose, and its calls end as those of the API. */
const ofCommand = all.filter(({ name }) =>
  name in processes
    ? !['initNever', 'stderrFlood'].includes(name)
    : ['exitMidCall', 'stdoutClosed', 'isError'].includes(name),
);

it('the judge has 46 cases', () => expect(all).toHaveLength(46));

describe.concurrent.each([
  ['a host of createComputer', 'create-computer.mjs', all],
  ['the command a2c up', 'command.mjs', ofCommand],
] as const)('%s', (_, driver, ones) => {
  it.concurrent.each(ones)('is right in a case: $name: $rule', async (one) => {
    const { verdict, facts } = await judge(playersWith(driver, root), one);
    expect({ verdict, facts }).toEqual({ verdict: 'right', facts });
  });
});
