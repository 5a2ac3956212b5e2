/** Decisions about one server: when to try again, what its calls and lists are, what its owner is told. */
import { callKind, repeated, settledBy, type CallStart } from '../call/call.rules.ts';
import type { CallPolicy } from '../call/policy/policy.ts';
import { catalogKind, spokeOfAnother, type CatalogOrder } from '../catalog/catalog.rules.ts';
import { catalogLists, type CatalogList } from '../catalog/entries.ts';
import { childOf, message, open, post, type Open, type OpenRefused, type Post } from '../kernel/effects.ts';
import type { Capabilities, ListKind, ServerInfo } from '../ports/session.ts';
import { extended } from '../kernel/objects.ts';
import { backoff, backoffSpread, timingOf } from '../kernel/timing.ts';
import { failureOfStep, isHopeless, notActive } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { ResourcesRelist } from '../resources/collections.ts';
import { watchKind } from '../resources/watch.machine.ts';
import type {
  ClientChanged,
  ClientContext,
  ClientInput,
  ClientPlan,
  ResourcesWatch,
  ServerCall,
  LogIn,
} from './client.events.ts';
import type { ConnectionEnd, ConnectionStart } from './connection.machine.ts';

/** Limit of a server's `Retry-After`. */
const longestAskedMs = 3_600_000;
function askedMs({ failure }: ClientContext): number {
  const seconds = failure?.details?.['retry_after'];
  return typeof seconds === 'number' ? Math.min(seconds * 1_000, longestAskedMs) : 0;
}
export const logInOf = ({ server, failure }: ClientContext): LogIn => {
  const said = failure?.details?.['said'];
  return { server, ...(typeof said === 'string' && { said }) };
};
/** Never shorter than the server requested. */
export const backoffOf = (c: ClientContext): number =>
  Math.max(askedMs(c), backoff(c.timing.backoffMs, Math.max(1, c.attempt), c.timing.longestBackoffMs));
const latest = (ms: number): number => Math.round(ms * (1 + backoffSpread));

/** During a longer pause calls are refused at once. */
const nearMs = 3_000;
const isNear = (c: ClientContext, { timeoutMs }: ServerCall): boolean => {
  const ms = latest(backoffOf(c));
  return ms <= nearMs && [timeoutMs, c.timing.callTotalMs].every((limit) => limit === 0 || ms < limit);
};
const isNearAfterLoss = (c: ClientContext, call: ServerCall): boolean =>
  c.restart !== 'never' &&
  canRetry(c) &&
  !isHopeless(c.failure) &&
  isNear({ ...c, attempt: c.attempt + 1 }, call);
/** A call waits for its server, within its own time limit. */
export function comesSoon(c: ClientContext, call: ServerCall): boolean {
  if (c.stage === 'waiting') return isNear(c, call);
  if (c.stage === 'recovering') return isNearAfterLoss(c, call);
  return c.stage === 'standby' || c.stage === 'connecting';
}

/** Before the one trial after the budget is used up; 0 when a retry without a change cannot help. */
export const trialOf = (c: ClientContext): number => {
  const { timing, failure, restart } = c;
  if (restart === 'never' || isHopeless(failure) || timing.trialMs === 0) return 0;
  return Math.max(askedMs(c), timing.trialMs);
};
/** The launch config has changed since it was last acted on. */
export const isOther = ({ asked, generation }: ClientContext): boolean => asked.generation !== generation;
/** As `isOther`, or a value of a placeholder has changed. */
export const isStale = (c: ClientContext): boolean => isOther(c) || c.asked.values !== c.values;
/** A server in standby is not started for a changed value alone. */
export const isOutdated = (c: ClientContext): boolean =>
  c.stage !== 'idle' && (c.stage === 'standby' ? isOther(c) : isStale(c));
export const canRetry = (c: ClientContext): boolean => c.attempt < c.budget;

