/** Rules of a client, as pure functions: when it tries again, which lists it keeps, and what it tells and opens. */
import { callKind, repeated, settledBy, type CallStart } from '../call/messages.ts';
import type { CallPolicy } from '../call/policy/index.ts';
import { catalogKind, type CatalogOrder } from '../catalog/catalog.rules.ts';
import { catalogLists, type CatalogList } from '../catalog/entries.ts';
import { childOf } from '../kernel/address.ts';
import {
  message,
  open,
  post,
  type Open,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { cameInstead, waitsFor, type Capabilities, type ListKind, type ServerInfo } from '../kernel/ports.ts';
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

/** No server is left alone for longer because it says so. */
const longestAskedMs = 3_600_000;
/** Pause that the server asked for when it refused (`Retry-After`). */
function askedMs({ failure }: ClientContext): number {
  const seconds = failure?.details?.['retry_after'];
  return typeof seconds === 'number' ? Math.min(seconds * 1_000, longestAskedMs) : 0;
}
/** Pause before the next try; never shorter than its server has asked for. */
export const backoffOf = (c: ClientContext): number =>
  Math.max(askedMs(c), backoff(c.timing.backoffMs, Math.max(1, c.attempt), c.timing.longestBackoffMs));
/** Latest moment of a pause, which is what is told. */
const latest = (ms: number): number => Math.round(ms * (1 + backoffSpread));

/** A spent budget is tried once after a while, unless another try without a change cannot help. */
export const trialOf = (c: ClientContext): number => {
  const { timing, failure, restart } = c;
  if (restart === 'never' || isHopeless(failure) || timing.trialMs === 0) return 0;
  return Math.max(askedMs(c), timing.trialMs);
};
/** Whether its launch spec was resolved of a plan that is no longer wanted. */
export const isStale = ({ resolved, generation, values }: ClientContext): boolean =>
  resolved?.generation !== generation || resolved.values !== values;
export const canRetry = (c: ClientContext): boolean => c.attempt < c.budget;

/** How often a ready server is looked at: is it idle, does it live? 0 = never. */
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
  c: ClientContext,
  capabilities: Capabilities,
): { list: CatalogList; isDeclared: boolean | null }[] {
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

/** When it is tried again by itself, at the latest; null: it is not. */
const nextTryOf = (c: ClientContext, stage: ClientStage): number | null => {
  const ms = stage === 'waiting' ? backoffOf(c) : stage === 'open' ? trialOf(c) : 0;
  return ms > 0 ? latest(ms) : null;
};

// ── failures of its handshake, and what it goes back to ────────────────────────────────────────────────
/** Failure of a step that got no answer in time; of a handshake with where it stood, and what came in place of the answer. */
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
/** Failure of a server whose process is gone without having said so. */
export const goneFailure = (c: ClientContext, { output, error }: OwnedEnded): Failure =>
  output
    ? failureOfEnd(c.server, output as ProcessEnd, c.wasReady)
    : (c.failure ?? failureOfStep(c.server, 'process', error ?? 'its process is gone'));

/** Plan to fall back to: the last one that was ready; null: there is none, or it is the new one. */
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
  timing: c.timing,
});

// ── its calls ──────────────────────────────────────────────────────────────────────────────────────────
/** Policy that a call of one of its tools has to pass. */
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
/** Actor of a call. Its answer goes straight to its asker, and so does its last will, should its machine break. */
export const callOf = (c: ClientContext, call: ServerCall): Open => {
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
/** Answer to a call that comes in a stage that takes none: what its server is waiting for. */
export const notActiveNow = (c: ClientContext, stage: ClientStage, call: ServerCall): Post =>
  post(
    call.replyTo,
    settledBy(
      { ...call, server: c.server },
      'failed',
      notActive(c.server, stage, nextTryOf(c, stage), c.failure),
    ),
  );
/** Answer to a call whose ticket is that of a call in flight. */
export const repeatedCall = (c: ClientContext, { input }: OpenRefused): Post => {
  const call = input as CallStart;
  return post(call.replyTo, settledBy({ ...call, server: c.server }, 'failed', repeated(call.reqId)));
};

// ── its lists and its watch ────────────────────────────────────────────────────────────────────────────
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
/** Lists of this session that have no actor yet. */
export const listsToOpen = (c: ClientContext, { capabilities }: ServerInfo): Open[] =>
  listsOf(c, capabilities)
    .filter(({ list }) => !c.catalogs.includes(list))
    .map(({ list }) => listStart(c, list));
/** All lists are told that there is a session. */
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
/** News of a changed list. Templates of resources change with the resources. */
export const changedList = (c: ClientContext, changed: ListKind): Post[] =>
  c.catalogs
    .filter((list) => list === changed || (list === 'resourceTemplates' && changed === 'resources'))
    .map((list) => post(childOf(c.self, catalogKind, list), { type: 'list.changed' }));
/** The list of resources is read again: at once for an asker that waits, by and by for a server that names what it has not listed. */
export const relisted = ({ self, catalogs }: ClientContext, { by, n }: ResourcesRelist): Post[] => {
  const order: CatalogOrder = n > 0 ? { type: 'list.wanted', by, n } : { type: 'list.doubted' };
  const to = childOf(self, catalogKind, 'resources');
  return catalogs.includes('resources') ? [post(to, order, { optional: true })] : [];
};
/** The watch over resources begins again with each session: a server forgets its subscribers with its session. */
export const watchBegun = (c: ClientContext, info: ServerInfo | null): Post[] =>
  info?.capabilities.resources?.subscribe === true
    ? [post(childOf(c.self, watchKind), { type: 'watch.open' })]
    : [];
/** The watch hears which resources are followed; a new one also that there is a session, if there is one. */
export const watched = (c: ClientContext, { uris, by }: ResourcesWatch, isConnected: boolean): Post[] => [
  post(childOf(c.self, watchKind), { type: 'watch.set', uris, by }),
  ...(isConnected && !c.hasWatch ? watchBegun(c, c.info) : []),
];
export const watchToOpen = ({ hasWatch, server, self, timing }: ClientContext): Open[] =>
  hasWatch ? [] : [open(watchKind, { server, session: self, timing })];

// ── what it tells its owner ────────────────────────────────────────────────────────────────────────────
export const changedTo = (c: ClientContext, stage: ClientStage): ClientChanged => ({
  type: 'client.changed',
  server: c.server,
  stage,
  isOffered: stage === 'ready' || stage === 'standby' || (c.isHolding && stage === 'connecting'),
  failure: c.failure,
  attempt: c.attempt,
  nextTryMs: nextTryOf(c, stage),
});
/** Message with the resources of a server, for Desktop and Finder. */
export const shownResources = ({ owner, server, info }: ClientContext): Post[] => {
  const resources = info?.capabilities.resources ?? null;
  return resources ? [post(owner, { type: 'server.shows', server, resources })] : [];
};
