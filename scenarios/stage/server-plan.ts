import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import type { CallLimits } from '../../machines/call/policy/index.ts';
import type { OnConflict } from '../../machines/catalog/tool-table.ts';
import type { ToolMeta } from '../../machines/catalog/tool.ts';
import { refreshFailures, timingOf, type Timing } from '../../machines/kernel/timing.ts';

/** What a scenario may say of a configured server; what it does not say is as a config has it. */
export interface ServerSettings {
  /** `false`: it is started by hand only. */
  readonly autoStart?: boolean;
  /** It is started by the first call that needs it. */
  readonly isLazy?: boolean;
  /** `true`: after a failure; `false`: never. */
  readonly restart?: boolean | 'always';
  /** How often it is tried again before it is given up. */
  readonly budget?: number;
  /** `false`: what it tells of its lists is not heard. */
  readonly hearsChanges?: boolean;
  /** After so many refreshes in a row that failed its entries are taken back. */
  readonly refreshFailures?: number;
  /** Tools that cannot be called, by name. */
  readonly forbidden?: readonly string[];
  /** The only tools that are offered, by name. */
  readonly only?: readonly string[];
  /** Tools that run without a question: names, or `all`, `read`, `write`. */
  readonly autoApprove?: readonly string[];
  /** What becomes of a tool whose name another has. */
  readonly onConflict?: OnConflict;
  /** Another number: another launch config. */
  readonly generation?: number;
  /** Counts what may have changed the values of its placeholders. */
  readonly values?: number;
  /** It has no process of ours. */
  readonly isRemote?: boolean;
  /** Of its launch config; by default its name and generation. */
  readonly fingerprint?: string;
  /** Larger results are cut; 0 = none is. */
  readonly resultBytes?: number;
  /** How many of its calls run at once, and how many wait for that. */
  readonly limits?: CallLimits;
  /** No call takes longer, whatever its caller says; 0 = no such limit. */
  readonly callTotalMs?: number;
}
/** The same, and what is written down for the machines alone. */
export interface ServerOptions extends ServerSettings {
  readonly toolMeta?: Readonly<Record<string, ToolMeta>>;
  readonly meta?: ToolMeta | null;
  /** The tools of its last run, of which only the names count. */
  readonly lastTools?: readonly string[];
  readonly kept?: ServerPlan['cached'];
  /** Its results go through a program. */
  readonly hasProgram?: boolean;
}

const startOf = ({ autoStart = true, isLazy = false }: ServerOptions) =>
  isLazy ? 'lazy' : autoStart ? 'eager' : 'byHand';
const restartOf = ({ restart = true }: ServerOptions) =>
  restart === 'always' ? 'always' : restart ? 'on-failure' : 'never';

/** `isFree`: its tools need no confirmation. */
export const planOf = (server: string, o: ServerOptions, timing: Timing, isFree: boolean): ServerPlan => ({
  rules: {
    server,
    forbiddenTools: o.forbidden ?? [],
    ...(o.only && { onlyTools: o.only }),
    toolMeta: o.toolMeta ?? {},
    defaultToolMeta: o.meta === undefined ? { auto_apply: isFree } : o.meta,
    autoApprove: o.autoApprove ?? [],
    ...(o.onConflict && { onConflict: o.onConflict }),
    ...(o.lastTools && { lastTools: o.lastTools }),
  },
  client: {
    generation: o.generation ?? 1,
    values: o.values ?? 0,
    hasProcess: o.isRemote !== true,
    start: startOf(o),
    restart: restartOf(o),
    budget: o.budget ?? 5,
    hearsChanges: o.hearsChanges ?? true,
    refreshFailures: o.refreshFailures ?? refreshFailures,
    isTransformed: o.hasProgram ?? false,
    resultBytes: o.resultBytes ?? 0,
    timing: timingOf.client({ ...timing, callTotalMs: o.callTotalMs ?? 0 }),
  },
  fingerprint: o.fingerprint ?? `${server}@${o.generation ?? 1}`,
  cached: o.kept ?? null,
});

/** Nothing happens by the clock alone: a scenario that is about looks, polls and trials says so. */
export const calm: Partial<Timing> = {
  pollMs: 0,
  pollDeclaredMs: 0,
  pingEveryMs: 0,
  trialMs: 0,
  backoffMs: 1_000,
  longestBackoffMs: 1_000,
  drainMs: 1_000,
};
