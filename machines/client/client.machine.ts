/**
 * State machine of one configured MCP server: what is wanted of it, its tries to connect, its lists and calls. Each try
 * is a machine of its own (connection.machine.ts). States:
 *
 * deciding — what comes next: by what is wanted (`goal`), else by how the last try ended
 * off      — no try is under way:
 *   idle      not wanted: `auto_connect` is off, the server was stopped, or it exited cleanly
 *   standby   started on demand: its cached tools are offered, and a call starts it
 *   resolving placeholders are filled in; a missing value leads to `open`, with that reason
 *   queued    waits for the permit to connect, in one queue with the other servers of the computer
 *   waiting   pause before the next try; `attempt` of `budget`
 *   login     the server requires one: authorizing, or unauthorized (a person is awaited)
 *   refused   the login came to nothing
 *   open      given up: budget used up, restart off, or a retry cannot help; then a try after each long pause
 * on       — a connection: launching (its process) → handshaking (`initialize`) → listing (first tools; unlisted: the
 *            list was lost) → ready: health{steady | pinging}, lists{known | refreshing}
 * lost     — broken (calls are held; the explanation follows) → ending (they know; the rest of the process is ended).
 *            Calls wait here and in `waiting` if the next try comes soon
 * leaving  — serving (running calls may finish) → cancelling → ending; `goal` says what follows
 * closed | killed (by SIGKILL) — final
 *
 * A new connection is opened only after the old one has ended. The status shown to users comes from the tags.
 */
import { assign, not, setup } from 'xstate';
import { callKind, type CallOrder } from '../call/call.rules.ts';
import { catalogKind } from '../catalog/catalog.rules.ts';
import type { CatalogSettled } from '../catalog/catalog.machine.ts';
import type { CatalogList } from '../catalog/entries.ts';
import {
  childOf,
  deadline,
  withEvent,
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
import type { ListKind, ServerInfo, Waits } from '../ports/session.ts';
import { backoffSpread } from '../kernel/timing.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import { waitsForLogin, failureOfStep, isHopeless } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import {
  loginPort,
  specPort,
  type ClientContext,
  type ClientNews,
  type ClientPlan,
  type ClientStage,
  type Resolve,
  type ResourcesWatch,
  type ServerCall,
  type ClientEvent,
  type ClientInput,
  type Resolved,
} from './client.events.ts';
import * as rules from './client.rules.ts';
import { connectionKind, ladderMs, type ConnectionEnd, type ConnectionOrder } from './connection.machine.ts';

