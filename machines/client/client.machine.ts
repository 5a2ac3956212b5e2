/**
 * State machine of one configured MCP server: its process, session, lists and calls. States:
 *
 * idle         — not wanted: `auto_connect` is off, the server was stopped, or it exited cleanly
 * standby      — started on demand: its cached tools are offered, and a call starts it
 * resolving    — placeholders are filled in; a missing value leads to `open`, with that reason
 * queued       — waits for the permit to connect, in one queue with the other servers of the computer
 * launching    — the process starts; servers over HTTP and inside this host have none
 * connected    — session: handshaking (initialize) → listing (first tools; unlisted: the list was lost) → ready:
 *                health{steady | pinging}, lists{known | refreshing} → draining{serving | cancelling}: going down,
 *                running calls may finish
 * renewing     — a remote server forgot the session: one new handshake, for which calls wait
 * disconnected — the stream broke: waits briefly for the exit of the process, to explain the failure
 * recovering   — lost or failed to connect: running calls learn of the loss, the rest of the process is ended
 *                Calls after the loss wait here, in `disconnected` and in `waiting` if the next try comes soon
 * waiting      — pause before the next try; `attempt` of `budget`
 * login        — the server requires one: authorizing, unauthorized (a person is awaited), or refused
 * open         — given up: budget used up, restart off, or a retry cannot help; one trial after a long pause
 * closing      — the process is ended step by step; `goal` is the next state: idle, standby, start again, or end
 * closed | killed (by SIGKILL) — final
 *
 * A new process is launched only after the old one was reported as ended. The status shown to users comes from the
 * tags.
 */
import { not, assign, setup } from 'xstate';
import { callKind, type CallOrder } from '../call/call.rules.ts';
import { catalogKind } from '../catalog/catalog.rules.ts';
import type { CatalogList } from '../catalog/entries.ts';
import {
  childOf,
  deadline,
  eventAsParams,
  noDeadline,
  open,
  opens,
  opensAll,
  post,
  posts,
  postsAll,
  requests,
  tellsOwned,
  toOwned,
  type OpenRefused,
  type OwnedEnded,
  effects,
} from '../kernel/effects.ts';
import {
  type ListKind,
  type ServerInfo,
  type Waits,
  sessionPort,
  type SessionLost,
} from '../kernel/ports.ts';
import { backoffSpread, timingOf } from '../kernel/timing.ts';
import { processKind, type ProcessOrder, type ProcessTag } from '../process/process.machine.ts';
import {
  waitsForLogin,
  type ProcessEnd,
  failureOfEnd,
  failureOfLoss,
  isHopeless,
} from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import {
  loginPort,
  specPort,
  type ClientContext,
  type ClientNews,
  type ClientPlan,
  type ClientStage,
  type LogIn,
  type Resolve,
  type ResourcesWatch,
  type ServerCall,
  type ClientEvent,
  type ClientInput,
  type Resolved,
} from './client.events.ts';
import * as rules from './client.rules.ts';

