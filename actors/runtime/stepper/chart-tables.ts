/** A chart of XState as tables: for each set of active states its transitions, and for each of them what it does. */
import {
  and,
  not,
  or,
  spawnChild,
  stopChild,
  type AnyStateMachine,
  type AnyStateNode,
  type StateValue,
  assign,
  cancel,
  emit,
  raise,
  sendParent,
  sendTo,
  type AnyMachineSnapshot,
  type AnyTransitionDefinition,
  type EventObject,
} from 'xstate';
import { nodesOf } from '../charts.ts';

type Node = AnyStateNode;
type Guard = (at: At, run: { snapshot(): Snapshot }) => boolean;
interface GuardImplementation {
  (at: At, params: Params): boolean;
  readonly guards?: readonly unknown[];
  check?(snapshot: Snapshot, at: At, self: GuardImplementation): boolean;
}
const checkOf = (guard: unknown): GuardImplementation['check'] => (guard as GuardImplementation).check;
const combinations = { not: checkOf(not('')), and: checkOf(and([''])), or: checkOf(or([''])) };

export interface Candidate {
  readonly of: Transition;
  /** Number of the transition in the chart, the key of its plan. */
  readonly n: number;
  readonly guard: Guard | undefined;
}
/** From the innermost state outwards: those of the regions have precedence over those of the state itself. */
export interface Branch {
  readonly regions: readonly Branch[];
  readonly own: readonly Candidate[];
}
interface Entry {
  readonly actions: readonly Action[];
  /** Ids of the actors that the entered state invokes. */
  readonly invoked: readonly string[];
  readonly final: Final | undefined;
}
export interface Final {
  readonly node: Node;
  readonly finished: readonly Node[];
  readonly completion: Node | undefined;
}
/** Plan of a microstep: everything that it does, in this order. */
export interface Plan {
  /** Transitions that the event enables. */
  readonly taken: readonly Transition[];
  /** Enabled transitions without conflicts, which are performed. */
  readonly kept: readonly Transition[];
  readonly exits: readonly Action[];
  readonly actions: readonly Action[];
  readonly entries: readonly Entry[];
  /** Exit actions of the active states when the machine is done; else empty. */
  readonly atEnd: readonly Action[];
  readonly next: Configuration;
}

export class Configuration {
  readonly nodes: readonly Node[];
  readonly value: Snapshot['value'];
  readonly tags: ReadonlySet<string>;
  readonly always: readonly (readonly Candidate[])[];
  readonly #chart: Chart;
  readonly #branches = new Map<string, Branch | null>();
  readonly #plans = new Map<number | string, Plan>();

  constructor(chart: Chart, nodes: readonly Node[]) {
    this.#chart = chart;
    this.nodes = nodes;
    // Shows the value of the first states already while only the root is active, as XState does before the first step.
    this.value = nodes.length === 1 ? chart.like.value : valueOf(chart.root, nodes);
    this.tags = new Set(nodes.flatMap(({ tags }) => tags));
    this.always = nodes
      .filter(isAtomic)
      .map((node) =>
        [node, ...ancestorsOf(node)].flatMap(({ always }) => (always ?? []).map(chart.candidate)),
      )
      .filter((list) => list.length > 0);
  }
  branch(type: string): Branch | null {
    let known = this.#branches.get(type);
    if (known === undefined) {
      known = this.#branchAt(this.#chart.root, type);
      this.#branches.set(type, known);
    }
    return known;
  }
  #branchAt(node: Node, type: string): Branch | null {
    const below = activeIn(node, this.nodes).flatMap((child) => this.#branchAt(child, type) ?? []);
    const own = (node.transitions.get(type) ?? []).map(this.#chart.candidate);
    const [only] = below;
    if (only && below.length === 1) return { regions: only.regions, own: [...only.own, ...own] };
    return below.length + own.length === 0 ? null : { regions: below, own };
  }
  plan(taken: readonly Candidate[]): Plan | undefined {
    const [only] = taken;
    if (!only || taken.length === 1) return only && this.planOf(only);
    return this.#known(taken.map(({ n }) => n).join(), taken);
  }
  planOf(only: Candidate): Plan {
    return this.#plans.get(only.n) ?? this.#known(only.n, [only]);
  }
  #known(key: number | string, taken: readonly Candidate[]): Plan {
    const known = this.#plans.get(key) ?? this.#chart.plan(this, taken);
    this.#plans.set(key, known);
    return known;
  }
}