/** Between two checks for idleness and for life; 0 = never. */
export function tickOf({ timing: { pingMs, pingEveryMs, idleStopMs }, start }: ClientContext): number {
  const ping = pingMs > 0 ? pingEveryMs : 0;
  const idle = start === 'lazy' ? Math.ceil(idleStopMs / 4) : 0;
  return ping > 0 && idle > 0 ? Math.min(ping, idle) : Math.max(ping, idle);
}
/** No call since the last tick. */
export const isQuiet = (c: ClientContext): boolean => c.inFlight === 0 && c.idleMs >= 0;
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

function firstGoal({ start, budget, spent, cached }: ClientInput): ClientContext['goal'] {
  if (spent.attempt >= Math.max(1, budget) && spent.isUp !== true) return 'stay';
  if (start === 'byHand') return 'stop';
  return start === 'eager' || cached === null ? 'again' : 'rest';
}
export const initialContext = (input: ClientInput): ClientContext => ({
  ...input,
  stage: 'idle',
  goal: firstGoal(input),
  asked: { generation: input.generation, values: input.values },
  spec: 0,
  info: null,
  waits: null,
  catalogs: [],
  refreshing: [],
  hasWatch: false,
  attempt: input.spent.attempt,
  inFlight: 0,
  idleMs: 0,
  failure: input.spent.failure,
  end: null,
  isRenewed: false,
  pings: 'untried',
  readyPlan: null,
  fallback: null,
});
export const connectionOf = ({
  server,
  generation,
  spec,
  hasProcess,
  timing,
}: ClientContext): ConnectionStart => ({ server, generation, spec, hasProcess, timing });

const nextTryOf = (c: ClientContext): number | null => {
  const ms = c.stage === 'waiting' ? backoffOf(c) : c.stage === 'open' ? trialOf(c) : 0;
  return ms > 0 ? latest(ms) : null;
};
export const lostFailure = (c: ClientContext): Failure =>
  c.failure ?? failureOfStep(c.server, 'session', 'its connection was lost');
/** `end` is undefined when the machine of the connection crashed. */
export const failureAtEnd = (c: ClientContext, end: ConnectionEnd | undefined): Failure | null =>
  end ? (end.failure ?? c.failure) : lostFailure(c);

/** The last plan that reached `ready`; null when there is none, or when it equals the new one. */
export function fallbackOf(c: ClientContext, plan: ClientPlan): ClientPlan | null {
  const proven = c.fallback ?? c.readyPlan;
  return proven?.generation === plan.generation ? null : proven;
}
export const planOf = (c: ClientContext): ClientPlan => ({
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
/** The result goes straight to the caller; if the machine crashes, the caller gets a failure. */
export const callOf = (
  c: ClientContext,
  call: ServerCall,
  { isPending = false, outlivesLoss = false } = {},
): Open => {
  const { type: _, isConfirmed: __, hasOutput: ___, meta, trace, ...asked } = call;
  const { reqId, agent, tool, params } = asked;
  return open(
    callKind,
    extended(asked, {
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
      isPending,
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
export const notActiveNow = (c: ClientContext, call: ServerCall): Post =>
  post(
    call.replyTo,
    settledBy(
      { ...call, server: c.server },
      'failed',
      notActive(c.server, c.stage === 'authorizing' ? 'unauthorized' : c.stage, nextTryOf(c), c.failure),
    ),
  );
export const repeatedCall = (c: ClientContext, { input }: OpenRefused): Post => {
  const call = input as CallStart;
  return post(call.replyTo, settledBy({ ...call, server: c.server }, 'failed', repeated(call.reqId)));
};
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
/** A call started it, or only its session was lost; after a failed try it offers none. */
const isKept = (c: ClientContext): boolean =>
  c.end?.isExpired === true || (c.inFlight > 0 && c.attempt === 0);
export const changed = (c: ClientContext): ClientChanged => ({
  type: 'client.changed',
  server: c.server,
  stage: c.stage,
  isOffered: c.stage === 'ready' || c.stage === 'standby' || (c.stage === 'connecting' && isKept(c)),
  failure: c.failure,
  attempt: c.attempt,
  nextTryMs: nextTryOf(c),
});
export const shownResources = ({ owner, server, info, isRelayed }: ClientContext): Post[] => {
  const resources = (!isRelayed && info?.capabilities.resources) || null;
  return resources ? [post(owner, { type: 'server.shows', server, resources })] : [];
};
