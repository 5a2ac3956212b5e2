import type { Timing } from '../../../machines/kernel/timing.ts';
import type { PersonWord, Plan, Step } from '../../stage/plan/plan.ts';
import type { Word } from '../../fault-server/words/fault.ts';
import type { Act } from './cast.ts';
import { drawCalls, drawQuestions, drawShares, drawTroubles } from './draw-acts.ts';
import { drawBursts, drawCallTiming, drawHouse } from './draw-calling.ts';
import { drawServer } from './draw-server.ts';
import { between, chance, oneOf, spread, streamOf, type Random } from './streams.ts';

export interface ExpandOptions {
  readonly forMs: number;
  readonly among: (word: Word) => boolean;
}
/** Longer than every time-out and pause of a plan, so that nothing is under way at its end. */
const convergeMs = 180_000;

/** In ms; a run may make a limit very short, so that the usual winner of a race loses. */
const knobs: Readonly<Partial<Record<keyof Timing, readonly [low: number, high: number]>>> = {
  connectMs: [20, 2000],
  listMs: [20, 2000],
  provenStableMs: [10, 5000],
  backoffMs: [50, 3000],
  longestBackoffMs: [50, 10_000],
  trialMs: [500, 20_000],
  permitMs: [1, 1000],
  slowMs: [10, 2000],
  drainMs: [1, 1000],
  cancelGraceMs: [1, 1000],
  // Not too often: each run is long after its faults.
  pingEveryMs: [2000, 30_000],
  pingMs: [20, 2000],
  idleStopMs: [500, 20_000],
  pollMs: [2000, 30_000],
  pollDeclaredMs: [2000, 30_000],
  relistMs: [50, 3000],
  stdinGraceMs: [1, 1000],
  termGraceMs: [1, 1000],
  killGraceMs: [10, 1000],
  exitGraceMs: [1, 500],
  shutdownMs: [20, 8000],
  bootMs: [10, 5000],
  confirmMs: [10, 5000],
  linkMs: [20, 2000],
  linkBackoffMs: [100, 3000],
  quietMs: [1, 500],
  longestQuietMs: [1, 1000],
  aggregateMs: [20, 3000],
  readMs: [20, 3000],
  // Shorter, and an agent asks for all of a Finder with each of a thousand changes.
  coalesceMs: [50, 2000],
  queryMs: [50, 5000],
  refetchMs: [100, 3000],
};
function drawTiming(random: Random): Partial<Timing> {
  const share = chance(random, 0.5) ? 0 : random() * 0.5;
  const turned = Object.entries(knobs).filter(() => chance(random, share));
  return Object.fromEntries(turned.map(([knob, [low, high]]) => [knob, spread(random, low, high)]));
}
const persons: readonly (PersonWord | undefined)[] = [
  ...[undefined, undefined, undefined, undefined],
  ...(['yes', 'yes', 'no', 'never', 'nobody'] as const),
];

function inOrder(acts: readonly Act[], untilMs: number): Step[] {
  let now = 0;
  const steps: Step[] = [];
  for (const { at, step } of acts.toSorted((a, b) => a.at - b.at)) {
    if (at >= untilMs) break;
    if (at > now) steps.push({ do: 'run', ms: at - now });
    now = Math.max(now, at);
    steps.push(step);
  }
  return [...steps, { do: 'run', ms: untilMs - now }];
}
function recovery(random: Random, servers: readonly string[], hasOffice: boolean): Step[] {
  const isStarted = chance(random, 0.5);
  return [
    { do: 'clearFaults' },
    ...(hasOffice ? (['office', 'computer', 'agent'] as const) : (['computer'] as const)).map(
      (who): Step => ({ do: 'begin', who }),
    ),
    ...(isStarted ? servers.map((server): Step => ({ do: 'start', server })) : []),
    { do: 'run', ms: convergeMs },
    { do: 'quiescent' },
  ];
}

/** Executing the plan needs no more random choices. */
export function expand(seed: number, { forMs, among }: ExpandOptions): Plan {
  const random = streamOf(seed, 'day', 'options');
  const intensity = chance(random, 0.1) ? 0 : random();
  const environment = { seed, intensity, among };
  const servers = Array.from({ length: between(random, 1, 5) }, (_, n) =>
    drawServer(environment, `s${n + 1}`),
  );
  const hasOffice = chance(random, 0.8);
  const person = oneOf(random, persons);
  const cast = { seed, forMs, servers, hasOffice, among };
  const [calls, worries] = [spread(random, 1, 60), Math.floor(intensity * spread(random, 1, 20))];
  const timing = { ...drawTiming(streamOf(seed, 'day', 'timing')), ...drawCallTiming(seed) };
  const questions = spread(streamOf(seed, 'day', 'questions'), 1, 20);
  const others = [...drawCalls(cast, calls), ...drawTroubles(cast, worries), ...drawBursts(cast)];
  const { acts: shared, shares } = drawShares(cast);
  const acts = [...others, ...drawQuestions(cast, questions, others), ...shared];
  return {
    title: `seed ${seed}`,
    servers,
    steps: [
      { do: 'fault', fault: { fault: 'sched.permuteTies', seed } },
      ...inOrder(acts, forMs),
      ...recovery(
        random,
        servers.map(({ name }) => name),
        hasOffice,
      ),
    ],
    ...(Object.keys(timing).length > 0 && { timing }),
    ...drawHouse(seed, person),
    ...(hasOffice && { office: true as const }),
    ...(shares && { shares }),
    virtualOnly: 'generated from a seed',
  };
}
