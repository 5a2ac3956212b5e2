import type { Plan, ServerData, Step } from '../stage/plan/plan.ts';
import type { Fault } from '../fault-server/words/fault.ts';
import { calmServers, fromClearing, orderSteps, waitStep } from './mutant.ts';

/** Runs in which some events of servers come more often: crashes, stops, other values. */
type Call = Extract<Step, { do: 'call' }>;
const isCall = (step: Step): step is Call => step.do === 'call';
const withServers = (plan: Plan, change: (server: ServerData) => Partial<ServerData>): ServerData[] =>
  calmServers(plan).map((server) => ({ ...server, ...change(server) }));
const after = (plan: Plan, every: number, then: (call: Call, n: number) => readonly Step[]): Step[] => {
  let n = 0;
  return plan.steps.flatMap((step): readonly Step[] =>
    isCall(step) && (n += 1) % every === 0 ? [step, ...then(step, n)] : [step],
  );
};
const crashes: Fault = { fault: 'proc.crashLoop', when: 'start', n: 8, code: 1 };
export const crashing = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({ faults: [crashes], restart: true, budget: 4 })),
  timing: { backoffMs: 100, longestBackoffMs: 5_000, trialMs: 3_000, permitMs: 1_000 },
});
/** A stopping server is called once more, while it finishes its calls. */
export const interrupted = (plan: Plan): Plan => ({
  ...plan,
  servers: calmServers(plan),
  steps: after(plan, 3, (call) => [
    ...[
      waitStep(10),
      ...orderSteps(plan, 'stop'),
      waitStep(1),
      { ...call, call: `${call.call}.late`, by: 'host' as const },
    ],
    ...[waitStep(400), ...orderSteps(plan, 'start')],
  ]),
});
/** A question for other values is never answered, after which the servers are started again. */
export const unanswered = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({})),
  steps: [
    waitStep(1_000),
    ...plan.servers.map(({ name }): Step => ({ do: 'values', server: name, values: 'never' })),
    { do: 'config', servers: plan.servers.map(({ name }) => ({ name, values: 1 })) },
    ...[
      waitStep(1_000),
      ...orderSteps(plan, 'stop'),
      waitStep(5_000),
      ...orderSteps(plan, 'start'),
      waitStep(1_000),
    ],
    ...plan.servers.map(({ name }): Step => ({ do: 'values', server: name, values: 1 })),
    ...fromClearing(plan).filter(({ do: what }) => what !== 'start'),
  ],
});
