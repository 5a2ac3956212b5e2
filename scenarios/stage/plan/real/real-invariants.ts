import { judge } from '../../../invariants/index.ts';
import { boundsOf } from '../../../invariants/lateness.ts';
import type { RealWorld } from './real-world.ts';

/** What holds after every real play, whatever went wrong in it: the invariants, and that nothing is left of it. */
export function brokenReally({ runtime, seen, blunders, left }: RealWorld): string[] {
  const wrong = judge(seen, true, { bounds: boundsOf(seen) }).map(
    ({ invariant, what }) => `${invariant}: ${what}`,
  );
  if (runtime.ledger.size > 0) wrong.push(`${runtime.ledger.size} processes are in the ledger`);
  for (const pid of left) wrong.push(`a process of group ${pid} is left`);
  return [...wrong, ...runtime.directory.audit(), ...blunders.map(String)];
}
