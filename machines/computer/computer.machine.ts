/**
 * The root that hosts MCP servers: it keeps one client per configured server and the link to the office,
 * knows which server has which tool, and sends each call to its client. It relays no answers.
 *
 * booting — clients and link are opened; over when each client has come up or failed once, or after `bootMs`; questions
 *           about all servers wait for that, `toolsMs` at most
 * serving — whole (every wanted server is ready, with all of its tools) | degraded (some are not, the others serve)
 * closing — everything is asked to end; what has not ended within `shutdownMs` is ended by force
 * closed  — final
 *
 * A client or link whose machine broke is opened again a few times: one bad server never stops another.
 */
import { not, type ActorRefFrom } from 'xstate';
import * as calls from './computer.calls.ts';
import { clientKind } from '../client/client.events.ts';
import * as does from './computer.messages.ts';
import { emptyTable } from '../catalog/index.ts';
import { refusedNews } from './computer.refused.ts';
import { aggregateOf, opensOf } from './computer.rules.ts';
import {
  clientChanged,
  clientGivenUp,
  eventAsParams,
  parts,
  passToClient,
  passToHost,
  tellBroken,
  tellLinkGivenUp,
  tellRemoved,
  tellStage,
  tokenBack,
  permitReleased,
  permitWanted,
} from './computer.setup.ts';
import { toOwned } from '../kernel/effects.ts';
import { linkKind } from '../link/link.machine.ts';
import { aggregatorKinds } from '../resources/aggregator.events.ts';
import { noPermits } from './connect-permits.ts';

export type {
  ComputerContext,
  ComputerNews,
  ComputerOrder,
  ComputerStart,
  ServerPlan,
  ServersSet,
} from './computer.events.ts';

export const computerMachine = parts.createMachine({
  id: 'computer',
  context: ({ input }) => ({
    ...input,
    ...aggregateOf(input),
    stages: Object.fromEntries(input.servers.map((s) => [s.rules.server, 'connecting' as const])),
    configRevision: 0,
    withdrawn: {},
    restless: {},
    reasons: {},
    approved: {},
    recent: [],
    shows: {},
    resources: {},
    listed: {},
    hasCollections: false,
    permits: noPermits,
    spent: {},
    leaving: [],
    givenUp: [],
    waiting: [],
    waited: {},
    asked: [],
    open: opensOf(input).length,
    reopens: 0,
  }),
  entry: [
    { type: 'openAll', params: ({ context }) => ({ opens: opensOf(context) }) },
    /** Lists of the last run are known before their servers have started. */
    {
      type: 'postAll',
      params: ({ context }) => ({ messages: refusedNews(context, emptyTable, context.table) }),
    },
  ],
  initial: 'booting',
  /** A server has said what it has, or that it will not start: calls that waited for that go on. */
  always: calls.sendDecided,
  on: {
    'client.changed': { actions: clientChanged },
    'client.waits': { actions: { type: 'noteWaits', params: eventAsParams } },
    'permit.wanted': { actions: permitWanted },
    'permit.released': { actions: permitReleased },
    'deadline.passed': { actions: tokenBack },
    'server.proven': { actions: { type: 'forgetSpent', params: eventAsParams } },
    'server.rolledBack': { actions: passToHost },
    'resource.updated': { actions: [passToHost, does.passUpdate] },
    'resources.watched': { actions: does.passWatched },
    'server.shows': { actions: does.takeShows },
    'aggregate.wanted': { actions: does.passWanted },
    'resource.wanted': { actions: does.passWanted },
    'aggregate.changed': { actions: does.passChange },
    'aggregate.noticed': { actions: passToHost },
    'catalog.changed': { actions: does.takeList },
    'catalog.listed': { actions: does.takeListed },
    'catalog.restless': { actions: does.takeRestless },
    'link.changed': { actions: passToHost },
    'call.request': calls.take,
    'call.overdue': calls.overdue,
    'tool.approved': { actions: { type: 'noteApproved', params: eventAsParams } },
    'tools.wanted': { actions: does.answerTools },
    'config.wanted': { actions: does.answerConfig },
    'questions.due': { actions: does.takeAsked },
    'call.cancel': calls.withdraw,
    'asker.lost': {
      actions: [...calls.withdraw.actions, { type: 'forgetApproved', params: eventAsParams }],
    },
    'server.start': { actions: passToClient },
    'server.stop': { actions: passToClient },
    'servers.set': { actions: does.reconcile },
    'resources.watch': { actions: does.passWatch },
    'resources.relist': { actions: does.passRelist },
    'owned.ended': [
      { guard: { type: 'isLeaving', params: eventAsParams }, actions: [tellRemoved, ...does.forgetLeaving] },
      {
        guard: { type: 'canReopen', params: eventAsParams },
        actions: ['countReopen', tellBroken, does.openAgain, ...does.reopenCollection],
      },
      {
        guard: { type: 'isBrokenLink', params: eventAsParams },
        actions: ['countEnd', 'forgetLink', tellBroken, tellLinkGivenUp],
      },
      { guard: { type: 'isCollection', params: eventAsParams }, actions: ['countEnd', tellBroken] },
      { guard: { type: 'isLink', params: eventAsParams }, actions: ['countEnd', 'forgetLink'] },
      clientGivenUp,
    ],
    'office.join': [
      {
        guard: not('hasLink'),
        actions: [{ type: 'rememberLink', params: eventAsParams }, ...does.openLink],
      },
      /** It sits somewhere already: one seat per computer. */
      {},
    ],
    'office.leave': {
      actions: { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
    },
    close: '.closing',
  },
  states: {
    booting: {
      tags: 'connecting',
      on: { 'tools.wanted': does.keep, 'aggregate.wanted': does.keep, 'resource.wanted': does.keep },
      always: { guard: 'hasBooted', target: 'serving' },
      after: { boot: 'serving', tools: { actions: does.wakeAsked } },
      exit: does.wakeAsked,
    },
    serving: {
      tags: 'ready',
      initial: 'judging',
      states: {
        judging: { always: [{ guard: 'isWhole', target: 'whole' }, { target: 'degraded' }] },
        whole: { entry: tellStage('whole'), always: { guard: not('isWhole'), target: 'degraded' } },
        degraded: { entry: tellStage('degraded'), always: { guard: 'isWhole', target: 'whole' } },
      },
    },
    closing: {
      tags: 'closing',
      entry: [
        tellStage('closing'),
        ...calls.endWaiting,
        ...does.refuseAsked,
        { type: 'tellOwned', params: toOwned(clientKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(linkKind, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(aggregatorKinds.desktop, { type: 'close' }) },
        { type: 'tellOwned', params: toOwned(aggregatorKinds.finder, { type: 'close' }) },
      ],
      on: {
        'owned.ended': [{ guard: 'isLast', target: 'closed' }, { actions: 'countEnd' }],
        /** What is opened now would be told to close by nobody. */
        'office.join': {},
        'call.request': calls.takeAtOnce,
        'server.start': {},
        'server.stop': {},
        'servers.set': {},
        'server.shows': {},
        'aggregate.wanted': { actions: does.refuseWanted },
        'resource.wanted': { actions: does.refuseWanted },
        close: {},
      },
      always: { guard: 'hasNone', target: 'closed' },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
export type ComputerRef = ActorRefFrom<typeof computerMachine>;
