import { isAnswer } from '../../machines/kernel/ports.ts';
import type { AnyStateMachine, EventObject } from 'xstate';
import { namesOf } from '../../actors/runtime/charts.ts';
import type { Deadline, Open, PortRequest } from '../../machines/kernel/effects.ts';
import {
  aftersOf,
  explore,
  isAlive,
  type Spot,
  stepping,
  type Asked,
  type Stepped,
  type Stepping,
} from './explore.ts';
import { placed, type Sample, type Said } from './samples/sample.ts';

/** Part of the directory that a machine has created by its requests: the actors that can send to it. */
export interface World {
  /** Root actors that the machine owns: last segment of the address → kind. */
  readonly living: ReadonlyMap<string, string>;
  /** Ids of the machine's questions without an answer. */
  readonly requests: ReadonlySet<string>;
  readonly hasDeadline: boolean;
}
export interface Stop extends Spot {
  readonly world: World;
}
export interface StateSpace {
  readonly kind: string;
  readonly machine: AnyStateMachine;
  readonly sample: Sample;
  readonly steps: Stepping;
  /** The machine can rest in them; each has the actors that live at that time. */
  readonly stops: readonly Stop[];
  /** By id, with the events of a shortest path; without `always`, which no event triggers. */
  readonly taken: ReadonlyMap<string, readonly EventObject[]>;
  /** Last segment of the address → kind. */
  readonly opens: ReadonlyMap<string, string>;
  /** A key that already lives is opened again; `isHeard`: the refusal is handled there. */
  readonly refusals: readonly { readonly stop: Stop; readonly kind: string; readonly isHeard: boolean }[];
}

export const opensIn = (actions: readonly Asked[]): Open[] =>
  actions.flatMap(({ type, params }) => {
    if (type === 'open') return [params as Open];
    return type === 'openAll' ? [...(params as { opens: readonly Open[] }).opens] : [];
  });
const segmentOf = ({ kind, key }: Open): string => (key === undefined ? kind : `${kind}:${key}`);

export interface SpaceOptions {
  /** 60,000 by default. */
  readonly limit?: number;
  /** By default all states are visited. */
  readonly isEnough?: (taken: ReadonlyMap<string, unknown>) => boolean;
}

export function worldAfter(before: World, event: EventObject, actions: readonly Asked[]): World {
  const living = new Map(before.living);
  const requests = new Set(before.requests);
  let { hasDeadline } = before;
  if (event.type === 'owned.ended') living.delete((event as Said).key as string);
  if (event.type.startsWith('ask.') && isAnswer(event.type)) requests.delete((event as Said).id as string);
  if (event.type === 'deadline.passed') hasDeadline = false;
  for (const { type, params } of actions) {
    if (type === 'request') requests.add((params as PortRequest).id);
    if (type === 'cancel') requests.delete((params as PortRequest).id);
    const { ms } = (type === 'setDeadline' ? params : { ms: null }) as Deadline;
    if (ms !== null) hasDeadline = ms > 0;
  }
  for (const open of opensIn(actions)) living.set(segmentOf(open), open.kind);
  return { living, requests, hasDeadline };
}

export const nowhere: World = { living: new Map(), requests: new Set(), hasDeadline: false };

export const endsOf = ({ owned }: Sample, segment: string, kind: string): Said[] => {
  const base = { type: 'owned.ended', kind, key: segment, name: `owner/it/${segment}` };
  return [
    ...(owned?.[kind]?.outputs ?? [undefined]).map((output) => ({ ...base, why: 'done', output })),
    { ...base, why: 'failed', error: 'Error: a bug' },
    { ...base, why: 'closed' },
  ];
};
/** One question stands for all of its kind. */
export const everythingFor = ({ sample, opens }: Pick<StateSpace, 'sample' | 'opens'>): Said[] => [
  ...ordersOf(sample),
  ...(sample.told ?? []),
  ...Object.values(sample.leaves ?? {}).flat(),
  ...Object.values(sample.owned ?? {}).flatMap(({ says = [] }) => says),
  ...(sample.answers ?? []).map((answer) => ({ id: 'x', ...answer })),
  ...[...opens].flatMap(([segment, kind]) => endsOf(sample, segment, kind)),
];
export const ordersOf = ({ orders }: Sample): Said[] =>
  Object.entries(orders).flatMap(([type, payloads]) => payloads.map((payload) => ({ type, ...payload })));
