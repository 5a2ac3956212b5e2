/**
 * The root that hosts MCP servers: it keeps one client per configured server and the link to the office,
 * knows which server has which tool, and sends each call to its client. It relays no answers.
 *
 * booting — clients and link are opened; over when each client has come up or failed once, or after `bootMs`
 * serving — whole (every wanted server is ready) | degraded (some are not, the others serve)
 * closing — everything is asked to end; what has not ended within `shutdownMs` is ended by force
 * closed  — final
 *
 * A client or link whose machine broke is opened again a few times: one bad server never stops another.
 */
import { not, type ActorRefFrom } from 'xstate';
import { configNews, linkOf, linkOpens, opensOf, aggregateOf, signatureNews } from './computer.rules.ts';
import * as rules from './computer.rules.ts';
import {
  clientChanged,
  clientGivenUp,
  itself,
  parts,
  passToClient,
  passToClients,
  passToHost,
  tellBroken,
  tellLinkGivenUp,
  tellRemoved,
  tellStage,
  tokenBack,
  turnOver,
  turnWanted,
} from './computer.parts.ts';
import type { ConfigShown, ToolsListed } from './link.machine.ts';
import { noTurns } from './turns.ts';

export type {
  ComputerContext,
  ComputerNews,
  ComputerOrder,
  ComputerStart,
  ServerPlan,
  ServersSet,
  ToolCall,
} from './computer.words.ts';

export const computerMachine = parts.createMachine({
  id: 'computer',
  context: ({ input }) => ({
    ...input,
    ...aggregateOf(input),
    stages: Object.fromEntries(input.servers.map((s) => [s.rules.server, 'connecting' as const])),
    configRevision: 0,
    turns: noTurns,
    spent: {},
    leaving: [],
    givenUp: [],
    open: opensOf(input).length,
    reopens: 0,
  }),
  entry: { type: 'openAll', params: ({ context }) => ({ opens: opensOf(context) }) },
  initial: 'booting',
  on: {
    'client.changed': clientChanged,
    'turn.wanted': turnWanted,
    'turn.over': turnOver,
    'deadline.passed': tokenBack,
    'server.proven': { actions: { type: 'forgetSpent', params: itself } },
    'server.rolledBack': { actions: passToHost },
    'resource.updated': { actions: passToHost },
    'catalog.changed': {
      actions: [
        {
          type: 'postAll',
          params: ({ context, event }) => ({ letters: rules.lettersOfList(context, event) }),
        },
        { type: 'hearList', params: itself },
      ],
    },
    'link.changed': {
      actions: { type: 'post', params: ({ context, event }) => ({ to: context.owner, event }) },
    },
    'tool.call': {
      actions: { type: 'post', params: ({ context, event }) => rules.route(context, event) },
    },
    'tools.wanted': {
      actions: {
        type: 'post',
        params: ({ context, event: { ticket, reqId, replyTo } }) => ({
          to: replyTo,
          event: {
            type: 'tools.listed',
            ticket,
            reqId,
            tools: context.offered,
            signature: context.signature,
          } satisfies ToolsListed,
          ifThere: true,
        }),
      },
    },
    'config.wanted': {
      actions: {
        type: 'post',
        params: ({ context, event: { ticket, replyTo } }) => ({
          to: replyTo,
          event: { type: 'config.shown', ticket, config: context.shown } satisfies ConfigShown,
          ifThere: true,
        }),
      },
    },
    'call.cancel': { actions: passToClients },
    'asker.lost': { actions: passToClients },
    'server.start': { actions: passToClient },
    'server.stop': { actions: passToClient },
    'servers.set': {
      actions: [
        {
          type: 'openAll',
          params: ({ context, event }) => ({ opens: rules.reconciled(context, event).opens }),
        },
        {
          type: 'postAll',
          params: ({ context, event }) => ({ letters: rules.reconciled(context, event).letters }),
        },
        { type: 'reconcile', params: itself },
      ],
    },
    'owned.ended': [
      {
        guard: { type: 'isLeaving', params: itself },
        actions: [
          tellRemoved,
          {
            type: 'openAll',
            params: ({ context, event }) => ({ opens: rules.returning(context, event) }),
          },
          { type: 'forgetLeaving', params: itself },
        ],
      },
      {
        guard: { type: 'canReopen', params: itself },
        actions: [
          'countReopen',
          tellBroken,
          {
            type: 'openAll',
            params: ({ context, event }) => ({
              opens: opensOf(context, context.spent).filter((o) => rules.isSame(o, event)),
            }),
          },
        ],
      },
      {
        guard: { type: 'isBrokenLink', params: itself },
        actions: ['countEnd', 'forgetLink', tellBroken, tellLinkGivenUp],
      },
      { guard: { type: 'isLink', params: itself }, actions: ['countEnd', 'forgetLink'] },
      clientGivenUp,
    ],
    'office.join': [
      {
        guard: not('hasLink'),
        actions: [
          { type: 'rememberLink', params: ({ event }) => event },
          { type: 'openAll', params: ({ context }) => ({ opens: linkOpens(context) }) },
          {
            type: 'post',
            params: ({ context: c }) => ({ to: linkOf(c), event: signatureNews(c.signature) }),
          },
          { type: 'post', params: ({ context: c }) => ({ to: linkOf(c), event: configNews(c) }) },
        ],
      },
      /** It sits somewhere already: one seat per computer. */
      {},
    ],
    'office.leave': {
      actions: { type: 'tellOwned', params: { kind: 'link', event: { type: 'close' } } },
    },
    close: '.closing',
  },
  states: {
    booting: {
      tags: 'connecting',
      always: { guard: 'hasBooted', target: 'serving' },
      after: { boot: 'serving' },
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
        { type: 'tellOwned', params: { kind: 'client', event: { type: 'close' } } },
        { type: 'tellOwned', params: { kind: 'link', event: { type: 'close' } } },
      ],
      on: {
        'owned.ended': [{ guard: 'isLast', target: 'closed' }, { actions: 'countEnd' }],
        /** What is opened now would be told to close by nobody. */
        'office.join': {},
        'server.start': {},
        'server.stop': {},
        'servers.set': {},
        close: {},
      },
      always: { guard: 'hasNone', target: 'closed' },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
export type ComputerRef = ActorRefFrom<typeof computerMachine>;