const clientSetup = setup({
  types: {
    context: {} as ClientContext,
    input: {} as ClientInput,
    events: {} as ClientEvent,
    output: {} as { readonly how: 'closed' | 'killed' },
    tags: {} as ProcessTag,
  },
  actions: {
    ...effects,
    setStage: assign((_, params: { stage: ClientStage }) => params),
    setGoal: assign((_, params: { goal: ClientContext['goal'] }) => params),
    noteTry: assign({ readyPlan: null, end: null, waits: null }),
    rememberWaits: assign((_, { waits }: { waits: Waits }) => ({ waits })),
    noteEnd: assign(({ context: c }, { output }: OwnedEnded) => ({
      end: (output as ConnectionEnd | undefined) ?? null,
      failure: c.goal === 'stay' ? rules.failureAtEnd(c, output as ConnectionEnd | undefined) : c.failure,
    })),
    noteAsked: assign(({ context: c }) => ({ asked: { generation: c.generation, values: c.values } })),
    takeSpec: assign((_, { result }: { result: unknown }) => ({ spec: (result as Resolved).spec })),
    rememberInfo: assign((_, params: { info: ServerInfo }) => ({ info: params.info, waits: null })),
    rememberLists: assign(({ context: c }, params: { info: ServerInfo }) => ({
      catalogs: rules.listsOf(c, params.info.capabilities).map(({ list }) => list),
    })),
    noteWatch: assign({ hasWatch: true }),
    /** The machine of a list or of the watch crashed; the next session or order opens a new one. */
    forgetPart: assign(({ context: c }, { kind, name }: OwnedEnded) => {
      const isOther = (list: CatalogList): boolean => childOf(c.self, catalogKind, list) !== name;
      return {
        hasWatch: c.hasWatch && kind !== 'watch',
        catalogs: c.catalogs.filter(isOther),
        refreshing: c.refreshing.filter(isOther),
      };
    }),
    noteRefreshing: assign(({ context: c }, { list, isOver }: { list: CatalogList; isOver: boolean }) => {
      const others = c.refreshing.filter((each) => each !== list);
      return { refreshing: isOver ? others : [...others, list] };
    }),
    markReady: assign(({ context: c }) => ({
      readyPlan: rules.planOf(c),
      fallback: null,
      failure: null,
      idleMs: 0,
    })),
    markRenewed: assign({ isRenewed: true, failure: null }),
    markProven: assign({ attempt: 0, isRenewed: false }),
    settleDown: assign({ isRenewed: false, goal: 'stay' }),
    notePong: assign({ pings: 'answered' }),
    stopPings: assign(({ context: c }) => ({ pings: rules.isQuiet(c) ? 'off' : c.pings })),
    noteTick: assign(({ context: c }) => ({
      idleMs: c.inFlight === 0 ? c.idleMs + rules.tickOf(c) : 0,
    })),
    rememberFailure: assign((_, params: { failure: Failure | null }) => ({ failure: params.failure })),
    rememberCrash: assign(({ context: c }, { error }: OwnedEnded) => ({
      failure: failureOfStep(c.server, 'list', error ?? 'its machine is gone'),
    })),
    rememberNoPong: assign(({ context: c }) => ({
      failure: failureOfStep(c.server, 'ping', `no answer to ping within ${c.timing.pingMs} ms`),
    })),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    resetAttempts: assign({ attempt: 0, pings: 'untried' }),
    /** The time since the last call counts from the next tick. */
    countCall: assign(({ context: c }) => ({ inFlight: c.inFlight + 1, idleMs: -rules.tickOf(c) })),
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
    comesSoon: ({ context }, call: ServerCall) => rules.comesSoon(context, call),
    isOther: ({ context: c }) => rules.isOther(c),
    isStale: ({ context }) => rules.isStale(context),
    isOutdated: ({ context }) => rules.isOutdated(context),
    isShown: ({ context }, { as }: { as: ClientStage }) => context.stage === as,
    isOtherSpec: ({ context: c }, { id, result }: { id: string; result: unknown }) =>
      id === 'spec' && (result as Resolved).spec !== c.spec,
    /** Even a refusal proves that the server is alive, unless its connection is lost. */
    isPong: (_, { id, lost }: { id: string; lost?: boolean }) => id === 'ping' && lost !== true,
    hasTools: ({ context: c }, params: { info: ServerInfo }) =>
      !c.isRelayed && params.info.capabilities.tools !== null,
    hearsOf: ({ context: c }, { list }: { list: CatalogList }) =>
      c.hearsChanges && c.info !== null && rules.declaredOf(c.info.capabilities, list) === true,
    isRefreshing: ({ context: c }) => c.refreshing.length > 0,
    isToolList: (_, params: { list: CatalogList }) => params.list === 'tools',
    /** A server that also has resources or prompts is of use without its tools. */
    isListed: ({ context: c }, { list, lost, failure }: CatalogSettled) =>
      list === 'tools' &&
      (failure === null || (!lost && c.info !== null && rules.hasMore(c.info.capabilities))),
    /** Over HTTP a single request can be lost; a lost session also reports itself. */
    isLostList: (_, { list, lost, failure }: { list: CatalogList; lost: boolean; failure: Failure | null }) =>
      list === 'tools' && lost && !isHopeless(failure),
    isCall: (_, params: { kind: string }) => params.kind === 'call',
    isCatalog: (_, params: { kind: string }) => params.kind === 'catalog',
    isConnection: (_, params: { kind: string }) => params.kind === 'connection',
    isRenewable: ({ context: c }, { kind, output }: OwnedEnded) =>
      kind === 'connection' && !c.isRenewed && (output as ConnectionEnd | undefined)?.isExpired === true,
    hasNoCalls: ({ context }) => context.inFlight === 0,
    mayRest: ({ context }) => rules.mayRest(context),
    mayPing: ({ context }) => rules.mayPing(context),
    /** A busy server may not answer in time, and a server that never answered a ping does not know it. */
    isDeaf: ({ context: c }) => c.pings === 'answered' && rules.isQuiet(c),
    isStopping: ({ context: c }) => c.goal === 'stop',
    isEnding: ({ context: c }) => c.goal === 'end',
    isAgain: ({ context: c }) => c.goal === 'again' || (c.goal === 'stay' && rules.isOther(c)),
    isResting: ({ context: c }) => c.goal === 'rest',
    isKilled: ({ context: c }) => c.goal === 'end' && c.end?.how === 'killed',
    hasFallback: ({ context }) => context.fallback !== null,
    /** A clean exit on its own is no failure. */
    isOver: ({ context: c }) =>
      c.end?.hasExitedWell === true && c.readyPlan !== null && c.restart !== 'always',
    wantsLogin: ({ context: c }) => c.failure?.code === 'Unauthorized' && !rules.isStale(c),
    /** Changed placeholder values always justify a retry. */
    isHopeless: ({ context: c }) => isHopeless(c.failure) && !rules.isStale(c),
    canRetry: ({ context: c }) => c.restart !== 'never' && rules.canRetry(c),
  },
  delays: {
    slow: ({ context }) => context.timing.slowMs,
    pong: ({ context }) => context.timing.pingMs,
    provenStable: ({ context }) => context.timing.provenStableMs,
    exitGrace: ({ context }) => context.timing.exitGraceMs,
    drain: ({ context }) => context.timing.drainMs,
    cancelGrace: ({ context }) => context.timing.cancelGraceMs,
    /** Safety net: the connection normally ends before it. */
    ladder: ({ context }) => ladderMs(context.timing) + 1_000,
  },
});

