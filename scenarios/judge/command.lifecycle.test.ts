import { describe, expect, it } from 'vitest';
import { processes } from './cases/processes.ts';
import { calls } from './cases/calls.ts';
import { judge } from './judge.ts';
import { playersWith, root } from './hosts.ts';

/** `a2c up` waits for slow servers on purpose, and its calls end as those of the API. */
const { initNever: _, stderrFlood: __, ...ends } = processes;
const all = Object.entries({ ...ends, ...calls })
  .filter(([name]) => name in ends || ['exitMidCall', 'stdoutClosed', 'isError'].includes(name))
  .map(([name, one]) => ({ name, one }));

describe.concurrent('the command a2c up', () => {
  it.concurrent.each(all)('is right in a case: $name', async ({ one }) => {
    const { verdict, facts } = await judge(playersWith('command.mjs', root), one);
    expect({ verdict, facts }).toEqual({ verdict: 'right', facts });
  });
});
