import { inspect } from 'node:util';
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate';
import type { Microstep } from '../../actors/runtime/stepper/stepper.ts';

export interface Happened {
  readonly microsteps: readonly Microstep[];
  readonly actions: readonly (readonly [type: string, params: unknown])[];
  readonly snapshot?: AnyMachineSnapshot;
  readonly thrown?: unknown;
}

const isActor = (value: object): value is AnyActorRef => 'sessionId' in value && 'send' in value;
const isPlain = (value: object): boolean => {
  const like: unknown = Object.getPrototypeOf(value);
  return like === null || like === Object.prototype || Array.isArray(value);
};
/** Undefined when both have to be the same object. */
function partsOf(value: object): object | undefined {
  if (isActor(value)) return { actor: value.id };
  if (value instanceof Error) return { error: `${value.name}: ${value.message}` };
  if (value instanceof Map || value instanceof Set) return [...value];
  return isPlain(value) ? value : undefined;
}
const told = (value: unknown): string => {
  const shown = typeof value === 'object' && value !== null ? (partsOf(value) ?? value) : value;
  const text = inspect(shown, { depth: 2, breakLength: Infinity });
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** The order of fields counts. */
export function differenceOf(theirs: unknown, ours: unknown, at = ''): string | undefined {
  if (Object.is(theirs, ours)) return undefined;
  const differ = (): string => `${at}: XState has ${told(theirs)}, the stepper ${told(ours)}`;
  if (typeof theirs !== 'object' || typeof ours !== 'object' || !theirs || !ours) return differ();
  const [one, other] = [partsOf(theirs), partsOf(ours)] as Record<string, unknown>[];
  if (!one || !other || Array.isArray(one) !== Array.isArray(other)) return differ();
  const [keys, otherKeys] = [Object.keys(one), Object.keys(other)];
  if (keys.join() !== otherKeys.join()) return differ();
  for (const key of keys) {
    const difference = differenceOf(one[key], other[key], at ? `${at}.${key}` : key);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function shown(snapshot: AnyMachineSnapshot | undefined, before: unknown): object | undefined {
  if (!snapshot) return undefined;
  const { _nodes: nodes, children, tags, ...others } = snapshot;
  const living = Object.entries<AnyActorRef | undefined>(children).map(([id, child]) => ({
    id,
    child,
    src: child?.src,
  }));
  const isNew = snapshot !== before;
  return {
    isNew,
    fields: Object.keys(snapshot),
    nodes: nodes.map(({ id }) => id),
    children: living,
    tags,
    others,
  };
}
function inOrder({ microsteps, actions, snapshot, thrown }: Happened, from: unknown): object {
  let before = from;
  const steps = microsteps.map((step) => {
    const one = {
      event: step.event,
      // XState returns copies of some transitions, so they are compared by these members.
      transitions: step.transitions.map(({ source, eventType, toJSON }) => [source.id, eventType, toJSON]),
      snapshot: shown(step.snapshot, before),
    };
    before = step.snapshot;
    return one;
  });
  return { thrown, actions, steps, last: shown(snapshot, before) };
}

export const differenceIn = (theirs: Happened, ours: Happened, from: unknown): string | undefined =>
  differenceOf(inOrder(theirs, from), inOrder(ours, from));