type C = ClientContext;
const tell = <E>(news: (c: C, event: E) => ClientNews) =>
  posts((c: C, event: E) => post(c.owner, news(c, event)));
const show = (stage: ClientStage) =>
  [{ type: 'setStage', params: { stage } } as const, tell((c) => rules.changed(c))] as const;
const shownAs = (as: ClientStage) => ({ type: 'isShown', params: { as } }) as const;
const releasePermit = tell((c) => ({ type: 'permit.released', server: c.server }));
const tellRolledBack = tell((c) => ({
  type: 'server.rolledBack',
  server: c.server,
  generation: c.fallback?.generation ?? 0,
  failure: c.failure,
}));

const openCall = opens(rules.callOf);
const openHeldCall = opens((c: C, call: ServerCall) => rules.callOf(c, call, { isPending: true }));
const openLateCall = opens((c: C, call: ServerCall) =>
  rules.callOf(c, call, { isPending: true, outlivesLoss: true }),
);
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

const tellConnection = (order: ConnectionOrder) =>
  posts((c: C) => post(childOf(c.self, connectionKind), order, { optional: true }));
const closeConnection = tellConnection({ type: 'close' });
const endConnection = {
  type: 'close',
  params: ({ context }: { context: C }) => ({ to: childOf(context.self, connectionKind) }),
} as const;

const openLists = [
  opensAll((c: C, event: { readonly info: ServerInfo }) => rules.listsToOpen(c, event.info)),
  postsAll((c: C, event: { readonly info: ServerInfo }) => rules.sessionForLists(c, event.info)),
  withEvent('rememberLists'),
  postsAll((c: C, event: { readonly info: ServerInfo }) =>
    c.hasWatch ? rules.watchBegun(c, event.info) : [],
  ),
] as const;
const restLists = tellsOwned(() => toOwned(catalogKind, { type: 'catalog.rest' }));
const setWatch = (isConnected: boolean) =>
  [
    opensAll((c: C) => rules.watchToOpen(c)),
    postsAll((c: C, order: ResourcesWatch) => rules.watched(c, order, isConnected)),
    'noteWatch',
  ] as const;

