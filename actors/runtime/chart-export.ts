import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Chart, ChartNode, ChartTransition } from '../../machines/inspection/index.ts';
import { chartText, declared, eventName, guardName, idOf, nodesOf, pathOf } from './charts.ts';

const named = (actions: readonly unknown[]): string[] => actions.map(guardName);

const nodeOf = (node: AnyStateNode): ChartNode => ({
  path: pathOf(node),
  type: node.type,
  tags: [...node.tags],
  initial: node.initial.target.map(pathOf),
  entry: named(node.entry),
  exit: named(node.exit),
  invoke: node.invoke.map(({ id, src }) => ({ id, src: guardName(src) })),
});
function transitionOf(of: AnyTransitionDefinition): ChartTransition {
  const { source, target = [], eventType, guard, actions, reenter } = of;
  const [event = '', delay] = eventName(eventType, source).split(/(?<=^after) /);
  return {
    id: idOf(of),
    from: pathOf(source),
    to: target.map(pathOf),
    event,
    ...(guard && { guard: guardName(guard) }),
    ...(delay !== undefined && { delay }),
    actions: named(actions),
    ...(reenter && { reenter }),
  };
}
/** The chart of a machine as data: for the inspector's page, and for the drawings in the docs. */
export function chartOf(kind: string, machine: AnyStateMachine, hash: (text: string) => string): Chart {
  const nodes = nodesOf(machine.root);
  return {
    kind,
    fingerprint: hash(chartText(machine)),
    nodes: nodes.map(nodeOf),
    transitions: nodes.flatMap(declared).map(transitionOf),
  };
}