const clientSetup = setup({
  types: {
    context: {} as ClientContext,
    input: {} as ClientInput,
    events: {} as ClientEvent,
    output: {} as { readonly how: 'closed' | 'killed' },
    tags: {} as ProcessTag,
  },
  actors: { session: sessionPort },
  actions: {
    ...effects,
    takeSpec: assign(({ context: c }, { result }: { result: unknown }) => ({
      spec: (result as Resolved).spec,
      resolved: { generation: c.generation, values: c.values },
      waits: null,
    })),
    noteLaunch: assign({ ownsProcess: true, wasReady: false, endedWell: false }),
    rememberProcess: assign((_, params: { from: string }) => ({ process: params.from })),
    forgetProcess: assign((_, { output }: OwnedEnded) => ({
      ownsProcess: false,
      process: '',
      wasKilled: output === undefined || (output as ProcessEnd).how === 'killed',
    })),
    rememberInfo: assign((_, params: { info: ServerInfo }) => ({ info: params.info, waits: null })),
    rememberWaits: assign((_, { waits }: { waits: Waits }) => ({ waits })),
    rememberLists: assign(({ context: c }, params: { info: ServerInfo }) => ({
      catalogs: rules.listsOf(c, params.info.capabilities).map(({ list }) => list),
    })),
    noteWatch: assign({ hasWatch: true }),
    /** Its machine crashed; the next order opens a new one. */
    forgetWatch: assign(({ context: c }, { kind }: OwnedEnded) => ({
      hasWatch: c.hasWatch && kind !== 'watch',
    })),
    forgetList: assign(({ context: c }, { name }: { name: string }) => {
      const isOther = (list: CatalogList): boolean => childOf(c.self, catalogKind, list) !== name;
      return { catalogs: c.catalogs.filter(isOther), refreshing: c.refreshing.filter(isOther) };
    }),
    noteRefreshing: assign(({ context: c }, { list, isOver }: { list: CatalogList; isOver: boolean }) => {
      const others = c.refreshing.filter((each) => each !== list);
      return { refreshing: isOver ? others : [...others, list] };
    }),
    markReady: assign({ wasReady: true, isHolding: false, fallback: null, failure: null, idleMs: 0 }),
    markRenewed: assign({ isRenewed: true, isHolding: true, waits: null }),
    markProven: assign({ attempt: 0, isRenewed: false }),
    holdCalls: assign({ isHolding: true }),
    endHold: assign({ isHolding: false }),
    settleDown: assign({ isHolding: false, isRenewed: false, goal: 'end' }),
    forgetGoal: assign({ goal: 'end' }),
    notePong: assign({ pings: 'answered' }),
    stopPings: assign({ pings: 'off' }),
    noteTick: assign(({ context: c }) => ({
      callsSeen: c.calls,
      idleMs: rules.isQuiet(c) ? c.idleMs + rules.tickOf(c) : 0,
    })),
    setGoal: assign((_, params: { goal: ClientContext['goal'] }) => params),
    rememberFailure: assign((_, params: { failure: Failure | null }) => ({ failure: params.failure })),
    rememberEnd: assign(({ context: c }, { end }: { end: ProcessEnd }) => ({
      failure: failureOfEnd(c.server, end, c.wasReady),
      endedWell: c.wasReady && end.how === 'exited',
    })),
    rememberOwnedEnd: assign(({ context }, ended: OwnedEnded) => ({
      failure: rules.goneFailure(context, ended),
    })),
    rememberSlow: assign(({ context }, { phase, ms }: { phase: string; ms: number }) => ({
      failure: rules.slowFailure(context, phase, ms),
    })),
    rememberDisconnected: assign(({ context }, params: SessionLost) => ({
      failure: failureOfLoss(context.server, params),
    })),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    resetAttempts: assign({ attempt: 0, pings: 'untried' }),
    countCall: assign(({ context: c }) => ({ inFlight: c.inFlight + 1, calls: c.calls + 1 })),
    forgetCall: assign({ inFlight: ({ context }) => Math.max(0, context.inFlight - 1) }),
    /** If the launch config differs, the last plan with which the server was ready is the fallback. */
    takePlan: assign(({ context: c }, { plan }: { plan: ClientPlan }) => ({
      ...plan,
      ...(plan.generation !== c.generation && {
        attempt: 0,
        failure: null,
        pings: 'untried' as const,
        fallback: rules.fallbackOf(c, plan),
      }),
    })),
    rollBack: assign(({ context: c }) => ({ ...c.fallback, fallback: null, attempt: 0 })),
  },
  guards: {
    hasSpent: ({ context: c }) => c.attempt >= Math.max(1, c.budget) && c.spent.isUp !== true,
    isEager: ({ context: c }) => c.start === 'eager' || (c.start === 'lazy' && c.cached === null),
    isRefreshing: ({ context: c }) => c.refreshing.length > 0,
    isLazy: ({ context: c }) => c.start === 'lazy',
    needsProcess: ({ context: c }) => c.hasProcess,
    isHolding: ({ context: c }) => c.isHolding,
    isNear: ({ context }, call: ServerCall) => rules.isNear(context, call),
    isNearAfterLoss: ({ context }, call: ServerCall) => rules.isNearAfterLoss(context, call),
    isOther: ({ context: c }, { plan }: { plan: ClientPlan }) => plan.generation !== c.generation,
    hasOtherValues: ({ context: c }, { plan }: { plan: ClientPlan }) =>
      plan.generation !== c.generation || plan.values !== c.values,
    isStale: ({ context }) => rules.isStale(context),
    isSpec: (_, { id }: { id: string }) => id === 'spec',
    isOtherSpec: ({ context: c }, { id, result }: { id: string; result: unknown }) =>
      id === 'spec' && (result as Resolved).spec !== c.spec,
    wantsLogin: ({ context: c }) => c.failure?.code === 'Unauthorized' && !rules.isStale(c),
    isPing: (_, { id }: { id: string }) => id === 'ping',
    hasTools: ({ context: c }, params: { info: ServerInfo }) =>
      !c.isRelayed && params.info.capabilities.tools !== null,
    hearsOf: ({ context: c }, { list }: { list: CatalogList }) =>
      c.hearsChanges && c.info !== null && rules.declaredOf(c.info.capabilities, list) === true,
    isToolList: (_, params: { list: CatalogList }) => params.list === 'tools',
    isOptionalList: ({ context: c }, { list, lost }: { list: CatalogList; lost: boolean }) =>
      list === 'tools' && !lost && c.info !== null && rules.hasMore(c.info.capabilities),
    isSettled: (_, params: { list: CatalogList; failure: Failure | null }) =>
      params.list === 'tools' && params.failure === null,
    canRenew: ({ context: c }, params: { isExpired?: boolean }) => params.isExpired === true && !c.isRenewed,
    isServerLost: (_, params: { failure: Failure }) => params.failure.code === 'ServerLost',
    isLost: (_, params: { lost?: boolean }) => params.lost === true,
    /** Over HTTP a single request can be lost; a lost session also reports itself. */
    isLostList: (_, { list, lost, failure }: { list: CatalogList; lost: boolean; failure: Failure | null }) =>
      list === 'tools' && lost && !isHopeless(failure),
    isCall: (_, params: { kind: string }) => params.kind === 'call',
    isCatalog: (_, params: { kind: string }) => params.kind === 'catalog',
    isProcess: (_, params: { kind: string }) => params.kind === 'process',
    hasNoProcess: ({ context: c }) => !c.ownsProcess,
    isIdleOfCalls: ({ context }) => context.inFlight === 0,
    mayRest: ({ context }) => rules.mayRest(context),
    mayPing: ({ context }) => rules.mayPing(context),
    hasPonged: ({ context }) => context.pings === 'answered',
    hasFallback: ({ context }) => context.fallback !== null,
    /** Changed placeholder values always justify a retry. */
    isHopeless: ({ context: c }) => isHopeless(c.failure) && !rules.isStale(c),
    /** A clean exit on its own is no failure. */
    isOver: ({ context: c }) => c.endedWell && c.restart !== 'always',
    canRetry: ({ context: c }) => c.restart !== 'never' && rules.canRetry(c),
    goesAgain: ({ context: c }) => !c.ownsProcess && c.goal === 'again',
    goesToRest: ({ context: c }) => !c.ownsProcess && c.goal === 'rest',
    goesIdle: ({ context: c }) => !c.ownsProcess && c.goal === 'stop',
    wasKilled: ({ context: c }) => !c.ownsProcess && c.wasKilled,
    isStopping: ({ context: c }) => c.goal === 'stop',
    isEnding: ({ context: c }) => c.goal === 'end',
  },
  delays: {
    connectTimeout: ({ context }) => context.timing.connectMs,
    slow: ({ context }) => context.timing.slowMs,
    pong: ({ context }) => context.timing.pingMs,
    provenStable: ({ context }) => context.timing.provenStableMs,
    exitGrace: ({ context }) => context.timing.exitGraceMs,
    drain: ({ context }) => context.timing.drainMs,
    cancelGrace: ({ context }) => context.timing.cancelGraceMs,
    /** Safety net: the process machine normally ends the process itself before it. */
    ladder: ({ context: { timing: t } }) => t.stdinGraceMs + t.termGraceMs + t.killGraceMs + 1_000,
  },
});

