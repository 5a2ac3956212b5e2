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
import { assign, not, setup, type ActorRefFrom } from 'xstate';
import { emptyTable, signatureOf } from './catalog/index.ts';
import type { ClientNews, ClientOrder } from './client.machine.ts';
import { effects, type OwnedEnded } from './effects.ts';
import type { ToolsListed } from './link.machine.ts';
import {
  type ComputerNews,
  type Input,
  type ComputerContext,
  type Event,
  maxReopens,
  clientOf,
  isSame,
  opensOf,
  isTrying,
  isWhole,
  heard,
  lettersFor,
  route,
} from './computer.parts.ts';

export type {
  ServerPlan,
  ComputerStart,
  ToolCall,
  ComputerOrder,
  ComputerNews,
  ComputerContext,
} from './computer.parts.ts';

const parts = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as Input,
    events: {} as Event,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    hear: assign(({ context }, news: ClientNews) => heard(context, news)),
    countEnd: assign({ open: ({ context }) => Math.max(0, context.open - 1) }),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
  },
  guards: {
    hasBooted: ({ context }) => context.servers.every((s) => !isTrying(context.stages[s.rules.server])),
    isWhole: ({ context }) => isWhole(context),
    isLast: ({ context }) => context.open <= 1,
    hasNone: ({ context }) => context.open === 0,
    canReopen: ({ context }, ended: OwnedEnded) => ended.why === 'failed' && context.reopens < maxReopens,
  },
  delays: {
    boot: ({ context }) => context.timing.bootMs,
    shutdown: ({ context }) => context.timing.shutdownMs,
  },
});

const tellStage = (stage: 'whole' | 'degraded' | 'closing') =>
  ({
    type: 'post',
    params: ({ context }: { context: ComputerContext }) => ({
      to: context.owner,
      event: { type: 'computer.changed', stage } satisfies ComputerNews,
    }),
  }) as const;
const itself = ({ event }: { event: OwnedEnded }): OwnedEnded => event;
const tellBroken = {
  type: 'post',
  params: ({ context, event }: { context: ComputerContext; event: OwnedEnded }) => ({
    to: context.owner,
    event: { type: 'machine.failed', name: event.name, error: event.error ?? '' } satisfies ComputerNews,
  }),
} as const;
/** To one client by the name of its server; the host knows the names, so a miss is its mistake. */
const passToClient = {
  type: 'post',
  params: ({ context, event }: { context: ComputerContext; event: { type: string; server: string } }) => ({
    to: clientOf(context, event.server),
    event: { type: event.type },
    ifThere: true as const,
  }),
} as const;
const passToClients = {
  type: 'tellOwned',
  params: ({ event }: { event: ClientOrder }) => ({ kind: 'client', event }),
} as const;

export const computerMachine = parts.createMachine({
  id: 'computer',
  context: ({ input }) => ({
    ...input,
    catalogs: {},
    table: emptyTable,
    stages: {},
    offered: [],
    signature: signatureOf([]),
    open: opensOf(input).length,
    reopens: 0,
  }),
  entry: { type: 'openAll', params: ({ context }) => ({ opens: opensOf(context) }) },
  initial: 'booting',
  on: {
    'client.changed': {
      actions: [
        { type: 'postAll', params: ({ context, event }) => ({ letters: lettersFor(context, event) }) },
        { type: 'hear', params: ({ event }) => event },
      ],
    },
    'link.changed': {
      actions: { type: 'post', params: ({ context, event }) => ({ to: context.owner, event }) },
    },
    'tool.call': {
      actions: { type: 'post', params: ({ context, event }) => route(context, event) },
    },
    'tools.wanted': {
      actions: {
        type: 'post',
        params: ({ context, event: { ticket, reqId, replyTo } }) => ({
          to: replyTo,
          event: { type: 'tools.listed', ticket, reqId, tools: context.offered } satisfies ToolsListed,
          ifThere: true,
        }),
      },
    },
    'call.cancel': { actions: passToClients },
    'asker.lost': { actions: passToClients },
    'server.start': { actions: passToClient },
    'server.stop': { actions: passToClient },
    'owned.ended': [
      {
        guard: { type: 'canReopen', params: itself },
        actions: [
          'countReopen',
          tellBroken,
          {
            type: 'openAll',
            params: ({ context, event }) => ({ opens: opensOf(context).filter((o) => isSame(o, event)) }),
          },
        ],
      },
      { actions: ['countEnd', tellBroken] },
    ],
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
        close: {},
      },
      always: { guard: 'hasNone', target: 'closed' },
      after: { shutdown: 'closed' },
    },
    closed: { type: 'final' },
  },
});
export type ComputerRef = ActorRefFrom<typeof computerMachine>;
