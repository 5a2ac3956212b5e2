import type { AnyEventObject } from 'xstate';
import type { ComputerStart, ServerPlan, ServersSet } from '../../../machines/computer/computer.machine.ts';
import type { LinkStart } from '../../../machines/link/link.machine.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import type { Harness } from '../harness.ts';
import type { ScriptedSpecs } from '../scripted/host-ports.ts';
import { planOf, type ServerOptions } from '../server-plan.ts';
import type { Observed } from './observations.ts';
import {
  timingOf,
  type ConfigEntry,
  type OutsideSignal,
  type Plan,
  type Root,
  type ServerData,
} from './plan.ts';

/** What a play waits for: something to be seen, or that time passes. */
export type Wait = { readonly what: string; readonly until: () => boolean } | { readonly ms: number };
export type Waits = Generator<Wait, void>;

/** Where a plan is played. What differs between virtual time and reality is behind this, and nothing else does. */
export interface World {
  readonly observed: Observed;
  readonly isExact: boolean;
  /** Everybody is started. */
  boot(): Waits;
  /** A call of somebody's host; `event` but for where its answer goes. */
  ask(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): void;
  order(who: Root, event: AnyEventObject): void;
  /** Started again by its host; nothing while it is still there. */
  begin(who: Root): void;
  clearFaults(): void;
  /** What has to have come by now, and has not. */
  quiescent(): readonly string[];
  kill(server: string, signal: OutsideSignal): void;
  /** What the inputs of servers give. */
  readonly specs: ScriptedSpecs;
  /** Faults of host, agent and clock that are more than an order. */
  happen(fault: Fault): void;
  /** What code does that knows virtual time. */
  code(act: (harness: Harness) => void): void;
  /** In [0, 1), from the seed of the plan. */
  readonly random: () => number;
}

export const names = { computer: 'c1', agent: 'a1', office: 'o' } as const;

const faultsOf = (plan: Plan, word: string): Fault[] =>
  plan.steps.flatMap((step) => (step.do === 'fault' && step.fault.fault === word ? [step.fault] : []));
export const has = (plan: Plan, word: string): boolean => faultsOf(plan, word).length > 0;
/** Of everything that is chosen by chance, from the beginning. */
export const seedOf = (plan: Plan): number | undefined => {
  const [ties] = faultsOf(plan, 'sched.permuteTies');
  return ties && Number(ties['seed']);
};
export const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** What is approved beforehand is so where nothing else is said of a tool. */
const calledBy = ({ program, autoApprove }: ServerData): ServerOptions => ({
  hasProgram: program !== undefined,
  ...(autoApprove && { meta: null }),
});
const serverPlan = (plan: Plan, s: ServerData): ServerPlan =>
  planOf(s.name, { ...s, ...calledBy(s) }, timingOf(plan), plan.person === undefined);
/** The computer of a plan, whoever plays it. `url`: of its office. */
export const computerOf = (plan: Plan, url: string | null): ComputerStart => ({
  servers: plan.servers.filter(({ isAbsent }) => !isAbsent).map((server) => serverPlan(plan, server)),
  link:
    url === null
      ? null
      : ({ url, role: 'computer', name: names.computer, office: names.office } satisfies Omit<
          LinkStart,
          'timing'
        >),
  timing: timingOf(plan),
  shown: { servers: {}, inputs: [] },
});
/** Another config of the same computer. */
export const configOf = (plan: Plan, entries: readonly ConfigEntry[]): ServersSet => ({
  type: 'servers.set',
  servers: entries.flatMap(({ name, ...now }) =>
    plan.servers.filter((s) => s.name === name).map((s) => serverPlan(plan, { ...s, ...now })),
  ),
  shown: { servers: Object.fromEntries(entries.map(({ name, ...now }) => [name, now])), inputs: [] },
});
export const agentOf = (plan: Plan, url: string) => ({
  link: { url, name: names.agent, office: names.office },
  timing: timingOf(plan),
});