type C = ClientContext;
const tell = <E>(news: (c: C, event: E) => ClientNews) =>
  posts((c: C, event: E) => post(c.owner, news(c, event)));
const news = (stage: ClientStage) => tell((c) => rules.changedTo(c, stage));
/** Only when closed at once; a server that may finish its calls reports this when draining starts. */
const tellClosing = news('closing');
const releasePermit = tell((c) => ({ type: 'permit.released', server: c.server }));
const tellRolledBack = tell((c) => ({
  type: 'server.rolledBack',
  server: c.server,
  generation: c.fallback?.generation ?? 0,
  failure: c.failure,
}));

const refuse = (stage: ClientStage) => posts((c: C, call: ServerCall) => rules.notActiveNow(c, stage, call));
export const openCall = opens(rules.callOf);
const openLateCall = opens((c: C, call: ServerCall) => rules.callOf(c, call, true));
const tellCalls = (order: (c: C) => CallOrder) => tellsOwned((c: C) => toOwned(callKind, order(c)));
const cancelCalls = tellCalls((c) => ({
  type: 'call.cancel',
  reason: c.goal === 'end' ? 'its server is being closed' : 'its server is being stopped',
}));
const cancelCall = posts((c: C, { ticket, reason }: { readonly ticket: string; readonly reason: string }) =>
  post(childOf(c.self, callKind, ticket), { type: 'call.cancel', reason }, { optional: true }),
);
/** Calls not sent yet: the session that queued them no longer exists. */
const holdCalls = tellCalls(() => ({ type: 'call.hold' }));
const tellLost = tellCalls((c) => ({ type: 'server.lost', failure: rules.lostFailure(c) }));

