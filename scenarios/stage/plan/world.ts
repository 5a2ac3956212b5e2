import type { AnyEventObject } from 'xstate';
import type { ComputerStart, ServerPlan, ServersSet } from '../../../machines/computer/computer.machine.ts';
import type { LinkStart } from '../../../machines/link/link.events.ts';
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
  type Step,
} from './plan.ts';

export type Wait =
  | { readonly what: string; readonly until: () => boolean }
  | { readonly ms: number }
  | { readonly act: (harness: Harness) => void | Promise<void> };
export type Waits = Generator<Wait, void>;

export type Transfer = Extract<Step, { do: 'put' | 'fetch' }>;

/** Place where a plan is played. All differences between virtual time and reality are behind this interface. */
export interface World {
  readonly observed: Observed;
  readonly isExact: boolean;
  /** Starts all root actors. */
  boot(): Waits;
  /** Asks on behalf of a host; `event` lacks only the address of its answer. */
  ask(who: 'computer' | 'agent', ticket: string, event: AnyEventObject): void;
  order(who: Root, event: AnyEventObject): void;
  /** Starts a root actor again; does nothing while it still runs. */
  begin(who: Root): Waits;
  clearFaults(): void;
  /** Lists conditions that should hold by now and do not. */
  quiescent(): readonly string[] | Promise<readonly string[]>;
  kill(server: string, signal: OutsideSignal): void;
  /** Makes the agent put a file, or read a large content. */
  transfer(step: Transfer): void;
  /** Values of the inputs of servers. */
  readonly specs: ScriptedSpecs;
  /** Causes a fault of host, agent or clock that is more than an order. */
  happen(fault: Fault): void;
  /** Returns a number in [0, 1) from the seed of the plan. */
  readonly random: () => number;
}

export const names = { computer: 'c1', agent: 'a1', office: 'o' } as const;

const faultsOf = (plan: Plan, word: string): Fault[] =>
  plan.steps.flatMap((step) => (step.do === 'fault' && step.fault.fault === word ? [step.fault] : []));
export const has = (plan: Plan, word: string): boolean => faultsOf(plan, word).length > 0;
export const seedOf = (plan: Plan): number | undefined => {
  const [ties] = faultsOf(plan, 'sched.permuteTies');
  return ties && Number(ties['seed']);
};
export const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** Tools are approved beforehand unless the plan says otherwise. */
const calledBy = ({ program, autoApprove }: ServerData): ServerOptions => ({
  hasProgram: program !== undefined,
  ...(autoApprove && { meta: null }),
});
const serverPlan = (plan: Plan, s: ServerData): ServerPlan =>
  planOf(s.name, { ...s, ...calledBy(s) }, timingOf(plan), plan.person === undefined);
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
