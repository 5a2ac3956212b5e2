/** What a client asks for: messages to its owner, its calls, its lists and its process, and its way back. */
import { childOf } from '../kernel/address.ts';
import { callKind, settledBy, type CallOrder, type CallStart } from '../call/messages.ts';
import { catalogKind } from '../catalog/catalog.events.ts';
import type { CatalogList } from '../catalog/index.ts';
import { backoffOf, backoffSpread, hasMore, listsOf, nextTryOf, tickOf, trialOf } from './client.rules.ts';
import { beginWatch } from './client.watch.ts';
import type { ServerCall, ClientNews, ClientPlan, ClientStage, Context } from './client.events.ts';
import {
  open,
  post,
  toOwned,
  type Open,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import type { ListKind, ServerInfo } from '../kernel/ports.ts';
import { processKind, type ProcessOrder } from '../process/process.machine.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import { failureOfStep, notActive, type ProcessEnd } from '../process/server-failure.ts';
import { timingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

type Of<E = unknown> = { readonly context: Context; readonly event: E };
const posts = <E>(message: (c: Context, event: E) => Post) =>
  ({ type: 'post', params: ({ context, event }: Of<E>) => message(context, event) }) as const;
const tell = <E>(event: (c: Context, event: E) => ClientNews) =>
  posts<E>((c, e) => post(c.owner, event(c, e)));

// ── to the owner ───────────────────────────────────────────────────────────────────────────────────────
export const news = (stage: ClientStage) =>
  tell((c) => ({
    type: 'client.changed',
    server: c.server,
    stage,
    isOffered: stage === 'ready' || stage === 'standby' || (c.isHolding && stage === 'connecting'),
    failure: c.failure,
    attempt: c.attempt,
    nextTryMs: nextTryOf(c, stage),
  }));
export const wantPermit = tell((c) => ({ type: 'permit.wanted', server: c.server, again: c.attempt > 0 }));
export const releasePermit = tell((c) => ({ type: 'permit.released', server: c.server }));
export const tellProven = tell((c) => ({ type: 'server.proven', server: c.server }));
export const tellRolledBack = tell((c) => ({
  type: 'server.rolledBack',
  server: c.server,
  generation: c.fallback?.generation ?? 0,
  failure: c.failure,
}));
const passUpdated = tell((c, { uri }: { readonly uri: string }) => ({
  type: 'resource.updated',
  server: c.server,
  uri,
}));

const passWatched = tell((_, event: ResourcesWatched) => event);
/** What a session and its watch say of resources goes on to the owner. */
export const resourceNews = {
  'resource.updated': { actions: passUpdated },
  'resources.watched': { actions: passWatched },
} as const;

/** To whoever makes something of the resources of all servers. */
export const tellResources = {
  type: 'postAll',
  params: ({ context: { owner, server, info } }: { context: Context }) => {
    const resources = info?.capabilities.resources ?? null;
    return { messages: resources ? [post(owner, { type: 'server.shows', server, resources })] : [] };
  },
} as const;

// ── calls ──────────────────────────────────────────────────────────────────────────────────────────────
/** No call is taken in this stage: it is answered at once with what it is waiting for. */
export const refuse = (stage: ClientStage) =>
  posts<ServerCall>((c, event) =>
    post(
      event.replyTo,
      settledBy(
        { ...event, server: c.server },
        'failed',
        notActive(c.server, stage, nextTryOf(c, stage), c.failure),
      ),
    ),
  );
/** Its ticket is that of a call in flight. */
export const refuseTwice = posts<OpenRefused>((c, event) => {
  const call = event.input as CallStart;
  return post(
    call.replyTo,
    settledBy({ ...call, server: c.server }, 'failed', {
      code: wireCodes.conflict,
      message: `A call '${call.reqId}' is already in flight`,
      details: { req_id: call.reqId },
    }),
  );
});
export const tellCalls = (event: (c: Context) => CallOrder) =>
  ({
    type: 'tellOwned',
    params: ({ context }: { context: Context }) => toOwned(callKind, event(context)),
  }) as const;
export const cancelCalls = tellCalls((c) => ({
  type: 'call.cancel',
  reason: c.goal === 'end' ? 'its server is being closed' : 'its server is being stopped',
}));
/** Nobody's turn comes in a session that is gone: what was not sent yet hears what becomes of its server. */
export const holdCalls = tellCalls(() => ({ type: 'call.hold' }));
export const releaseCalls = tellCalls(() => ({ type: 'call.go' }));
const lostFailure = (c: Context): Failure =>
  c.failure ?? failureOfStep(c.server, 'session', 'its connection was lost');
export const tellLost = tellCalls((c) => ({ type: 'server.lost', failure: lostFailure(c) }));
export const cancelCall = posts<{ readonly ticket: string; readonly reason: string }>(
  (c, { ticket, reason }) =>
    post(childOf(c.self, callKind, ticket), { type: 'call.cancel', reason }, { optional: true }),
);
export const passAskerLost = {
  type: 'tellOwned',
  params: ({ event }: { event: CallOrder }) => toOwned(callKind, event),
} as const;
// ── its process ────────────────────────────────────────────────────────────────────────────────────────
const tellProcess = (event: ProcessOrder) =>
  /** It may have come to its end in the meantime. */
  posts((c) => post(childOf(c.self, processKind), event, { optional: true }));
export const openProcess = {
  type: 'open',
  params: ({ context: c }: { context: Context }) =>
    open(processKind, {
      server: c.server,
      generation: c.generation,
      spec: c.spec,
      timing: timingOf.process(c.timing),
    }),
} as const;
export const closeProcess = tellProcess({ type: 'close' });
export const hurryProcess = tellProcess({ type: 'process.hurry' });
export const endProcess = {
  type: 'close',
  params: ({ context }: { context: Context }) => ({ to: childOf(context.self, processKind) }),
} as const;

// ── its lists ──────────────────────────────────────────────────────────────────────────────────────────
const startOf = (c: Context, list: CatalogList): Open =>
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
type Opened = Of<{ readonly info: ServerInfo }>;
/** Those that are new are opened, and all are told that there is a session. */
export const openLists = [
  {
    type: 'openAll',
    params: ({ context: c, event }: Opened) => ({
      opens: listsOf(c, event.info.capabilities)
        .filter(({ list }) => !c.catalogs.includes(list))
        .map(({ list }) => startOf(c, list)),
    }),
  },
  {
    type: 'postAll',
    params: ({ context: c, event }: Opened) => ({
      messages: listsOf(c, event.info.capabilities).map(({ list, isDeclared }) =>
        post(
          childOf(c.self, catalogKind, list),
          isDeclared === null
            ? { type: 'catalog.forget', why: 'its server has no such list any more' }
            : {
                type: 'catalog.open',
                isDeclared: isDeclared && c.hearsChanges,
                isOptional: list === 'tools' && hasMore(event.info.capabilities),
              },
        ),
      ),
    }),
  },
  { type: 'rememberLists', params: ({ event }: Opened) => event },
  beginWatch,
] as const;
export const whyLost = (c: Context): string => lostFailure(c).message;
export const restLists = (why: (c: Context) => string) =>
  ({
    type: 'tellOwned',
    params: ({ context: c }: { context: Context }) =>
      toOwned(catalogKind, { type: 'catalog.rest', why: why(c) }),
  }) as const;
/** Templates of resources change with the resources. */
export const tellList = {
  type: 'postAll',
  params: ({ context: c, event }: Of<{ readonly list: ListKind }>) => ({
    messages: c.catalogs
      .filter((list) => list === event.list || (list === 'resourceTemplates' && event.list === 'resources'))
      .map((list) => post(childOf(c.self, catalogKind, list), { type: 'list.changed' })),
  }),
} as const;

// ── its own clock ──────────────────────────────────────────────────────────────────────────────────────
const deadline = (purpose: string, ms: (c: Context) => number, spread = 0) =>
  ({
    type: 'setDeadline',
    params: ({ context }: { context: Context }) => ({ ms: ms(context), for: purpose, spread }),
  }) as const;
export const awaitBackoff = deadline('backoff', backoffOf, backoffSpread);
export const awaitTrial = deadline('trial', trialOf, backoffSpread);
export const awaitTick = deadline('tick', tickOf);
export const noDeadline = { type: 'setDeadline', params: { ms: 0 } } as const;
export const askPing = {
  type: 'request',
  params: ({ context }: { context: Context }) => ({ id: 'ping', target: context.self, method: 'ping' }),
} as const;
export const withdrawPing = { type: 'cancel', params: { id: 'ping' } } as const;

// ── parts of transitions ───────────────────────────────────────────────────────────────────────────────
export const eventAsParams = <E>({ event }: { event: E }): E => event;
export const goal = (wanted: Context['goal']) => ({ type: 'setGoal', params: { goal: wanted } }) as const;
export const ownProcess = { type: 'isProcess', params: eventAsParams<OwnedEnded> } as const;
export const takePlan = {
  type: 'takePlan',
  params: ({ event }: { event: { readonly plan: ClientPlan } }) => event,
} as const;
export const other = {
  type: 'isOther',
  params: ({ event }: { event: { readonly plan: ClientPlan } }) => event,
} as const;
export const processLost = {
  target: '#client.recovering',
  actions: { type: 'rememberEnd', params: ({ event }: { event: { readonly end: ProcessEnd } }) => event },
} as const;
/** Its process is gone without having said so: its machine broke. */
export const processGone = {
  guard: ownProcess,
  target: '#client.gone',
  actions: [
    { type: 'rememberOwnedEnd', params: eventAsParams<OwnedEnded> },
    { type: 'forgetProcess', params: eventAsParams<OwnedEnded> },
    'endHold',
    tellLost,
    restLists(whyLost),
  ],
} as const;
export const callEnded = {
  guard: { type: 'isCall', params: eventAsParams<OwnedEnded> },
  actions: 'forgetCall',
} as const;
export const slow = (phase: string, limit: 'connectMs' | 'pingMs') =>
  ({
    target: '#client.recovering',
    actions: {
      type: 'rememberSlow',
      params: ({ context }: { context: Context }) => ({ phase, ms: context.timing[limit] }),
    },
  }) as const;
const theFailure = ({ event }: { event: { readonly failure: Failure } }) => event;
const remember = { type: 'rememberFailure', params: theFailure } as const;
/** A server that dies in its handshake gets a moment to show how it died; one that said no is ended at once. */
export const sessionFailed = [
  { guard: { type: 'isServerLost', params: theFailure }, target: '#client.disconnected', actions: remember },
  { target: '#client.recovering', actions: remember },
] as const;