const tellProcess = (order: ProcessOrder) =>
  posts((c: C) => post(childOf(c.self, processKind), order, { optional: true }));
const closeProcess = tellProcess({ type: 'close' });
const endProcess = {
  type: 'close',
  params: ({ context }: { context: C }) => ({ to: childOf(context.self, processKind) }),
} as const;

const openLists = [
  opensAll((c: C, event: { readonly info: ServerInfo }) => rules.listsToOpen(c, event.info)),
  postsAll((c: C, event: { readonly info: ServerInfo }) => rules.sessionForLists(c, event.info)),
  { type: 'rememberLists', params: eventAsParams<{ readonly info: ServerInfo }> },
  postsAll((c: C, event: { readonly info: ServerInfo }) =>
    c.hasWatch ? rules.watchBegun(c, event.info) : [],
  ),
] as const;
const restLists = (why: (c: C) => string) =>
  tellsOwned((c: C) => toOwned(catalogKind, { type: 'catalog.rest', why: why(c) }));
const restLostLists = restLists((c) => rules.lostFailure(c).message);
const setWatch = (isConnected: boolean) =>
  [
    opensAll((c: C) => rules.watchToOpen(c)),
    postsAll((c: C, order: ResourcesWatch) => rules.watched(c, order, isConnected)),
    'noteWatch',
  ] as const;

/** A repeated id withdraws the older question. */
const askSpec = requests(({ server, generation }: C) => ({
  id: 'spec',
  target: specPort,
  method: 'resolve',
  params: { server, generation } satisfies Resolve,
}));
const withdrawSpec = { type: 'cancel', params: { id: 'spec' } } as const;
const takeSpec = { type: 'takeSpec', params: eventAsParams<{ readonly result: unknown }> } as const;
const askIfStale = clientSetup.enqueueActions(({ check, enqueue }) => {
  if (check('isStale')) enqueue(askSpec);
});
export const askPing = requests((c: C) => ({ id: 'ping', target: c.self, method: 'ping' }));

const goal = (wanted: C['goal']) => ({ type: 'setGoal', params: { goal: wanted } }) as const;
const ownProcess = { type: 'isProcess', params: eventAsParams<OwnedEnded> } as const;
const ownCatalog = { type: 'isCatalog', params: eventAsParams<OwnedEnded> } as const;
const forgetProcess = { type: 'forgetProcess', params: eventAsParams<OwnedEnded> } as const;
const forgetList = { type: 'forgetList', params: eventAsParams<OwnedEnded> } as const;
const rememberOwnedEnd = { type: 'rememberOwnedEnd', params: eventAsParams<OwnedEnded> } as const;
const rememberFailure = {
  type: 'rememberFailure',
  params: eventAsParams<{ readonly failure: Failure | null }>,
} as const;
type Planned = { readonly plan: ClientPlan };
const takePlan = { type: 'takePlan', params: eventAsParams<Planned> } as const;
const otherPlan = { type: 'isOther', params: eventAsParams<Planned> } as const;
const otherValues = { type: 'hasOtherValues', params: eventAsParams<Planned> } as const;

const callEnded = {
  guard: { type: 'isCall', params: eventAsParams<OwnedEnded> },
  actions: 'forgetCall',
} as const;
const processLost = {
  target: '#client.recovering',
  actions: { type: 'rememberEnd', params: eventAsParams<{ readonly end: ProcessEnd }> },
} as const;
/** The machine of the process crashed, so its end is not reported. */
const processGone = {
  guard: ownProcess,
  target: '#client.gone',
  actions: [rememberOwnedEnd, forgetProcess, 'endHold', tellLost, restLostLists],
} as const;
const slow = (phase: string, limit: 'connectMs' | 'pingMs') =>
  ({
    target: '#client.recovering',
    actions: {
      type: 'rememberSlow',
      params: ({ context }: { context: C }) => ({ phase, ms: context.timing[limit] }),
    },
  }) as const;
/** The call's own time limit applies. */
const pending = { actions: ['holdCalls', 'countCall', openCall] } as const;
const nearAfterLoss = { type: 'isNearAfterLoss', params: eventAsParams<ServerCall> } as const;
const startNow = { target: '#client.resolving', actions: 'resetAttempts' } as const;
const replaced = [
  { guard: otherPlan, target: '#client.resolving', actions: takePlan },
  { actions: takePlan },
] as const;
const retried = [
  { guard: otherValues, target: '#client.resolving', actions: takePlan },
  { actions: takePlan },
] as const;
const drained = { target: '#client.closing', actions: tellLost } as const;
const loginAnswers = {
  'ask.answered': '#client.resolving',
  'ask.refused': { target: '#client.login.refused', actions: rememberFailure },
  'call.request': { actions: refuse('unauthorized') },
  'server.start': {},
} as const;

