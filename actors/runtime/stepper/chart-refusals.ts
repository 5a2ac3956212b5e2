import type { AnyStateMachine } from 'xstate';
import { nodesOf } from '../charts.ts';

/** Refuses a chart that uses what would step in another way than in XState. */
export function refuseUnknown(machine: AnyStateMachine): void {
  if (machine.options.maxIterations !== Infinity)
    throw new Error(`The stepper does not know 'maxIterations' in '${machine.id}'`);
  for (const node of nodesOf(machine.root)) {
    const descriptors = [...node.transitions.keys()] as string[];
    const wrong = [
      ...(node.type === 'history' ? ['a history state'] : []),
      ...descriptors.filter((each) => each.includes('*')).map((each) => `the wildcard '${each}'`),
      ...(descriptors.includes('xstate.route') ? ['a route'] : []),
    ];
    if (wrong.length > 0) throw new Error(`The stepper does not know ${wrong.join(' and ')} in '${node.id}'`);
  }
}
