import type { AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';

/**
 * Which states a transition exits and enters: the SCXML algorithm (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation) as
 * XState has it, for charts without history. Asked once for each set of active states and each transition.
 */
type Node = AnyStateNode;
type Transition = Pick<AnyTransitionDefinition, 'source' | 'target' | 'reenter'>;

export const isAtomic = ({ type }: Node): boolean => type === 'atomic' || type === 'final';
const childrenOf = (node: Node): Node[] => Object.values(node.states as Record<string, Node>);
/** From its parent on upwards, to below `top`. */
export function ancestorsOf(node: Node, top?: Node): Node[] {
  const all: Node[] = [];
  if (node === top) return all;
  for (let at = node.parent as Node | undefined; at && at !== top; at = at.parent) all.push(at);
  return all;
}
/** Whether a state lies below another; every state lies below `undefined`. */
function isBelow(node: Node, top: Node | undefined): boolean {
  for (let at: Node | undefined = node.parent; ; at = at.parent)
    if (at === top) return true;
    else if (at === undefined) return false;
}
const targetsOf = ({ target }: Transition): readonly Node[] => target ?? [];

/** The state inside which everything happens; undefined: the root itself is left and entered again. */
function domainOf(taken: Transition): Node | undefined {
  const { source, reenter } = taken;
  const targets = targetsOf(taken);
  if (!reenter && targets.every((node) => node === source || isBelow(node, source))) return source;
  const [first, ...others] = [...targets, source];
  const common = ancestorsOf(first as Node).find((above) => others.every((node) => isBelow(node, above)));
  return common ?? (reenter ? undefined : source.machine.root);
}
/** States that are left. */
export function exitedBy(transitions: readonly Transition[], active: readonly Node[]): Set<Node> {
  const exited = new Set<Node>();
  for (const taken of transitions) {
    if (targetsOf(taken).length === 0) continue;
    const domain = domainOf(taken);
    for (const node of active) if (isBelow(node, domain)) exited.add(node);
  }
  return exited;
}
/** Transitions without those that would leave a state that another one leaves: the innermost stays, else the first. */
export function withoutConflicts<T extends Transition>(
  transitions: readonly T[],
  active: readonly Node[],
): readonly T[] {
  const kept = new Set<T>();
  for (const one of new Set(transitions)) {
    const exits = exitedBy([one], active);
    const rivals = [...kept].filter((other) =>
      [...exitedBy([other], active)].some((node) => exits.has(node)),
    );
    const firstOuter = rivals.find(({ source }) => !isBelow(one.source, source));
    if (firstOuter) continue;
    for (const rival of rivals) kept.delete(rival);
    kept.add(one);
  }
  return [...kept];
}

/** States that are entered, in the order of the chart, and those of them that do their initial transition's actions. */
export function enteredBy(transitions: readonly Transition[]): {
  states: Node[];
  byDefault: ReadonlySet<Node>;
} {
  const states = new Set<Node>();
  const byDefault = new Set<Node>();
  const hasBelow = (node: Node): boolean => [...states].some((each) => isBelow(each, node));
  const enter = (node: Node): void => {
    states.add(node);
    byDefault.add(node);
  };
  const goDown = (node: Node): void => {
    if (node.type === 'parallel')
      for (const child of childrenOf(node)) {
        if (hasBelow(child)) continue;
        enter(child);
        goDown(child);
      }
    if (node.type !== 'compound') return;
    const [first] = targetsOf(node.initial as Transition);
    if (!first) return;
    enter(first);
    goDown(first);
    goUp(ancestorsOf(first, node), undefined);
  };
  const goUp = (above: readonly Node[], domain: Node | undefined): void => {
    for (const node of above) {
      if (isBelow(node, domain)) states.add(node);
      if (node.type !== 'parallel') continue;
      for (const child of childrenOf(node).filter((each) => !hasBelow(each))) {
        states.add(child);
        goDown(child);
      }
    }
  };
  for (const taken of transitions) {
    const domain = domainOf(taken);
    const { source, reenter } = taken;
    const targets = targetsOf(taken);
    for (const node of targets) {
      if (source !== node || source !== domain || reenter) enter(node);
      goDown(node);
    }
    const above = (node: Node): Node[] => [
      ...ancestorsOf(node, domain),
      ...(domain?.type === 'parallel' ? [domain] : []),
    ];
    for (const node of targets) goUp(above(node), !source.parent && reenter ? undefined : domain);
  }
  return { states: [...states].toSorted((a, b) => a.order - b.order), byDefault };
}
/** The first states of a chart, as the targets of a transition into it. */
export function firstTargets(root: Node): Node[] {
  const all = new Set<Node>();
  const goDown = (node: Node): void => {
    all.add(node);
    const inner =
      node.type === 'compound'
        ? targetsOf(node.initial as Transition).slice(0, 1)
        : node.type === 'parallel'
          ? childrenOf(node)
          : [];
    for (const child of inner) if (!all.has(child)) goDown(child);
  };
  goDown(root);
  return [...all];
}

/** Whether a state is done: its final child is active, or all of its regions are done. */
export function isFinished(node: Node, active: ReadonlySet<Node>): boolean {
  const children = childrenOf(node);
  if (node.type === 'compound') return children.some((child) => child.type === 'final' && active.has(child));
  if (node.type === 'parallel') return children.every((child) => isFinished(child, active));
  return node.type === 'final';
}
/** The active children of a state, in the order of its value. */
export function activeIn(node: Node, active: readonly Node[]): Node[] {
  const inner = active.filter(({ parent }) => parent === node);
  return node.type === 'compound' ? inner.slice(0, 1) : inner;
}
/** `{ connected: { ready: 'steady' } }`, or the name of the only state. */
export function valueOf(node: Node, active: readonly Node[]): StateValue {
  const inner = activeIn(node, active);
  const [only] = inner;
  if (node.type === 'compound' && only && isAtomic(only)) return only.key;
  return Object.fromEntries(inner.map((child) => [child.key, valueOf(child, active)]));
}