export const clientMachine = clientSetup.createMachine({
  id: 'client',
  context: ({ input }) => rules.initialContext(input),
  initial: 'deciding',
  on: {
    'call.cancel': { actions: cancelCall },
    'asker.lost': {
      actions: tellsOwned((_: C, event: Extract<CallOrder, { readonly type: 'asker.lost' }>) =>
        toOwned(callKind, event),
      ),
    },
    'server.wanted': {},
    'owned.ended': [
      callEnded,
      { guard: ownCatalog, actions: forgetList },
      { actions: { type: 'forgetWatch', params: ({ event }) => event } },
    ],
    'open.refused': {
      actions: ['forgetCall', posts((c: C, event: OpenRefused) => rules.repeatedCall(c, event))],
    },
    'resources.watch': { actions: setWatch(false) },
    'resources.watched': { actions: tell((_, event: ResourcesWatched) => event) },
    'resources.relist': { actions: postsAll(rules.relisted) },
    'catalog.refreshing': { actions: { type: 'noteRefreshing', params: ({ event }) => event } },
  },
  states: {
    deciding: {
      always: [
        { guard: 'hasSpent', target: 'open' },
        { guard: 'isEager', target: 'resolving' },
        { guard: 'isLazy', target: 'standby' },
        { target: 'idle' },
      ],
    },
    idle: {
      entry: ['settleDown', news('idle')],
      on: {
        'call.request': { actions: refuse('idle') },
        'server.start': startNow,
        'server.stop': {},
        'server.update': { actions: takePlan },
        close: 'closed',
      },
    },
    standby: {
      entry: ['settleDown', news('standby')],
      on: {
        /** The server is started only once the machine of the call reports that the call is permitted. */
        'call.request': { actions: ['holdCalls', 'countCall', openCall] },
        'server.wanted': 'resolving',
        'server.start': startNow,
        'server.stop': { target: 'idle', actions: [goal('stop'), cancelCalls] },
        'server.update': replaced,
        close: 'closed',
      },
    },
    resolving: {
      tags: 'connecting',
      entry: ['forgetGoal', news('connecting'), askSpec],
      exit: withdrawSpec,
      on: {
        'ask.answered': { target: '#client.queued', actions: takeSpec },
        'ask.refused': [
          {
            guard: 'hasFallback',
            target: '#client.resolving',
            reenter: true,
            actions: [rememberFailure, tellRolledBack, 'rollBack'],
          },
          { target: '#client.open', actions: [rememberFailure, 'endHold', tellLost] },
        ],
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: '#client.idle', actions: [goal('stop'), cancelCalls] },
        'server.update': [
          { guard: otherValues, target: '#client.resolving', reenter: true, actions: takePlan },
          { actions: takePlan },
        ],
        close: { target: '#client.closed', actions: [goal('end'), cancelCalls] },
      },
    },
    queued: {
      tags: 'connecting',
      entry: tell((c) => ({ type: 'permit.wanted', server: c.server, again: c.attempt > 0 })),
      on: {
        'permit.granted': [
          { guard: 'needsProcess', target: '#client.launching' },
          { target: '#client.connected' },
        ],
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: '#client.idle', actions: [goal('stop'), cancelCalls] },
        'server.update': [
          { guard: otherValues, target: '#client.resolving', actions: [takePlan, releasePermit] },
          { actions: takePlan },
        ],
        close: { target: '#client.closed', actions: [goal('end'), releasePermit] },
      },
    },
    launching: {
      tags: 'connecting',
      entry: [
        'noteLaunch',
        opens((c: C) =>
          open(processKind, {
            server: c.server,
            generation: c.generation,
            spec: c.spec,
            timing: timingOf.process(c.timing),
          }),
        ),
      ],
      on: {
        'process.started': {
          target: 'connected',
          actions: { type: 'rememberProcess', params: ({ event }) => event },
        },
        'process.lost': processLost,
        'owned.ended': [callEnded, processGone],
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: 'closing', actions: [goal('stop'), cancelCalls, tellClosing] },
        'server.update': [
          { guard: otherPlan, target: 'closing', actions: [takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), cancelCalls, tellClosing] },
      },
      after: { connectTimeout: slow('launch', 'connectMs'), slow: { actions: releasePermit } },
    },
    connected: {
      invoke: {
        id: 'session',
        src: 'session',
        input: ({ context: { server, generation, spec, self: key, process, hasProcess } }) => ({
          server,
          generation,
          spec,
          key,
          process: hasProcess ? process : null,
        }),
      },
      on: {
        'process.lost': processLost,
        'owned.ended': [
          callEnded,
          processGone,
          /** Reconnects after the machine of a list crashed: a server without its lists is useless. */
          {
            guard: ownCatalog,
            target: 'recovering',
            actions: [forgetList, rememberOwnedEnd],
          },
        ],
        'session.failed': [
          {
            guard: { type: 'isServerLost', params: ({ event }) => event },
            target: '#client.disconnected',
            actions: rememberFailure,
          },
          { target: '#client.recovering', actions: rememberFailure },
        ],
        'session.lost': [
          { guard: { type: 'canRenew', params: ({ event }) => event }, target: 'renewing' },
          { target: 'disconnected', actions: { type: 'rememberDisconnected', params: ({ event }) => event } },
        ],
        'list.changed': {
          guard: { type: 'hearsOf', params: ({ event }) => event },
          actions: postsAll((c: C, { list }: { readonly list: ListKind }) => rules.changedList(c, list)),
        },
        'resource.updated': {
          actions: tell((c, { uri }: { readonly uri: string }) => ({
            type: 'resource.updated',
            server: c.server,
            uri,
          })),
        },
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: '.draining', actions: goal('stop') },
        'server.update': [
          { guard: otherPlan, target: '.draining', actions: [takePlan, goal('again')] },
          { actions: takePlan },
        ],
        close: { target: '.draining.cancelling', actions: goal('end') },
      },
      initial: 'handshaking',
      states: {
        handshaking: {
          tags: 'connecting',
          on: {
            'session.waits': {
              actions: [
                { type: 'rememberWaits', params: ({ event }) => event },
                posts(({ owner, server }: C, { waits }: { readonly waits: Waits }) =>
                  post(owner, { type: 'client.waits', server, waits }),
                ),
              ],
            },
            'session.opened': [
              {
                guard: { type: 'hasTools', params: ({ event }) => event },
                target: '#client.connected.listing',
                actions: [{ type: 'rememberInfo', params: ({ event }) => event }, ...openLists],
              },
              {
                target: '#client.connected.ready',
                actions: [{ type: 'rememberInfo', params: ({ event }) => event }, ...openLists],
              },
            ],
          },
          after: { connectTimeout: slow('initialize', 'connectMs'), slow: { actions: releasePermit } },
        },
        listing: {
          tags: 'connecting',
          on: {
            'catalog.settled': [
              {
                guard: { type: 'isSettled', params: ({ event }) => event },
                target: '#client.connected.ready',
              },
              {
                guard: { type: 'isLostList', params: ({ event }) => event },
                target: '#client.connected.unlisted',
                actions: rememberFailure,
              },
              {
                guard: { type: 'isOptionalList', params: ({ event }) => event },
                target: '#client.connected.ready',
              },
              {
                guard: { type: 'isToolList', params: ({ event }) => event },
                target: '#client.recovering',
                actions: rememberFailure,
              },
            ],
          },
          after: { slow: { actions: releasePermit } },
        },
        unlisted: {
          tags: 'connecting',
          after: { exitGrace: '#client.recovering' },
        },
        ready: {
          tags: 'ready',
          entry: [
            tellCalls(() => ({ type: 'call.go' })),
            'markReady',
            // Resources first, because a ready server without them counts as one that has none.
            postsAll(rules.shownResources),
            news('ready'),
            askIfStale,
          ],
          exit: withdrawSpec,
          on: {
            /** A changed spec leads to a reconnect, an unchanged one needs nothing. */
            'ask.answered': [
              {
                guard: { type: 'isOtherSpec', params: ({ event }) => event },
                target: '#client.connected.draining',
                actions: goal('again'),
              },
              { guard: { type: 'isSpec', params: ({ event }) => event }, actions: takeSpec },
            ],
            'server.update': [
              { guard: otherPlan, target: '#client.connected.draining', actions: [takePlan, goal('again')] },
              { guard: otherValues, actions: [takePlan, askSpec] },
              { actions: takePlan },
            ],
            'call.request': { actions: ['countCall', openCall] },
            'resources.watch': { actions: setWatch(true) },
          },
          after: {
            provenStable: {
              actions: ['markProven', tell((c) => ({ type: 'server.proven', server: c.server }))],
            },
          },
          type: 'parallel',
          states: {
            health: {
              initial: 'steady',
              states: {
                steady: {
                  entry: deadline('tick', rules.tickOf),
                  exit: noDeadline,
                  on: {
                    'deadline.passed': [
                      { guard: 'mayRest', target: '#client.connected.draining', actions: goal('rest') },
                      { guard: 'mayPing', target: 'pinging', actions: 'noteTick' },
                      { target: 'steady', reenter: true, actions: 'noteTick' },
                    ],
                  },
                },
                /** A call ends it, because a busy server may not answer a ping in time. */
                pinging: {
                  entry: askPing,
                  exit: { type: 'cancel', params: { id: 'ping' } },
                  on: {
                    'call.request': { target: 'steady', actions: ['countCall', openCall] },
                    'ask.answered': [
                      {
                        guard: { type: 'isPing', params: ({ event }) => event },
                        target: 'steady',
                        actions: 'notePong',
                      },
                    ],
                    'ask.refused': [
                      { guard: { type: 'isLost', params: ({ event }) => event } },
                      /** Even a refusal proves that the server is alive. */
                      {
                        guard: { type: 'isPing', params: ({ event }) => event },
                        target: 'steady',
                        actions: 'notePong',
                      },
                    ],
                  },
                  after: {
                    pong: [
                      { guard: 'hasPonged', ...slow('ping', 'pingMs') },
                      { target: 'steady', actions: 'stopPings' },
                    ],
                  },
                },
              },
            },
            lists: {
              initial: 'known',
              states: {
                known: { always: { guard: 'isRefreshing', target: 'refreshing' } },
                refreshing: {
                  tags: 'refreshing',
                  always: { guard: not('isRefreshing'), target: 'known' },
                },
              },
            },
          },
        },
        draining: {
          tags: 'closing',
          entry: news('closing'),
          always: { guard: 'isIdleOfCalls', target: '#client.closing' },
          on: {
            'call.request': { actions: refuse('closing') },
            'session.lost': drained,
            'session.failed': drained,
            'process.lost': drained,
            'owned.ended': [
              callEnded,
              {
                guard: ownProcess,
                target: '#client.closing',
                actions: [forgetProcess, tellLost],
              },
              {
                guard: ownCatalog,
                actions: forgetList,
              },
            ],
            'server.start': [{ guard: 'isEnding' }, { actions: goal('again') }],
            'server.stop': [{ guard: 'isStopping', target: '.cancelling' }, { actions: goal('stop') }],
            'server.update': { actions: takePlan },
            close: { target: '.cancelling', actions: goal('end') },
          },
          initial: 'serving',
          states: {
            /** Skipped when calls wait for a start, because they would wait in vain. */
            serving: { always: { guard: 'isHolding', target: 'cancelling' }, after: { drain: 'cancelling' } },
            cancelling: {
              entry: cancelCalls,
              on: {
                'server.stop': [
                  { guard: 'isEnding' },
                  { guard: 'isStopping', target: '#client.closing' },
                  { actions: goal('stop') },
                ],
                close: { actions: goal('end') },
              },
              after: { cancelGrace: '#client.closing' },
            },
          },
        },
      },
    },
    renewing: {
      tags: 'connecting',
      entry: ['markRenewed', holdCalls, restLists(() => 'its session was lost'), news('connecting')],
      always: 'connected',
    },
    disconnected: {
      tags: 'closing',
      entry: [holdCalls, news('recovering')],
      always: { guard: 'hasNoProcess', target: 'recovering' },
      on: {
        'process.lost': processLost,
        'owned.ended': [callEnded, processGone],
        'call.request': [
          { guard: nearAfterLoss, actions: ['holdCalls', 'countCall', openLateCall] },
          { actions: refuse('recovering') },
        ],
        'server.start': {
          target: 'closing',
          actions: [goal('again'), 'resetAttempts', tellLost, tellClosing],
        },
        'server.stop': { target: 'closing', actions: [goal('stop'), tellLost, cancelCalls, tellClosing] },
        'server.update': [
          { guard: otherPlan, target: 'closing', actions: [tellLost, takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), tellLost, cancelCalls, tellClosing] },
      },
      after: { exitGrace: 'recovering' },
    },
    recovering: {
      tags: 'closing',
      entry: ['endHold', tellLost, restLostLists, news('recovering'), closeProcess],
      always: { guard: 'hasNoProcess', target: 'gone' },
      on: {
        'owned.ended': [callEnded, { guard: ownProcess, target: 'gone', actions: forgetProcess }],
        'call.request': [{ guard: nearAfterLoss, ...pending }, { actions: refuse('recovering') }],
        'server.start': { target: 'closing', actions: [goal('again'), 'resetAttempts', tellClosing] },
        'server.stop': { target: 'closing', actions: [goal('stop'), cancelCalls, tellClosing] },
        'server.update': [
          { guard: otherPlan, target: 'closing', actions: [takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), cancelCalls, tellClosing] },
      },
      after: { ladder: { actions: endProcess } },
    },
    gone: {
      tags: 'connecting',
      always: [
        { guard: 'hasFallback', target: 'resolving', actions: [tellRolledBack, 'rollBack'] },
        { guard: 'isOver', target: 'idle', actions: tellLost },
        { guard: 'wantsLogin', target: 'login', actions: tellLost },
        { guard: 'isHopeless', target: 'open', actions: tellLost },
        { guard: 'canRetry', target: 'waiting', actions: 'countAttempt' },
        { target: 'open', actions: tellLost },
      ],
    },
    waiting: {
      tags: 'connecting',
      entry: [news('waiting'), deadline('backoff', rules.backoffOf, backoffSpread)],
      exit: noDeadline,
      on: {
        'deadline.passed': 'resolving',
        'call.request': [
          { guard: { type: 'isNear', params: eventAsParams<ServerCall> }, ...pending },
          { actions: refuse('waiting') },
        ],
        'server.start': startNow,
        'server.stop': { target: 'idle', actions: [goal('stop'), cancelCalls] },
        'server.update': replaced,
        close: { target: 'closed', actions: [goal('end'), cancelCalls] },
      },
    },
    login: {
      tags: 'connecting',
      entry: requests(({ server }: C) => ({
        id: 'login',
        target: loginPort,
        method: 'login',
        params: { server } satisfies LogIn,
      })),
      exit: { type: 'cancel', params: { id: 'login' } },
      on: {
        'server.stop': { target: '#client.idle', actions: goal('stop') },
        'server.update': [
          { guard: otherValues, target: '#client.resolving', actions: takePlan },
          { actions: takePlan },
        ],
        close: { target: '#client.closed', actions: goal('end') },
      },
      initial: 'authorizing',
      states: {
        authorizing: {
          entry: news('authorizing'),
          on: {
            ...loginAnswers,
            'ask.progress': {
              target: 'unauthorized',
              actions: {
                type: 'rememberFailure',
                params: ({ context, event }) => ({ failure: waitsForLogin(context.server, event.message) }),
              },
            },
          },
        },
        unauthorized: {
          entry: news('unauthorized'),
          on: { ...loginAnswers, 'ask.began': 'authorizing' },
        },
        /** The next start connects with the credentials available by then. */
        refused: {
          entry: news('unauthorized'),
          on: {
            'call.request': { actions: refuse('unauthorized') },
            'server.start': { target: '#client.resolving', actions: 'resetAttempts' },
          },
        },
      },
    },
    open: {
      entry: [news('open'), deadline('trial', rules.trialOf, backoffSpread)],
      exit: noDeadline,
      on: {
        'deadline.passed': 'resolving',
        'call.request': { actions: refuse('open') },
        'server.start': startNow,
        'server.stop': 'idle',
        'server.update': retried,
        close: 'closed',
      },
    },
    closing: {
      tags: 'closing',
      entry: [restLists(() => 'its server was stopped'), closeProcess],
      always: [
        { guard: 'goesAgain', target: 'resolving' },
        { guard: 'goesToRest', target: 'standby' },
        { guard: 'goesIdle', target: 'idle' },
        { guard: 'wasKilled', target: 'killed' },
        { guard: 'hasNoProcess', target: 'closed' },
      ],
      on: {
        'owned.ended': [callEnded, { guard: ownProcess, actions: forgetProcess }],
        'call.request': { actions: refuse('closing') },
        'server.start': [{ guard: 'isEnding' }, { actions: goal('again') }],
        'server.stop': [
          { guard: 'isEnding' },
          { guard: 'isStopping', actions: tellProcess({ type: 'process.hurry' }) },
          { actions: [goal('stop'), cancelCalls] },
        ],
        'server.update': { actions: takePlan },
        close: [
          { guard: 'isEnding' },
          { target: 'closing', reenter: true, actions: [goal('end'), cancelCalls] },
        ],
      },
      after: { ladder: [{ guard: 'isEnding', target: 'killed' }, { actions: endProcess }] },
    },
    closed: { type: 'final', output: { how: 'closed' } },
    killed: { type: 'final', tags: 'killed', output: { how: 'killed' } },
  },
  output: ({ event }) => (event as unknown as { output: { how: 'closed' | 'killed' } }).output,
});