/** An answer with an id of its own is one to that question alone. */
const answersTo = (id: string, answers: Sample['answers'] = []): Said[] =>
  answers
    .filter((answer) => answer['id'] === undefined || answer['id'] === id)
    .map((answer) => ({ ...answer, id }));
export function factsAt({ snapshot, world }: Stop, { leaves, owned, answers }: Sample): Said[] {
  const invoked = snapshot._nodes.flatMap((node) => node.invoke.map(({ id }) => id));
  return [
    ...invoked.flatMap((id) => leaves?.[id] ?? []),
    ...new Set([...world.living.values()].flatMap((kind) => owned?.[kind]?.says ?? [])),
    ...[...world.requests].flatMap((id) => answersTo(id, answers)),
  ];
}
export const endsAt = ({ world }: Stop, sample: Sample): Said[] =>
  [...world.living].flatMap(([segment, kind]) => endsOf(sample, segment, kind));
export const timersAt = ({ snapshot, world }: Stop): Said[] => [
  ...aftersOf(snapshot),
  ...(world.hasDeadline ? [{ type: 'deadline.passed' }] : []),
];

/** Empty when the event is ignored there. */
export const transitionsFor = (machine: AnyStateMachine, { snapshot }: Spot, event: EventObject) =>
  machine.getTransitionData(snapshot as never, event);

/** Actors send only while they live, and each may end at any moment, in each way. No action runs. */
export function stateSpaceOf(
  kind: string,
  machine: AnyStateMachine,
  sample: Sample,
  { limit = 60_000, isEnough = () => false }: SpaceOptions = {},
): StateSpace {
  const { tellApart = () => null } = sample;
  const taken = new Map<string, readonly EventObject[]>();
  const named = new Set<unknown>();
  const opens = new Map<string, string>();
  const refusals: { stop: Stop; kind: string; isHeard: boolean }[] = [];

  const steps = stepping(machine, { ...placed, ...sample.input });

  const arrive = (from: Stop, event: EventObject, [snapshot, actions]: Stepped): Stop => {
    const asked = opensIn(actions);
    for (const open of asked) opens.set(segmentOf(open), open.kind);
    const stop: Stop = {
      snapshot,
      how: event === born ? [] : [...from.how, event],
      world: worldAfter(from.world, event, actions),
    };
    const known = worldAfter(from.world, event, []).living;
    return asked.filter((open) => known.has(segmentOf(open))).reduce(refuse, stop);
  };
  const refuse = (stop: Stop, open: Open): Stop => {
    if (!isAlive(stop)) return stop;
    const { kind, input } = open;
    const refusal: Said = { type: 'open.refused', kind, name: `owner/it/${segmentOf(open)}`, input };
    const isHeard = transitionsFor(machine, stop, refusal).length > 0;
    refusals.push({ stop, kind, isHeard });
    return isHeard ? step(stop, refusal) : stop;
  };
  const step = (from: Stop, event: EventObject): Stop => {
    // Names only what is new, because a name costs more than the step. XState hands out copies with one function in common.
    const fresh = transitionsFor(machine, from, event).filter(({ toJSON }) => !named.has(toJSON));
    for (const { toJSON } of fresh) named.add(toJSON);
    for (const id of namesOf(fresh)) taken.set(id, [...from.how, event]);
    return arrive(from, event, steps.step(from.snapshot, event));
  };

  const start = arrive({ snapshot: steps.first[0], how: [], world: nowhere }, born, steps.first);
  const { spots } = explore(
    [start],
    (at) =>
      [
        ...ordersOf(sample),
        ...(sample.told ?? []),
        ...factsAt(at, sample),
        ...endsAt(at, sample),
        ...timersAt(at),
      ].map((event) => step(at, event)),
    ({ snapshot: { status, value, context }, world }) =>
      JSON.stringify([
        status,
        value,
        tellApart(context, value),
        // Numbered roots, such as questions, count as one, because their numbers never end.
        [...new Set([...world.living.keys()].map((key) => key.replace(/:\d+$/, ':n')))].sort(),
        [...world.requests].sort(),
        world.hasDeadline,
      ]),
    limit,
    () => isEnough(taken),
  );
  return { kind, machine, sample, steps, stops: [...spots.values()].filter(isAlive), taken, opens, refusals };
}
const born = { type: 'born' };