/** For each set of active states: its transitions and their effects. Computed when needed, once per machine. */
export class Chart {
  readonly machine: AnyStateMachine;
  readonly root: Node;
  readonly like: Snapshot;
  readonly #candidates = new Map<unknown, Candidate>();
  readonly #guards = new Map<unknown, Guard>();
  readonly #actions = new Map<unknown, Action>();
  readonly #byStates = new Map<string, Configuration>();
  readonly #byNodes = new WeakMap<readonly Node[], Configuration>();
  #born: Configuration | undefined;
  #first: Plan | undefined;

  constructor(machine: AnyStateMachine) {
    refuseUnknown(machine);
    this.machine = machine;
    this.root = machine.root;
    this.like = machine.resolveState({
      value: valueOf(this.root, firstTargets(this.root)),
      context: {},
    }) as Snapshot;
  }
  /** Only the root is active, while the value already shows the first states. */
  born(context: unknown): Snapshot & { context: unknown } {
    const { nodes, value, tags } = (this.#born ??= this.configuration([this.root]));
    return { ...this.like, _nodes: nodes, value, tags, context } as unknown as Snapshot & {
      context: unknown;
    };
  }
  configuration(nodes: readonly Node[]): Configuration {
    const known = this.#byNodes.get(nodes);
    if (known) return known;
    const key = nodes.map(({ order }) => order).join();
    const made = this.#byStates.get(key) ?? new Configuration(this, [...nodes]);
    this.#byStates.set(key, made);
    this.#byNodes.set(made.nodes, made);
    this.#byNodes.set(nodes, made);
    return made;
  }
  readonly candidate = (of: Transition): Candidate => {
    let known = this.#candidates.get(of);
    if (!known) {
      const guard = of.guard === undefined ? undefined : this.guard(of.guard);
      known = { of, n: this.#candidates.size, guard };
      this.#candidates.set(of, known);
    }
    return known;
  };
  readonly guard = (guard: unknown): Guard => {
    const known = this.#guards.get(guard);
    if (known) return known;
    const made = this.#guard(guard);
    // Remembers named guards only; guards that are made for one step are not used again.
    if (typeof guard === 'string') this.#guards.set(guard, made);
    return made;
  };
  #guard(guard: unknown): Guard {
    const isInline = typeof guard === 'function';
    const { type, params } = (typeof guard === 'object' ? guard : { type: guard }) as {
      type: string;
      params?: Params;
    };
    const found = (isInline ? guard : this.machine.implementations.guards[type]) as GuardImplementation;
    if (found === undefined)
      return () => {
        throw new Error(`Guard '${type}' is not implemented.'.`);
      };
    if (typeof found !== 'function') return this.guard(found);
    const { check, guards = [] } = found;
    if (!check) {
      if (typeof params === 'function') return (at) => found(at, (params as ParamsOf)(at));
      return (at) => found(at, params);
    }
    const inner =
      check === combinations.not || check === combinations.and || check === combinations.or
        ? guards.map(this.guard)
        : [];
    if (check === combinations.not) return (at, run) => !(inner[0] as Guard)(at, run);
    if (check === combinations.and) return (at, run) => inner.every((each) => each(at, run));
    if (check === combinations.or) return (at, run) => inner.some((each) => each(at, run));
    return (at, run) => check(run.snapshot(), at, found);
  }
  readonly action = (action: unknown): Action => {
    const known = this.#actions.get(action);
    if (known) return known;
    const isInline = typeof action === 'function';
    const { type: name, params } = (typeof action === 'object' ? action : { type: action }) as {
      type: string;
      params?: Params;
    };
    const does = (isInline ? action : this.machine.implementations.actions[name]) as
      | Implementation
      | undefined;
    const type = does?.resolve ? does.type : isInline ? action.name || '(anonymous)' : name;
    const made = { type: type as string, does, params };
    if (typeof action === 'string') this.#actions.set(action, made);
    return made;
  };

  plan(from: Configuration, taken: readonly Candidate[]): Plan {
    const transitions = taken.map(({ of }) => of);
    const kept = withoutConflicts(transitions, from.nodes);
    const exited = [...exitedBy(kept, from.nodes)].toSorted((a, b) => b.order - a.order);
    const exits = exited.flatMap((node) => [...node.exit, ...node.invoke.map(({ id }) => stopChild(id))]);
    const actions = kept.flatMap((each) => each.actions);
    const rest = new Set(from.nodes.filter((node) => !exited.includes(node)));
    return { ...this.#planOf(from, rest, kept, exits, actions), taken: transitions };
  }
  get first(): Plan {
    if (this.#first) return this.#first;
    const into = { source: this.root, target: firstTargets(this.root), reenter: true };
    const active = new Set([this.root]);
    return (this.#first = this.#planOf(
      this.configuration([this.root]),
      active,
      [into as unknown as Transition],
      [],
      [],
    ));
  }
  #planOf(
    from: Configuration,
    active: Set<Node>,
    taken: readonly Transition[],
    exits: readonly unknown[],
    actions: readonly unknown[],
  ): Plan {
    const { states, byDefault } = enteredBy(taken);
    const finished = new Set<Node>();
    const entries = states.map((node): Entry => {
      active.add(node);
      const invokes = node.invoke.map((each) =>
        spawnChild(each.src as never, { ...each, syncSnapshot: Boolean(each.onSnapshot) } as never),
      );
      const begins = byDefault.has(node) ? node.initial.actions : [];
      return {
        actions: [...node.entry, ...invokes, ...begins].map(this.action),
        invoked: node.invoke.map(({ id }) => id),
        final: node.type === 'final' ? finalOf(node, active, finished) : undefined,
      };
    });
    const isDone = entries.some(({ final }) => final?.completion);
    const after = isDone ? [...active].toSorted((a, b) => b.order - a.order) : [...active];
    const isSame = after.length === from.nodes.length && from.nodes.every((node) => active.has(node));
    return {
      taken,
      kept: taken,
      exits: exits.map(this.action),
      actions: actions.map(this.action),
      entries: entries.filter((each) => each.final || each.actions.length > 0),
      atEnd: isDone ? after.flatMap(({ exit }) => exit).map(this.action) : [],
      next: isSame ? from : this.configuration(after),
    };
  }
}
function finalOf(node: Node, active: ReadonlySet<Node>, finished: Set<Node>): Final {
  const { parent } = node as { parent?: Node };
  let above: Node | undefined = parent?.type === 'parallel' ? parent : parent?.parent;
  let completion = above ?? node;
  const now: Node[] = [];
  while (above?.type === 'parallel' && !finished.has(above) && isFinished(above, active)) {
    finished.add(above);
    now.push(above);
    completion = above;
    above = above.parent;
  }
  return { node, finished: now, completion: above ? undefined : completion };
}

// SCXML algorithm (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation) as in XState, without history.

const isAtomic = ({ type }: Node): boolean => type === 'atomic' || type === 'final';
const childrenOf = (node: Node): Node[] => Object.values(node.states as Record<string, Node>);
function ancestorsOf(node: Node, top?: Node): Node[] {
  const all: Node[] = [];
  if (node === top) return all;
  for (let at = node.parent as Node | undefined; at && at !== top; at = at.parent) all.push(at);
  return all;
}
function isBelow(node: Node, top: Node | undefined): boolean {
  for (let at: Node | undefined = node.parent; ; at = at.parent)
    if (at === top) return true;
    else if (at === undefined) return false;
}
const targetsOf = ({ target }: Transition): readonly Node[] => target ?? [];

/** Undefined when the root itself is exited and entered again. */
function domainOf(taken: Transition): Node | undefined {
  const { source, reenter } = taken;
  const targets = targetsOf(taken);
  if (!reenter && targets.every((node) => node === source || isBelow(node, source))) return source;
  const [first, ...others] = [...targets, source];
  const common = ancestorsOf(first as Node).find((above) => others.every((node) => isBelow(node, above)));
  return common ?? (reenter ? undefined : source.machine.root);
}
function exitedBy(transitions: readonly Transition[], active: readonly Node[]): Set<Node> {
  const exited = new Set<Node>();
  for (const taken of transitions) {
    if (targetsOf(taken).length === 0) continue;
    const domain = domainOf(taken);
    for (const node of active) if (isBelow(node, domain)) exited.add(node);
  }
  return exited;
}
/** The innermost transition stays, else the first. */
function withoutConflicts<T extends Transition>(
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

/** In the order of the chart, with those of them that perform the actions of their initial transition. */
function enteredBy(transitions: readonly Transition[]): {
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
function firstTargets(root: Node): Node[] {
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

function isFinished(node: Node, active: ReadonlySet<Node>): boolean {
  const children = childrenOf(node);
  if (node.type === 'compound') return children.some((child) => child.type === 'final' && active.has(child));
  if (node.type === 'parallel') return children.every((child) => isFinished(child, active));
  return node.type === 'final';
}
function activeIn(node: Node, active: readonly Node[]): Node[] {
  const inner = active.filter(({ parent }) => parent === node);
  return node.type === 'compound' ? inner.slice(0, 1) : inner;
}
/** Such as `{ connected: { ready: 'steady' } }`, or the name of its only active child. */
function valueOf(node: Node, active: readonly Node[]): StateValue {
  const inner = activeIn(node, active);
  const [only] = inner;
  if (node.type === 'compound' && only && isAtomic(only)) return only.key;
  return Object.fromEntries(inner.map((child) => [child.key, valueOf(child, active)]));
}

/** Throws for a chart that uses a feature which the stepper handles differently from XState. */
function refuseUnknown(machine: AnyStateMachine): void {
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

/** XState's own types promise less; `scenarios/contracts/xstate-stepper.test.ts` checks the rest. */
export type Snapshot = AnyMachineSnapshot;
export type Transition = AnyTransitionDefinition;
export type Fields = Readonly<Record<string, unknown>>;

export interface Scope {
  readonly self: { readonly id: string; readonly _processingStatus: number };
  readonly system: object;
  defer(run: () => void): void;
  actionExecutor(action: object): void;
}

export interface At {
  readonly context: Fields;
  readonly event: EventObject;
}
export interface Info extends At {
  readonly self: object;
  readonly system: object;
}
export type Params = unknown;
export type ParamsOf = (at: At) => Params;
export interface Implementation {
  (info: Info, params: Params): unknown;
  readonly type?: string;
  readonly assignment?: unknown;
  collect?(given: object, params: Params): void;
  resolve?(
    scope: Scope,
    snapshot: Snapshot,
    info: object,
    params: Params,
    self: Implementation,
    extra: {
      readonly internalQueue: EventObject[];
      readonly deferredActorIds: readonly string[] | undefined;
    },
  ): readonly [snapshot: Snapshot, params: Params, actions?: readonly unknown[]];
  retryResolve?(scope: Scope, snapshot: Snapshot, params: Params): void;
  execute?(scope: Scope, params: Params): void;
}
export interface Action {
  readonly type: string;
  readonly does: Implementation | undefined;
  readonly params: Params;
}

export interface Microstep {
  /** The address of a root. */
  readonly actor: { readonly id: string };
  readonly event: EventObject;
  readonly transitions: readonly Transition[];
  readonly snapshot: Snapshot;
}
export interface StepWatch {
  readonly step?: ((step: Microstep) => void) | undefined;
  readonly performed?: ((type: string, params: unknown) => void) | undefined;
}
export interface XStateEvent extends EventObject {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly input?: unknown;
}

let collected: unknown[] = [];
export const collectInto = (list: unknown[]): void => void (collected = list);
const add = (action: unknown): void => void collected.push(action);
type Maker = (...given: unknown[]) => unknown;
const makers = {
  assign,
  cancel,
  emit,
  raise,
  sendParent,
  sendTo,
  spawnChild,
  stopChild,
} as unknown as Record<string, Maker>;
export const enqueue = Object.assign(
  add,
  Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, (...given: unknown[]) => add(make(...given))]),
  ),
);
/** Replaces XState's `spawn` in an `assign`; always throws. */
export const noSpawn = (): never => {
  throw new Error('There is no spawn here: invoke an actor, or open a root');
};
export function partOf(assignment: unknown, at: object, given: Params): object {
  if (typeof assignment === 'function') return assignment(at, given) as object;
  const part: Record<string, unknown> = {};
  for (const key in assignment as Fields) {
    const value = (assignment as Fields)[key];
    part[key] =
      typeof value === 'function' ? (value as (at: object, given: Params) => unknown)(at, given) : value;
  }
  return part;
}
export function guardFailure({ guard, source }: Transition, event: EventObject, error: unknown): Error {
  const name = typeof guard === 'object' ? (guard as { readonly type: string }).type : guard;
  const which = typeof name === 'string' ? `'${name}' ` : '';
  return new Error(
    `Unable to evaluate guard ${which}in transition for event '${event.type}' in state node '${source.id}':\n${(error as Error).message}`,
    { cause: error },
  );
}
