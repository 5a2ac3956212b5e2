import type { Behaviour, Plan, ServerData, Step } from '../../stage/plan/plan.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import { calm, fromClearing, orders, wait } from './mutant.ts';

/** Runs in which some events of servers come more often: lists that fail, crashes, rest, other configs. */
type Call = Extract<Step, { do: 'call' }>;
const isCall = (step: Step): step is Call => step.do === 'call';
const withServers = (plan: Plan, change: (server: ServerData) => Partial<ServerData>): ServerData[] =>
  calm(plan).map((server) => ({ ...server, ...change(server) }));
/** Every so many calls something happens after it. */
const after = (plan: Plan, every: number, then: (call: Call, n: number) => readonly Step[]): Step[] => {
  let n = 0;
  return plan.steps.flatMap((step): readonly Step[] =>
    isCall(step) && (n += 1) % every === 0 ? [step, ...then(step, n)] : [step],
  );
};
const errors: Fault = {
  fault: 'rpc.error',
  when: 'list',
  code: -32_603,
  message: 'not today',
  from: 2,
  times: 4,
};
/** Lists are polled, and after the first some are refused. */
export const refusing = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({ faults: [errors], refreshFailures: 3, restart: true })),
  timing: { pollMs: 2_000, pollDeclaredMs: 2_000, relistMs: 100 },
});
/** Their tools are withdrawn before they are called. */
export const calledAnyway = (plan: Plan): Plan => ({
  ...refusing(plan),
  steps: [wait(8_000), ...plan.steps],
});
const late: Fault = { fault: 'rpc.late', when: 'list', ms: 500, from: 2 };
/** Servers die while they are asked for their lists. */
export const dying = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({ faults: [late], refreshFailures: 1, budget: 6 })),
  timing: { pollMs: 2_000, pollDeclaredMs: 2_000 },
  steps: [
    ...[
      wait(2_200),
      ...plan.servers.map(({ name }): Step => ({ do: 'kill', server: name, signal: 'SIGKILL' })),
    ],
    ...plan.steps,
  ],
});
const crashes: Fault = { fault: 'proc.crashLoop', when: 'start', n: 8, code: 1 };
/** Nobody can start for a while. */
export const crashing = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({ faults: [crashes], restart: true, budget: 4 })),
  timing: { backoffMs: 100, longestBackoffMs: 5_000, trialMs: 3_000, permitMs: 1_000 },
});
/** Who is told to stop is called once more, while it finishes what it has. */
export const interrupted = (plan: Plan): Plan => ({
  ...plan,
  servers: calm(plan),
  steps: after(plan, 3, (call) => [
    ...[
      wait(10),
      ...orders(plan, 'stop'),
      wait(1),
      { ...call, call: `${call.call}.late`, by: 'host' as const },
    ],
    ...[wait(400), ...orders(plan, 'start')],
  ]),
});
/** Everybody is pinged all the time. */
export const pinged = (plan: Plan): Plan => ({
  ...plan,
  servers: calm(plan),
  timing: { pingEveryMs: 100, pingMs: 50 },
});
/** Servers that start when they are needed, and rest soon. */
export const lazy = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({ isLazy: true })),
  timing: { idleStopMs: 200 },
});
/** Who calls does not wait until servers have started, and they take long. */
export const early = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({
    faults: [{ fault: 'life.initSlow', when: 'initialize', ms: 2_000, times: 1 }],
  })),
  steps: [
    ...plan.steps
      .filter(isCall)
      .slice(0, 3)
      .map((call, n) => ({ ...call, call: `early${n}`, reqId: `early${n}`, by: 'host' as const })),
    ...plan.steps,
  ],
});
/** The same, by callers who wait less long than that. */
export const hurried = (plan: Plan): Plan => {
  const { steps, ...rest } = early(plan);
  const hasted = (step: Step): Step =>
    isCall(step) && step.call.startsWith('early') ? { ...step, timeoutMs: 1_500 } : step;
  return { ...rest, steps: steps.map(hasted) };
};
const remote =
  (...faults: readonly Fault[]) =>
  ({ name }: ServerData): Partial<ServerData> => ({
    name,
    faults,
    isRemote: true,
    resources: [`note://${name}/1`, `note://${name}/2`],
  });
