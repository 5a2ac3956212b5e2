import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Chart, ChartNode, ChartTransition } from '../../machines/trace/chart.ts';

export const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(nodesOf),
];

export const pathOf = (node: AnyStateNode): string => node.path.join('.') || '(any)';

/** Paths without the root, such as `connected.ready.steady`. */
export const statesOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root)
    .filter((node) => node.parent)
    .map(pathOf);

const declared = (node: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...node.transitions.values()].flat(),
  ...(node.always ?? []),
];

/** Such as `client: ready.steady --tools.changed--> ready.refreshing`; equal texts are numbered in chart order. */
export const transitionsOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root).flatMap((node) => declared(node).map(idOf));

/** Transitions that the chart does not declare are left out, such as the first step of a machine. */
export const namesOf = (taken: readonly AnyTransitionDefinition[]): string[] =>
  taken.filter((each) => declared(each.source).some(same(each))).map(idOf);

// Compares transitions by their function `toJSON`, because XState hands out copies, which share it.
const same = (a: AnyTransitionDefinition) => (b: AnyTransitionDefinition) => a === b || a.toJSON === b.toJSON;

const ids = new WeakMap<object, string>();
function idOf(of: AnyTransitionDefinition): string {
  const known = ids.get(of.toJSON);
  if (known !== undefined) return known;
  const id = writtenId(of);
  ids.set(of.toJSON, id);
  return id;
}
function writtenId(of: AnyTransitionDefinition): string {
  const alike = declared(of.source).filter((other) => labelOf(other) === labelOf(of));
  const nth = alike.findIndex(same(of));
  return nth > 0 ? `${labelOf(of)} (${nth + 1})` : labelOf(of);
}

function labelOf({ source, target, eventType, guard }: AnyTransitionDefinition): string {
  const when = guard ? ` [${guardName(guard)}]` : '';
  const to = target?.map(pathOf).join(' + ') ?? '.';
  return `${source.machine.id}: ${pathOf(source)} --${eventName(eventType, source)}${when}--> ${to}`;
}

function eventName(eventType: string, source: AnyStateNode): string {
  if (eventType === '') return 'always';
  const [, kind, id = ''] = /^xstate\.(after|done\.actor|error\.actor|snapshot)\.(.*)$/.exec(eventType) ?? [];
  if (kind === 'after') return `after ${id.slice(0, -source.id.length - 1)}`;
  if (kind) return `${kind.replace('.actor', '')}(${id})`;
  return eventType === `xstate.done.state.${source.id}` ? 'onDone' : eventType;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'function') {
    const inner: unknown = 'guards' in guard ? guard.guards : undefined;
    const name = (guard.name || 'inline').replace(/^_?(and|or|not)\d*$/, '$1');
    return Array.isArray(inner) ? `${name}(${inner.map(guardName).join(', ')})` : name;
  }
  return typeof guard === 'object' && guard && 'type' in guard ? String(guard.type) : 'inline';
}

/** Lists the words of a chart: of states, events, guards and actions. */
export const wordsOf = (machine: AnyStateMachine): readonly string[] =>
  chartText(machine).match(/[a-zA-Z]+/g) ?? [];

export function chartText(machine: AnyStateMachine): string {
  const named = (actions: readonly unknown[]): string => actions.map(guardName).join(',');
  const lines = nodesOf(machine.root).flatMap((node) => [
    [pathOf(node), node.type, node.tags.join(), named(node.entry), named(node.exit)].join('|'),
    ...node.invoke.map(({ id, src }) => `invoke ${id} ${guardName(src)}`),
    ...declared(node).map(
      (each) => `${idOf(each)} / ${named(each.actions)}${each.reenter ? ' reenter' : ''}`,
    ),
  ]);
  return lines.join('\n');
}

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
export function chartOf(kind: string, machine: AnyStateMachine, hash: (text: string) => string): Chart {
  const nodes = nodesOf(machine.root);
  return {
    kind,
    fingerprint: hash(chartText(machine)),
    nodes: nodes.map(nodeOf),
    transitions: nodes.flatMap(declared).map(transitionOf),
  };
}
