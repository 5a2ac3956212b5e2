import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { transitionsOf } from '../../actors/runtime/charts.ts';
import type { Message, Open, Post, TellOwned } from '../../machines/kernel/effects.ts';
import { aftersOf, stepping, type Asked, type Stepping } from '../stage/explore.ts';
import { samples } from '../stage/samples/index.ts';
import { placed, type Sample, type Said } from '../stage/samples/sample.ts';
import {
  endsAt,
  endsOf,
  factsAt,
  nowhere,
  opensIn,
  ordersOf,
  stateSpaceOf,
  timersAt,
  worldAfter,
  type World,
} from '../stage/state-space.ts';

/** Generated ways through a chart, one for each transition, and what the machine says on them. */

/** Way through a chart: the shortest one that takes this transition. */
export interface Path {
  readonly takes: string;
  readonly events: readonly EventObject[];
}
export function pathsOf({ kind, machine, sample }: Walker): Path[] {
  const wanted = new Set(transitionsOf(machine).filter((id) => !id.includes('--always'))).size;
  const { taken } = stateSpaceOf(kind, machine, sample, { isEnough: ({ size }) => size === wanted });
  return [...taken].map(([takes, events]) => ({ takes, events }));
}

export interface WalkedStep {
  readonly event: Said;
  readonly said: readonly Message[];
  readonly opened: readonly Open[];
  readonly told: readonly TellOwned[];
  readonly closed: readonly string[];
  readonly asked: readonly { readonly id: string; readonly method: string }[];
  readonly world: World;
  readonly snapshot: AnyMachineSnapshot;
}
export interface Walked {
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly steps: readonly WalkedStep[];
  readonly isEnded: boolean;
}

function stepOf(
  event: EventObject,
  before: World,
  snapshot: AnyMachineSnapshot,
  actions: readonly Asked[],
): WalkedStep {
  const of = <T>(type: string): T[] =>
    actions.flatMap((each) => (each.type === type ? [each.params as T] : []));
  return {
    event,
    said: actions.flatMap(({ type, params }): readonly Message[] => {
      if (type === 'post') return [params as Post];
      return type === 'postAll' ? (params as { messages: readonly Post[] }).messages : [];
    }),
    opened: opensIn(actions),
    told: of<TellOwned>('tellOwned'),
    closed: of<{ to: string }>('close').map(({ to }) => to),
    asked: of<{ id: string; method: string }>('request'),
    world: worldAfter(before, event, actions),
    snapshot,
  };
}

function canCome(event: Said, world: World, snapshot: AnyMachineSnapshot): boolean {
  if (event.type.startsWith('ask.')) return world.requests.has(event['id'] as string);
  if (event.type === 'owned.ended') return world.living.has(event['key'] as string);
  if (event.type === 'deadline.passed') return world.hasDeadline;
  if (event.type.startsWith('xstate.after.'))
    return aftersOf(snapshot).some(({ type }) => type === event.type);
  return true;
}

/**
 * How a walk is brought to an end: its machine is told to close, or all that it asked is answered before; or nobody says
 * anything more, and it comes to rest.
 */
export type Ending = 'closed' | 'answered' | 'left';
/** Only a server is expected to come to rest by itself. */
export const endingsOf = (kind: string): readonly Ending[] =>
  kind === 'client' ? ['closed', 'answered', 'left'] : ['closed', 'answered'];
const longest = 40;
const mostAnswers = 10;

function nextOf(
  sample: Sample,
  { world, snapshot }: WalkedStep,
  ending: Ending,
  n: number,
): Said | undefined {
  const close: Said[] = 'close' in sample.orders ? [{ type: 'close' }] : [];
  const answers = [...world.requests].flatMap((id): Said[] =>
    (sample.answers ?? [])
      .filter((answer) => answer['id'] === undefined || answer['id'] === id)
      .filter(({ type }) => type === 'ask.answered')
      .slice(0, 1)
      .map((answer) => ({ ...answer, id })),
  );
  const ends = [...world.living].flatMap(([segment, of]) => endsOf(sample, segment, of).slice(0, 1));
  const timers = [
    ...(world.hasDeadline ? [{ type: 'deadline.passed' }] : []),
    ...aftersOf(snapshot),
  ] as Said[];
  // Timers of a machine at rest go on for ever: a few of them are enough.
  if (ending === 'left') return answers[0] ?? ends[0] ?? (n < mostAnswers ? timers[0] : undefined);
  const isClosed = ending === 'closed' ? n === 0 : n === mostAnswers;
  if (ending === 'answered' && n < mostAnswers) return answers[0] ?? close[0];
  return (isClosed ? close[0] : undefined) ?? ends[0] ?? timers[0] ?? answers[0] ?? close[0];
}

export interface Walker {
  readonly kind: string;
  readonly machine: AnyStateMachine;
  readonly sample: Sample;
  readonly input: Readonly<Record<string, unknown>>;
  readonly chart: Stepping;
}
export function walkerOf(kind: string, machine: AnyStateMachine): Walker {
  const sample = samples[kind] as Sample;
  const input = { ...placed, ...sample.input };
  return { kind, machine, sample, input, chart: stepping(machine, input) };
}

/** With an ending, on to the machine's end; what cannot come is left out. */
export function walk({ kind, sample, input, chart }: Walker, { events }: Path, ending?: Ending): Walked {
  const steps = [stepOf({ type: 'born' }, nowhere, ...chart.first)];
  const last = (): WalkedStep => steps.at(-1) as WalkedStep;
  const isEnded = (): boolean => last().snapshot.status !== 'active';
  const take = (event: EventObject): void => {
    const { world, snapshot } = last();
    if (isEnded() || !canCome(event, world, snapshot)) return;
    steps.push(stepOf(event, world, ...chart.step(snapshot, event)));
  };
  for (const event of events) take(event);
  const most = ending ? longest : 0;
  for (let n = 0; n < most && !isEnded(); n += 1) {
    const event = nextOf(sample, last(), ending as Ending, n);
    if (!event) break;
    take(event);
  }
  return { kind, input, steps, isEnded: isEnded() };
}

/** People wait for what they do; the others cost minutes. */
const probedKinds = ['call', 'client'];
/** For some kinds with one more event at its end, for each that can come then. */
export function probed(walker: Walker, path: Path): Path[] {
  if (!probedKinds.includes(walker.kind)) return [path];
  const { steps, isEnded } = walk(walker, path);
  const { world, snapshot } = steps.at(-1) as WalkedStep;
  const { sample } = walker;
  const more = [
    ...ordersOf(sample),
    ...(sample.told ?? []),
    ...factsAt({ snapshot, world, how: [] }, sample),
    ...endsAt({ snapshot, world, how: [] }, sample),
    ...timersAt({ snapshot, world, how: [] }),
  ];
  return [path, ...(isEnded ? [] : more).map((event) => ({ ...path, events: [...path.events, event] }))];
}
