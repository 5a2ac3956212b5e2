/** Pure rules of a client: when it tries again, how long it waits, which lists it keeps. */
import type { CallPolicy } from '../call/policy/index.ts';
import { catalogLists, type CatalogList } from '../catalog/index.ts';
import type { ServerCall, ClientStage, Context, Input } from './client.events.ts';
import type { Capabilities } from '../kernel/ports.ts';
import { isHopeless } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';

/** Up to half as long again, by chance: many that failed together do not come back together. */
export const backoffSpread = 0.5;
/** No server is left alone for longer because it says so. */
const longestAskedMs = 3_600_000;
/** What the server asked for when it refused (`Retry-After`). */
function askedMs({ failure }: Context): number {
  const seconds = failure?.details?.['retry_after'];
  return typeof seconds === 'number' ? Math.min(seconds * 1_000, longestAskedMs) : 0;
}
/** Before the n-th try after a failure. */
export const backoffOf = (c: Context): number => {
  const { timing: t, attempt } = c;
  return Math.max(askedMs(c), Math.min(t.longestBackoffMs, t.backoffMs * 2 ** Math.max(0, attempt - 1)));
};
/** What is told: the latest moment. */
export const latest = (ms: number): number => Math.round(ms * (1 + backoffSpread));

/** A spent budget is tried once after a while, unless another try without a change cannot help. */
export const trialOf = (c: Context): number => {
  const { timing, failure, restart } = c;
  if (restart === 'never' || isHopeless(failure) || timing.trialMs === 0) return 0;
  return Math.max(askedMs(c), timing.trialMs);
};
/** Its launch spec was resolved of what is wanted no more. */
export const isStale = ({ resolved, generation, values }: Context): boolean =>
  resolved?.generation !== generation || resolved.values !== values;
export const canRetry = (c: Context): boolean => c.attempt < c.budget;

/** How often a ready server is looked at: is it idle, does it live? 0 = never. */
export function tickOf({ timing: { pingMs, pingEveryMs, idleStopMs }, start }: Context): number {
  const ping = pingMs > 0 ? pingEveryMs : 0;
  const idle = start === 'lazy' ? Math.ceil(idleStopMs / 4) : 0;
  return ping > 0 && idle > 0 ? Math.min(ping, idle) : Math.max(ping, idle);
}
export const isQuiet = (c: Context): boolean => c.inFlight === 0 && c.calls === c.callsSeen;
export const mayRest = (c: Context): boolean =>
  c.start === 'lazy' && c.timing.idleStopMs > 0 && isQuiet(c) && c.idleMs + tickOf(c) >= c.timing.idleStopMs;
export const mayPing = (c: Context): boolean =>
  c.timing.pingMs > 0 && c.timing.pingEveryMs > 0 && c.pings !== 'off' && isQuiet(c);

/** Whether a server has such a list and says when it changes; null: it has none. */
export function declaredOf(capabilities: Capabilities, list: CatalogList): boolean | null {
  const declared = capabilities[list === 'resourceTemplates' ? 'resources' : list];
  return declared === null ? null : declared.listChanged;
}
/** A server that is of use without its tools. */
export const hasMore = ({ resources, prompts }: Capabilities): boolean =>
  resources !== null || prompts !== null;
/** Lists that are to be asked for, and those that are known from before and are no more. */
export function listsOf(
  c: Context,
  capabilities: Capabilities,
): { list: CatalogList; isDeclared: boolean | null }[] {
  const isKnown = (list: CatalogList): boolean =>
    c.catalogs.includes(list) || (c.cached?.[list]?.length ?? 0) > 0;
  return catalogLists
    .map((list) => ({ list, isDeclared: declaredOf(capabilities, list) }))
    .filter(({ list, isDeclared }) => isDeclared !== null || isKnown(list));
}

export const initialContext = (input: Input): Context => ({
  ...input,
  spec: 0,
  resolved: null,
  process: '',
  ownsProcess: false,
  info: null,
  catalogs: [],
  refreshing: [],
  hasWatch: false,
  attempt: input.spent.attempt,
  inFlight: 0,
  calls: 0,
  callsSeen: 0,
  idleMs: 0,
  failure: input.spent.failure,
  wasReady: false,
  endedWell: false,
  wasKilled: false,
  isHolding: false,
  isRenewed: false,
  pings: 'untried',
  goal: 'end',
  fallback: null,
});

/** What a call of one of its tools has to pass. */
export const policyOf = (c: Context, { isConfirmed, meta, hasOutput }: ServerCall): CallPolicy => ({
  isConfirmed,
  generation: c.generation,
  confirmMs: c.timing.confirmMs,
  meta,
  isPostProcessed: hasOutput || c.isTransformed,
  lookMs: c.timing.lookMs,
  resultBytes: c.resultBytes,
});
/** What is said of a call whose machine broke. */
export const crashed: Failure = {
  code: 'Crashed',
  message: 'The machine of this call failed; whether the call took effect is unknown',
};
/** When it is tried again by itself, at the latest; null: it is not. */
export const nextTryOf = (c: Context, stage: ClientStage): number | null => {
  const ms = stage === 'waiting' ? backoffOf(c) : stage === 'open' ? trialOf(c) : 0;
  return ms > 0 ? latest(ms) : null;
};
