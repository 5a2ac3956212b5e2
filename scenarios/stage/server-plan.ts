import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import type { CallLimits } from '../../machines/call/policy/call-limiters.ts';
import type { OnConflict } from '../../machines/catalog/tool-table.ts';
import type { ToolMeta } from '../../machines/catalog/tool.ts';
import { refreshFailures, timingOf, type Timing } from '../../machines/kernel/timing.ts';

/** Settings of a configured server in a scenario; members not given have the default of the config. */
export interface ServerSettings {
  /** Starts the server with the computer; `false` means only by hand. */
  readonly autoStart?: boolean;
  /** Starts the server at the first call that needs it. */
  readonly isLazy?: boolean;
  /** Restarts the server: `true` after a failure, `false` never, `always` after any end. */
  readonly restart?: boolean | 'always';
  /** Number of attempts before the server is given up. */
  readonly budget?: number;
  /** Listens to change notifications of the server's lists; `false` ignores them. */
  readonly hearsChanges?: boolean;
  /** Number of failed refreshes in a row after which the server's entries are withdrawn. */
  readonly refreshFailures?: number;
  /** Names of tools that cannot be called. */
  readonly forbidden?: readonly string[];
  /** Names of the only tools that are offered. */
  readonly only?: readonly string[];
  /** Tools that run without confirmation: names, or `all`, `read`, `write`. */
  readonly autoApprove?: readonly string[];
  /** Rule for a tool whose name another server already uses. */
  readonly onConflict?: OnConflict;
  /** Number of the launch config; another number is another launch config. */
  readonly generation?: number;
  /** Counter of possible changes in the values of the server's placeholders. */
  readonly values?: number;
  /** Tells whether the server is reached by a URL, without a local process. */
  readonly isRemote?: boolean;
  /** Fingerprint of the server's launch config; name and generation by default. */
  readonly fingerprint?: string;
  /** Largest result in bytes, larger ones are cut; 0 means no limit. */
  readonly resultBytes?: number;
  /** Number of the server's calls that run at once, and number that may wait. */
  readonly limits?: CallLimits;
  /** Longest time of a call in ms, whatever its caller asks for; 0 means no limit. */
  readonly callTotalMs?: number;
}
/** With members that only the machines know. */
export interface ServerOptions extends ServerSettings {
  readonly toolMeta?: Readonly<Record<string, ToolMeta>>;
  readonly meta?: ToolMeta | null;
  readonly lastTools?: readonly string[];
  readonly kept?: ServerPlan['cached'];
  readonly hasProgram?: boolean;
}

const startOf = ({ autoStart = true, isLazy = false }: ServerOptions) =>
  isLazy ? 'lazy' : autoStart ? 'eager' : 'byHand';
const restartOf = ({ restart = true }: ServerOptions) =>
  restart === 'always' ? 'always' : restart ? 'on-failure' : 'never';

/** Builds the plan of a server; `isFree` means that its tools need no confirmation. */
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

/** Nothing happens by the clock alone; scenarios about polls and retries override it. */
export const calm: Partial<Timing> = {
  pollMs: 0,
  pollDeclaredMs: 0,
  pingEveryMs: 0,
  trialMs: 0,
  backoffMs: 1_000,
  longestBackoffMs: 1_000,
  drainMs: 1_000,
  stdinGraceMs: 500,
};