const gone: Fault = { fault: 'net.sessionGone', when: 'call', from: 2, times: 1 };
/** Servers over HTTP that forget their sessions, under calls and beside them; some of what they have is watched. */
export const forgotten = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, remote(gone, { ...gone, from: 3, afterMs: 10 })),
  steps: [
    wait(1_000),
    ...plan.servers.map(({ name }): Step => ({ do: 'watch', server: name, uris: [`note://${name}/2`] })),
    ...plan.steps,
  ],
});
/** Answers break off, and nothing else does. */
export const tornOff = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, remote({ fault: 'net.reset', when: 'call' })),
});
/** Nobody is let in. */
export const refusing401 = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(
    plan,
    remote({ fault: 'net.httpStatus', when: 'initialize', status: 401, retryAfter: 0 }),
  ),
});
const unspeakable: Behaviour = {
  faults: [{ fault: 'life.versionMismatch', when: 'initialize', version: '1999-12-31' }],
};
const config = (servers: readonly ServerData[], generation: number): Step => ({
  do: 'config',
  servers: servers.map(({ name }) => ({ name, generation })),
});
/** Launched otherwise they cannot be spoken with, and go back. */
export const misled = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, ({ tools }) => ({ later: { 2: unspeakable, 3: { ...(tools && { tools }) } } })),
  steps: [wait(1_000), config(plan.servers, 2), wait(5_000), ...fromClearing(plan)],
});
/** While they run their inputs give other values, and the config says so. */
export const renewed = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({})),
  steps: [
    wait(1_000),
    ...plan.servers.map(({ name }): Step => ({ do: 'values', server: name, values: 2 })),
    { do: 'config', servers: plan.servers.map(({ name }) => ({ name, values: 1 })) },
    ...[wait(5_000), ...fromClearing(plan).filter(({ do: what }) => what !== 'start')],
  ],
});
/** Whoever is asked for other values while they run never answers; then they are started again. */
export const unanswered = (plan: Plan): Plan => ({
  ...plan,
  servers: withServers(plan, () => ({})),
  steps: [
    wait(1_000),
    ...plan.servers.map(({ name }): Step => ({ do: 'values', server: name, values: 'never' })),
    { do: 'config', servers: plan.servers.map(({ name }) => ({ name, values: 1 })) },
    ...[wait(1_000), ...orders(plan, 'stop'), wait(5_000), ...orders(plan, 'start'), wait(1_000)],
    ...plan.servers.map(({ name }): Step => ({ do: 'values', server: name, values: 1 })),
    ...fromClearing(plan).filter(({ do: what }) => what !== 'start'),
  ],
});
const stubborn: Fault = { fault: 'proc.slowExit', when: 'stdinEnd', ms: 400 };
/** Some are taken out of the config; with `back`, they are put back before they have ended. */
export const takenOut =
  (back: boolean) =>
  (plan: Plan): Plan => ({
    ...plan,
    servers: withServers(plan, () => ({ faults: [stubborn] })),
    steps: [
      ...[wait(1_000), config(plan.servers.slice(1), 1), wait(100)],
      ...(back ? [config(plan.servers, 1)] : []),
      ...[wait(5_000), ...fromClearing(plan).filter(({ do: what }) => what !== 'start')],
    ],
  });
/** All servers are switched off while they run. */
export const switchedOff = (plan: Plan): Plan => ({
  ...plan,
  servers: calm(plan),
  steps: [
    wait(1_000),
    config([], 1),
    wait(5_000),
    ...fromClearing(plan).filter(({ do: what }) => what !== 'start'),
  ],
});
