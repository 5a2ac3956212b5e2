/** Actions, guards and delays that the chart in client.machine.ts names. */
import { assign, setup } from 'xstate';
import { catalogKind } from '../catalog/catalog.rules.ts';
import type { CatalogList } from '../catalog/entries.ts';
import { childOf } from '../kernel/address.ts';
import { effects, type OwnedEnded } from '../kernel/effects.ts';
import { sessionPort, type ServerInfo, type SessionLost, type Waits } from '../kernel/ports.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import { failureOfEnd, failureOfLoss, isHopeless, type ProcessEnd } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type {
  ClientContext,
  ClientEvent,
  ClientInput,
  ClientPlan,
  Resolved,
  ServerCall,
} from './client.events.ts';
import * as rules from './client.rules.ts';

export const clientSetup = setup({
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
    /** Forgets a resource watch whose machine crashed; the next order opens a new one. */
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
    /** Takes over a new plan; a plan that has been ready becomes the fallback. */
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
    /** Tells whether the server requires a login with the current placeholder values. */
    wantsLogin: ({ context: c }) => c.failure?.code === 'Unauthorized' && !rules.isStale(c),
    isPing: (_, { id }: { id: string }) => id === 'ping',
    hasTools: ({ context: c }, params: { info: ServerInfo }) =>
      !c.isRelayed && params.info.capabilities.tools !== null,
    hearsOf: ({ context: c }, { list }: { list: CatalogList }) =>
      c.hearsChanges && c.info !== null && rules.declaredOf(c.info.capabilities, list) === true,
    isToolList: (_, params: { list: CatalogList }) => params.list === 'tools',
    /** Tells whether the failed tool list is optional, because the server also has resources or prompts. */
    isOptionalList: ({ context: c }, { list, lost }: { list: CatalogList; lost: boolean }) =>
      list === 'tools' && !lost && c.info !== null && rules.hasMore(c.info.capabilities),
    isSettled: (_, params: { list: CatalogList; failure: Failure | null }) =>
      params.list === 'tools' && params.failure === null,
    canRenew: ({ context: c }, params: { isExpired?: boolean }) => params.isExpired === true && !c.isRenewed,
    isServerLost: (_, params: { failure: Failure }) => params.failure.code === 'ServerLost',
    isLost: (_, params: { lost?: boolean }) => params.lost === true,
    /**
     * Tells whether the request for the tool list was lost. Over HTTP a single request can be lost; a lost session
     * also reports itself.
     */
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
    /** Tells whether a retry cannot help; changed placeholder values always justify one. */
    isHopeless: ({ context: c }) => isHopeless(c.failure) && !rules.isStale(c),
    /** Tells whether the server exited cleanly on its own, which is no failure. */
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
    /** Safety limit for closing: the process machine normally ends the process itself before it. */
    ladder: ({ context: { timing: t } }) => t.stdinGraceMs + t.termGraceMs + t.killGraceMs + 1_000,
  },
});