/** A repeated id withdraws the older question. */
const askSpec = [
  'noteAsked',
  requests(({ server, generation }: C) => ({
    id: 'spec',
    target: specPort,
    method: 'resolve',
    params: { server, generation } satisfies Resolve,
  })),
] as const;
const withdrawSpec = { type: 'cancel', params: { id: 'spec' } } as const;
const takeSpec = withEvent('takeSpec');
const askPing = requests((c: C) => ({ id: 'ping', target: c.self, method: 'ping' }));

const goal = (wanted: C['goal']) => ({ type: 'setGoal', params: { goal: wanted } }) as const;
const startAgain = [goal('again'), 'resetAttempts'] as const;
const callEnded = { guard: withEvent('isCall'), actions: 'forgetCall' } as const;
const noteEnd = withEvent('noteEnd');
const rememberFailure = withEvent('rememberFailure');
const pong = { guard: withEvent('isPong'), target: 'steady', actions: 'notePong' } as const;
const lose = { target: '#client.lost.ending', actions: [rememberFailure, tellLost] } as const;
const tryAgain = { target: '#client.leaving.ending', actions: goal('again') } as const;

export const clientMachine = clientSetup.createMachine({
  id: 'client',
  context: ({ input }) => rules.initialContext(input),
  initial: 'deciding',
  on: {
    'call.request': [
      { guard: withEvent('comesSoon'), actions: ['countCall', openHeldCall] },
      { actions: posts(rules.notActiveNow) },
    ],
    'call.cancel': { actions: cancelCall },
    'asker.lost': {
      actions: tellsOwned((_: C, event: Extract<CallOrder, { readonly type: 'asker.lost' }>) =>
        toOwned(callKind, event),
      ),
    },
    'server.wanted': {},
    'server.start': {},
    'server.stop': {},
    'server.update': { actions: withEvent('takePlan') },
    'owned.ended': [
      callEnded,
      { guard: withEvent('isConnection'), target: '.deciding', actions: noteEnd },
      { actions: withEvent('forgetPart') },
    ],
    'open.refused': {
      actions: ['forgetCall', posts((c: C, event: OpenRefused) => rules.repeatedCall(c, event))],
    },
    'connection.lost': lose,
    'resources.watch': { actions: setWatch(false) },
    'resources.watched': { actions: tell((_, event: ResourcesWatched) => event) },
    'resources.relist': { actions: postsAll(rules.relisted) },
    'catalog.refreshing': { actions: withEvent('noteRefreshing') },
  },
  states: {
    deciding: {
      tags: 'connecting',
      always: [
        { guard: 'isAgain', target: 'off.resolving' },
        { guard: 'isResting', target: 'off.standby' },
        { guard: 'isStopping', target: 'off.idle' },
        { guard: 'isKilled', target: 'killed' },
        { guard: 'isEnding', target: 'closed' },
        { guard: 'hasFallback', target: 'off.resolving', actions: [tellRolledBack, 'rollBack'] },
        { guard: 'isOver', target: 'off.idle', actions: tellLost },
        { guard: 'wantsLogin', target: 'off.login', actions: tellLost },
        { guard: 'isHopeless', target: 'off.open', actions: tellLost },
        { guard: 'canRetry', target: 'off.waiting', actions: 'countAttempt' },
        { target: 'off.open', actions: tellLost },
      ],
    },
    off: {
      always: { guard: 'isOutdated', target: '.resolving', actions: releasePermit },
      on: {
        'server.start': { guard: not(shownAs('connecting')), target: '.resolving', actions: 'resetAttempts' },
        'server.stop': { guard: not(shownAs('idle')), target: '.idle' },
        'deadline.passed': '.resolving',
        close: { target: 'closed', actions: [goal('end'), cancelCalls] },
      },
      initial: 'idle',
      states: {
        idle: { entry: ['settleDown', cancelCalls, ...show('idle')] },
        standby: {
          entry: ['settleDown', ...show('standby')],
          on: {
            /** The server is started only once the machine of the call reports that the call is permitted. */
            'server.wanted': 'resolving',
          },
        },
        resolving: {
          tags: 'connecting',
          entry: [goal('stay'), ...show('connecting'), ...askSpec],
          exit: withdrawSpec,
          on: {
            'ask.answered': { target: 'queued', actions: takeSpec },
            'ask.refused': [
              {
                guard: 'hasFallback',
                target: 'resolving',
                reenter: true,
                actions: [rememberFailure, tellRolledBack, 'rollBack'],
              },
              { target: 'open', actions: [rememberFailure, tellLost] },
            ],
          },
        },
        queued: {
          tags: 'connecting',
          entry: tell((c) => ({ type: 'permit.wanted', server: c.server, again: c.attempt > 0 })),
          on: { 'permit.granted': '#client.on' },
        },
        waiting: {
          tags: 'connecting',
          entry: [...show('waiting'), deadline('backoff', rules.backoffOf, backoffSpread)],
          exit: noDeadline,
        },
        login: {
          tags: 'connecting',
          entry: requests((c: C) => ({
            id: 'login',
            target: loginPort,
            method: 'login',
            params: rules.logInOf(c),
          })),
          exit: { type: 'cancel', params: { id: 'login' } },
          on: {
            'ask.answered': 'resolving',
            'ask.refused': { target: 'refused', actions: rememberFailure },
            'server.start': {},
          },
          initial: 'authorizing',
          states: {
            authorizing: {
              entry: show('authorizing'),
              on: {
                'ask.progress': {
                  target: 'unauthorized',
                  actions: {
                    type: 'rememberFailure',
                    params: ({ context, event }) => ({
                      failure: waitsForLogin(context.server, event.message),
                    }),
                  },
                },
              },
            },
            unauthorized: { entry: show('unauthorized'), on: { 'ask.began': 'authorizing' } },
          },
        },
        /** The next start connects with the credentials available by then. */
        refused: { tags: 'connecting', entry: show('unauthorized') },
        open: {
          entry: [...show('open'), deadline('trial', rules.trialOf, backoffSpread)],
          exit: noDeadline,
        },
      },
    },
    on: {
      entry: ['noteTry', opens((c: C) => open(connectionKind, rules.connectionOf(c)))],
      /** Calls that wait for the server wait for its new config. */
      always: { guard: 'isOther', ...tryAgain },
      on: {
        'connection.slow': { actions: releasePermit },
        'connection.waits': {
          actions: [
            withEvent('rememberWaits'),
            tell(({ server }, { waits }: { readonly waits: Waits }) => ({
              type: 'client.waits',
              server,
              waits,
            })),
          ],
        },
        'connection.broken': { target: 'lost', actions: rememberFailure },
        'owned.ended': [
          {
            guard: withEvent('isRenewable'),
            target: 'on',
            reenter: true,
            actions: [noteEnd, 'markRenewed', holdCalls, restLists, ...show('connecting')],
          },
          { guard: withEvent('isConnection'), target: 'deciding', actions: [noteEnd, restLists, tellLost] },
          /** Reconnects after the machine of a list crashed: a server without its lists is useless. */
          {
            guard: withEvent('isCatalog'),
            target: 'lost.ending',
            actions: [withEvent('forgetPart'), withEvent('rememberCrash'), tellLost],
          },
        ],
        'list.changed': {
          guard: withEvent('hearsOf'),
          actions: postsAll((c: C, { list }: { readonly list: ListKind }) => rules.changedList(c, list)),
        },
        'resource.updated': {
          actions: tell((c, { uri }: { readonly uri: string }) => ({
            type: 'resource.updated',
            server: c.server,
            uri,
          })),
        },
        'server.stop': { target: 'leaving.cancelling', actions: goal('stop') },
        close: { target: 'leaving.cancelling', actions: goal('end') },
      },
      initial: 'launching',
      states: {
        launching: { tags: 'connecting', on: { 'connection.launched': 'handshaking' } },
        handshaking: {
          tags: 'connecting',
          on: {
            'connection.opened': [
              {
                guard: withEvent('hasTools'),
                target: 'listing',
                actions: [withEvent('rememberInfo'), ...openLists],
              },
              { target: 'ready', actions: [withEvent('rememberInfo'), ...openLists] },
            ],
          },
        },
        listing: {
          tags: 'connecting',
          on: {
            'catalog.settled': [
              { guard: withEvent('isListed'), target: 'ready' },
              { guard: withEvent('isLostList'), target: 'unlisted', actions: rememberFailure },
              { guard: withEvent('isToolList'), ...lose },
            ],
          },
          after: { slow: { actions: releasePermit } },
        },
        unlisted: {
          tags: 'connecting',
          after: { exitGrace: { target: '#client.lost.ending', actions: tellLost } },
        },
        ready: {
          tags: 'ready',
          entry: [
            tellCalls(() => ({ type: 'call.go' })),
            'markReady',
            // Resources first, because a ready server without them counts as one that has none.
            postsAll(rules.shownResources),
            ...show('ready'),
          ],
          exit: withdrawSpec,
          always: [
            { guard: 'isOther', target: '#client.leaving', actions: goal('again') },
            { guard: 'isStale', actions: askSpec },
          ],
          on: {
            /** A changed spec leads to a reconnect, an unchanged one needs nothing. */
            'ask.answered': {
              guard: withEvent('isOtherSpec'),
              target: '#client.leaving',
              actions: goal('again'),
            },
            'call.request': { actions: ['countCall', openCall] },
            'resources.watch': { actions: setWatch(true) },
            'server.stop': { target: '#client.leaving', actions: goal('stop') },
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
                      { guard: 'mayRest', target: '#client.leaving', actions: goal('rest') },
                      { guard: 'mayPing', target: 'pinging', actions: 'noteTick' },
                      { target: 'steady', reenter: true, actions: 'noteTick' },
                    ],
                  },
                },
                pinging: {
                  entry: askPing,
                  exit: { type: 'cancel', params: { id: 'ping' } },
                  on: { 'ask.answered': pong, 'ask.refused': pong },
                  after: {
                    pong: [
                      {
                        guard: 'isDeaf',
                        target: '#client.lost.ending',
                        actions: ['rememberNoPong', tellLost],
                      },
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
      },
    },
    lost: {
      tags: 'closing',
      on: {
        'server.stop': { target: 'leaving.ending', actions: [goal('stop'), cancelCalls] },
        close: { target: 'leaving.ending', actions: [goal('end'), cancelCalls] },
      },
      initial: 'broken',
      states: {
        broken: {
          entry: [holdCalls, ...show('recovering')],
          on: {
            'server.start': { target: 'ending', actions: [...startAgain, tellLost] },
            'call.request': { guard: withEvent('comesSoon'), actions: ['countCall', openLateCall] },
          },
        },
        ending: {
          entry: [restLists, ...show('recovering'), closeConnection],
          on: { 'server.start': { actions: startAgain } },
        },
      },
    },
    leaving: {
      tags: 'closing',
      entry: [restLists, ...show('closing')],
      on: {
        'connection.broken': { target: '.ending', actions: tellLost },
        'connection.lost': { target: '.ending', actions: tellLost },
        'server.start': { guard: not('isEnding'), actions: goal('again') },
        'server.stop': { guard: not('isEnding'), actions: goal('stop') },
        close: { target: '.cancelling', actions: goal('end') },
      },
      initial: 'serving',
      states: {
        serving: {
          always: { guard: 'hasNoCalls', target: 'ending' },
          on: { 'server.stop': { guard: 'isStopping', target: 'cancelling' } },
          after: { drain: 'cancelling' },
        },
        cancelling: {
          entry: cancelCalls,
          always: { guard: 'hasNoCalls', target: 'ending' },
          on: { 'server.stop': { guard: 'isStopping', target: 'ending' } },
          after: { cancelGrace: 'ending' },
        },
        ending: {
          entry: closeConnection,
          on: {
            'server.stop': [
              { guard: 'isStopping', actions: tellConnection({ type: 'process.hurry' }) },
              { guard: not('isEnding'), actions: [goal('stop'), cancelCalls] },
            ],
          },
          after: { ladder: [{ guard: 'isEnding', target: '#client.killed' }, { actions: endConnection }] },
        },
      },
    },
    closed: { type: 'final', output: { how: 'closed' } },
    killed: { type: 'final', tags: 'killed', output: { how: 'killed' } },
  },
  output: ({ event }) => (event as unknown as { output: { how: 'closed' | 'killed' } }).output,
});
