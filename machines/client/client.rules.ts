import { callKind, repeated, settledBy, type CallStart } from '../call/call.rules.ts';
import type { CallPolicy } from '../call/policy/index.ts';
import { catalogKind, spokeOfAnother, type CatalogOrder } from '../catalog/catalog.rules.ts';
import { catalogLists, type CatalogList } from '../catalog/entries.ts';
import {
  childOf,
  message,
  open,
  post,
  type Open,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import type { Capabilities, ListKind, ServerInfo } from '../kernel/ports.ts';
import { cameInstead, waitsFor } from '../server-states.ts';
import { merging } from '../kernel/objects.ts';
import { backoff, backoffSpread, timingOf } from '../kernel/timing.ts';
import {
  failureOfEnd,
  failureOfStep,
  isHopeless,
  notActive,
  type ProcessEnd,
} from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { ResourcesRelist } from '../resources/collections.ts';
import { watchKind } from '../resources/watch.machine.ts';
import type {
  ClientChanged,
  ClientContext,
  ClientInput,
  ClientPlan,
  ClientStage,
  ResourcesWatch,
  ServerCall,
} from './client.events.ts';

/** Limit of a server's `Retry-After`. */
const longestAskedMs = 3_600_000;
function askedMs({ failure }: ClientContext): number {
  const seconds = failure?.details?.['retry_after'];
  return typeof seconds === 'number' ? Math.min(seconds * 1_000, longestAskedMs) : 0;
}
/** Never shorter than the server requested. */
export const backoffOf = (c: ClientContext): number =>
  Math.max(askedMs(c), backoff(c.timing.backoffMs, Math.max(1, c.attempt), c.timing.longestBackoffMs));
const latest = (ms: number): number => Math.round(ms * (1 + backoffSpread));

/** During a longer pause calls are refused at once. */
const nearMs = 3_000;
export const isNear = (c: ClientContext, { timeoutMs }: ServerCall): boolean => {
  const ms = latest(backoffOf(c));
  return ms <= nearMs && [timeoutMs, c.timing.callTotalMs].every((limit) => limit === 0 || ms < limit);
};
export const isNearAfterLoss = (c: ClientContext, call: ServerCall): boolean =>
  c.restart !== 'never' &&
  canRetry(c) &&
  !isHopeless(c.failure) &&
  isNear({ ...c, attempt: c.attempt + 1 }, call);

/** Before the one trial after the budget is used up; 0 when a retry without a change cannot help. */
export const trialOf = (c: ClientContext): number => {
  const { timing, failure, restart } = c;
  if (restart === 'never' || isHopeless(failure) || timing.trialMs === 0) return 0;
  return Math.max(askedMs(c), timing.trialMs);
};
export const isStale = ({ resolved, generation, values }: ClientContext): boolean =>
  resolved?.generation !== generation || resolved.values !== values;
export const canRetry = (c: ClientContext): boolean => c.attempt < c.budget;

/** Between two checks for idleness and for life; 0 = never. */
export function tickOf({ timing: { pingMs, pingEveryMs, idleStopMs }, start }: ClientContext): number {
  const ping = pingMs > 0 ? pingEveryMs : 0;
  const idle = start === 'lazy' ? Math.ceil(idleStopMs / 4) : 0;
  return ping > 0 && idle > 0 ? Math.min(ping, idle) : Math.max(ping, idle);
}
export const isQuiet = (c: ClientContext): boolean => c.inFlight === 0 && c.calls === c.callsSeen;
export const mayRest = (c: ClientContext): boolean =>
  c.start === 'lazy' && c.timing.idleStopMs > 0 && isQuiet(c) && c.idleMs + tickOf(c) >= c.timing.idleStopMs;
export const mayPing = (c: ClientContext): boolean =>
  c.timing.pingMs > 0 && c.timing.pingEveryMs > 0 && c.pings !== 'off' && isQuiet(c);

export function declaredOf(capabilities: Capabilities, list: CatalogList): boolean | null {
  const declared = capabilities[list === 'resourceTemplates' ? 'resources' : list];
  return declared === null ? null : declared.listChanged;
}
export const hasMore = ({ resources, prompts }: Capabilities): boolean =>
  resources !== null || prompts !== null;
export function listsOf(
  c: ClientContext,
  capabilities: Capabilities,
): { list: CatalogList; isDeclared: boolean | null }[] {
  if (c.isRelayed) return [];
  const isKnown = (list: CatalogList): boolean =>
    c.catalogs.includes(list) || (c.cached?.[list]?.length ?? 0) > 0;
  return catalogLists
    .map((list) => ({ list, isDeclared: declaredOf(capabilities, list) }))
    .filter(({ list, isDeclared }) => isDeclared !== null || isKnown(list));
}

export const initialContext = (input: ClientInput): ClientContext => ({
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

const nextTryOf = (c: ClientContext, stage: ClientStage): number | null => {
  const ms = stage === 'waiting' ? backoffOf(c) : stage === 'open' ? trialOf(c) : 0;
  return ms > 0 ? latest(ms) : null;
};

// ── failed handshakes, and the plan to return to ───────────────────────────────────────────────────────
/** For a handshake it includes the awaited step and any unexpected output. */
export function slowFailure(c: ClientContext, phase: string, ms: number): Failure {
  const { waits } = c;
  const instead =
    !waits || phase !== 'initialize'
      ? ''
      : `: ${waits.for === 'initialize' ? '' : `it still ${waitsFor(waits.for)}; `}${cameInstead(waits)}`;
  return failureOfStep(c.server, phase, `no answer to ${phase} within ${ms} ms${instead}`);
}
export const lostFailure = (c: ClientContext): Failure =>
  c.failure ?? failureOfStep(c.server, 'session', 'its connection was lost');
export const goneFailure = (c: ClientContext, { output, error }: OwnedEnded): Failure =>
  output
    ? failureOfEnd(c.server, output as ProcessEnd, c.wasReady)
    : (c.failure ?? failureOfStep(c.server, 'process', error ?? 'its process is gone'));

/** The last plan that reached `ready`; null when there is none, or when it equals the new one. */
export function fallbackOf(c: ClientContext, plan: ClientPlan): ClientPlan | null {
  const proven = c.fallback ?? (c.wasReady ? planOf(c) : null);
  return proven?.generation === plan.generation ? null : proven;
}
const planOf = (c: ClientContext): ClientPlan => ({
  generation: c.generation,
  values: c.values,
  hasProcess: c.hasProcess,
  start: c.start,
  restart: c.restart,
  budget: c.budget,
  hearsChanges: c.hearsChanges,
  refreshFailures: c.refreshFailures,
  isTransformed: c.isTransformed,
  resultBytes: c.resultBytes,
  ...(c.isRelayed && { isRelayed: c.isRelayed }),
  timing: c.timing,
});

// ── calls ──────────────────────────────────────────────────────────────────────────────────────────────
const policyOf = (c: ClientContext, { isConfirmed, meta, hasOutput }: ServerCall): CallPolicy => ({
  isConfirmed,
  generation: c.generation,
  confirmMs: c.timing.confirmMs,
  meta,
  isPostProcessed: hasOutput || c.isTransformed,
  lookMs: c.timing.lookMs,
  resultBytes: c.resultBytes,
});
const crashed: Failure = {
  code: 'Crashed',
  message: 'The machine of this call failed; whether the call took effect is unknown',
};
const startOf = merging('type', 'isConfirmed', 'meta', 'hasOutput', 'trace');
/** The result goes straight to the caller; if the machine crashes, the caller gets a failure. */
export const callOf = (c: ClientContext, call: ServerCall, outlivesLoss = false): Open => {
  const { reqId, agent, tool, params, meta, trace } = call;
  return open(
    callKind,
    startOf(call, {
      server: c.server,
      keeper: c.owner,
      policy: policyOf(c, call),
      request: {
        target: c.self,
        method: 'tools/call',
        params: trace
          ? { name: tool, arguments: params, _meta: { ...trace } }
          : { name: tool, arguments: params },
      },
      isPending: c.isHolding,
      ...(outlivesLoss && { outlivesLoss }),
      // Leaves the silence of a call without a limit to the limit of the config for it.
      ...(call.mostMs !== undefined && c.timing.callIdleMs > 0 && { timeoutMs: call.mostMs }),
      totalMs: c.timing.callTotalMs,
      idleMs: c.timing.callIdleMs,
    }),
    {
      key: call.ticket,
      draw: { port: 'judge', params: { reqId, agent, server: c.server, tool, params, meta } },
      lastWill: message(
        call.replyTo,
        settledBy({ ticket: call.ticket, reqId, server: c.server, tool }, 'unknown', crashed, 'unknown'),
      ),
    },
  );
};
export const notActiveNow = (c: ClientContext, stage: ClientStage, call: ServerCall): Post =>
  post(
    call.replyTo,
    settledBy(
      { ...call, server: c.server },
      'failed',
      notActive(c.server, stage, nextTryOf(c, stage), c.failure),
    ),
  );
export const repeatedCall = (c: ClientContext, { input }: OpenRefused): Post => {
  const call = input as CallStart;
  return post(call.replyTo, settledBy({ ...call, server: c.server }, 'failed', repeated(call.reqId)));
};

// ── lists and watch ────────────────────────────────────────────────────────────────────────────────────
const listStart = (c: ClientContext, list: CatalogList): Open =>
  open(
    catalogKind,
    {
      server: c.server,
      list,
      session: c.self,
      reader: c.owner,
      cached: c.cached?.[list] ?? null,
      refreshFailures: c.refreshFailures,
      timing: timingOf.catalog(c.timing),
    },
    { key: list },
  );
export const listsToOpen = (c: ClientContext, { capabilities }: ServerInfo): Open[] =>
  listsOf(c, capabilities)
    .filter(({ list }) => !c.catalogs.includes(list))
    .map(({ list }) => listStart(c, list));
export const sessionForLists = (c: ClientContext, { capabilities }: ServerInfo): Post[] =>
  listsOf(c, capabilities).map(({ list, isDeclared }) =>
    post(
      childOf(c.self, catalogKind, list),
      isDeclared === null
        ? { type: 'catalog.forget', why: 'its server has no such list any more' }
        : {
            type: 'catalog.open',
            isDeclared: isDeclared && c.hearsChanges,
            isOptional: list === 'tools' && hasMore(capabilities),
          },
    ),
  );
/** Resource templates change with the resources. */
export const changedList = (c: ClientContext, changed: ListKind): Post[] =>
  c.catalogs
    .filter((list) => list === changed || (list === 'resourceTemplates' && changed === 'resources'))
    .map((list) => post(childOf(c.self, catalogKind, list), { type: 'list.changed' }));
/** At once for a waiting request, later when a server merely mentioned an unlisted resource. */
export const relisted = ({ self, catalogs }: ClientContext, { by, n }: ResourcesRelist): Post[] => {
  const order: CatalogOrder =
    n > 0 ? { type: 'list.wanted', by, n } : { type: 'list.changed', why: spokeOfAnother };
  const to = childOf(self, catalogKind, 'resources');
  return catalogs.includes('resources') ? [post(to, order, { optional: true })] : [];
};
/** A server forgets subscriptions with its session. */
export const watchBegun = (c: ClientContext, info: ServerInfo | null): Post[] =>
  info?.capabilities.resources?.subscribe === true
    ? [post(childOf(c.self, watchKind), { type: 'watch.open' })]
    : [];
/** A new watch first learns of the open session, so that it asks at once. */
export const watched = (c: ClientContext, { uris, by }: ResourcesWatch, isConnected: boolean): Post[] => [
  ...(isConnected && !c.hasWatch ? watchBegun(c, c.info) : []),
  post(childOf(c.self, watchKind), { type: 'watch.set', uris, by }),
];
export const watchToOpen = ({ hasWatch, server, self, timing }: ClientContext): Open[] =>
  hasWatch ? [] : [open(watchKind, { server, session: self, timing })];

// ── reports to the owner ───────────────────────────────────────────────────────────────────────────────
/** A call started it, or only its session was lost; after a failed try it offers none. */
const isKept = (c: ClientContext): boolean => c.isHolding && (c.attempt === 0 || c.isRenewed);
export const changedTo = (c: ClientContext, stage: ClientStage): ClientChanged => ({
  type: 'client.changed',
  server: c.server,
  stage,
  isOffered: stage === 'ready' || stage === 'standby' || (stage === 'connecting' && isKept(c)),
  failure: c.failure,
  attempt: c.attempt,
  nextTryMs: nextTryOf(c, stage),
});
export const shownResources = ({ owner, server, info, isRelayed }: ClientContext): Post[] => {
  const resources = (!isRelayed && info?.capabilities.resources) || null;
  return resources ? [post(owner, { type: 'server.shows', server, resources })] : [];
};
