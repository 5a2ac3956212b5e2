import { altered, provided, type Edit } from '../fixtures/altered.ts';
import type { Plan, Step } from '../stage/plan/plan.ts';
import type { Fault } from '../fault-server/words/fault.ts';
import type { SimulateOptions } from '../simulator/simulate.ts';

interface Changed {
  readonly what: string;
  readonly kinds?: SimulateOptions['kinds'];
  /** Until what it returns is called. */
  readonly patch?: () => () => void;
}
interface ByStory {
  readonly finder: { readonly story: string };
  readonly runs?: never;
}
interface ByInvariant {
  readonly finder: { readonly invariant: string };
  readonly runs?: (plan: Plan) => Plan;
}
export type StoryMutant = Changed & ByStory;
export type InvariantMutant = Changed & ByInvariant;
export type Mutant = StoryMutant | InvariantMutant;

/** No invariant, because one run alone does not show it. */
export const divergence = 'the same run goes the same way again';

export interface ChartArguments {
  readonly context: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
}
export type Actions = readonly unknown[];
export const doNothing = (): undefined => undefined;
export const ignoredEvent = (): object => ({});

export const withChart = (kind: string, ...edits: readonly Edit[]) => ({ kinds: altered(kind, edits) });
export const withImplementations = (kind: string, filled: object) => ({ kinds: provided(kind, filled) });

export const replacedMethod =
  <T extends object, K extends keyof T>(proto: T, method: K, made: (old: T[K]) => T[K]) =>
  (): (() => void) => {
    const old = proto[method];
    proto[method] = made(old);
    return () => void (proto[method] = old);
  };

export const calmServers = (plan: Plan): Plan['servers'] =>
  plan.servers.map(({ later: _, ...server }) => ({ ...server, autoStart: true, faults: [] }));
export const fromClearing = ({ steps }: Plan): Step[] =>
  steps.slice(steps.findIndex((step) => step.do === 'clearFaults'));
export const waitStep = (ms: number): Step => ({ do: 'run', ms });
export const orderSteps = (plan: Plan, order: 'start' | 'stop'): Step[] =>
  plan.servers.map(({ name: server }): Step => ({ do: order, server }));

const late: Fault = { fault: 'rpc.late', when: 'list', ms: 500 };
/** Every call changes the tools, and their list comes late. */
export const changeable = (plan: Plan): Plan => ({
  ...plan,
  servers: calmServers(plan).map(({ tools = {}, ...server }) => ({
    ...server,
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, { ...tool, changes: true }]),
    ),
    faults: [late],
  })),
});
/** Seated peers lose their connection for a moment, and come back without haste. */
export const cutOff = (plan: Plan): Plan => ({
  ...plan,
  servers: [],
  office: true,
  timing: { linkBackoffMs: 5_000 },
  steps: [
    waitStep(1_000),
    { do: 'fault', fault: { fault: 'agent.disconnect', ms: 50 } },
    waitStep(1_000),
    ...fromClearing(plan).filter((step) => step.do !== 'start'),
  ],
});
const slowly: Fault = { fault: 'life.initSlow', when: 'initialize', ms: 500 };
/** Servers start slowly when they are needed, answer after a while, and one call at a time runs; many come together. */
export const crowded = (plan: Plan): Plan => ({
  ...plan,
  servers: calmServers(plan).map(({ tools = {}, ...server }) => ({
    ...server,
    isLazy: true,
    faults: [slowly],
    limits: { concurrency: 1, queue: 3 },
    tools: Object.fromEntries(Object.keys(tools).map((name) => [name, { takes: 400 }])),
  })),
  timing: { ...plan.timing, idleStopMs: 300 },
  steps: plan.steps.flatMap((step): Step[] =>
    step.do === 'call'
      ? ['', '.b', '.c', '.d', '.e', '.f'].map((more) => ({
          ...step,
          call: step.call + more,
          reqId: step.reqId + more,
          timeoutMs: 1_000,
        }))
      : [step],
  ),
});
