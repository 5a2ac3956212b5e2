/**
 * Which npm registry children use that fetch packages. Nobody who waits for it waits longer than its limit.
 *
 * unknown — nothing was asked for yet, or what was known is too old
 * probing — all of the list are asked at once; the first that answers with a 2xx is taken, and the others are aborted.
 *           When none does in time, it is the first of the list
 * known   — whoever asks for the same list is answered at once
 * closed  — final
 */
import { assign, setup, type ActorRefFrom } from 'xstate';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './registry.rules.ts';
import type { Context, Input, RegistryOrder, RegistryWanted } from './registry.rules.ts';

type Answer = Parameters<typeof rules.isUsable>[0];
const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | RegistryOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    note: assign(({ context }, order: RegistryWanted) => ({ orders: [...context.orders, order] })),
    begin: assign(({ context }) => rules.begun(context)),
    countFailed: assign(({ context }) => ({ failed: context.failed + 1 })),
    takeFastest: assign(({ context }, answer: Answer) => rules.fastest(context, answer)),
    takeFirst: assign(({ context }) => rules.first(context)),
    forgetAnswered: assign(({ context }) => ({ orders: rules.leftOver(context) })),
    forgetAll: assign(() => ({ orders: [] })),
    forget: assign(() => ({ registry: null })),
  },
  guards: {
    hasOrder: ({ context }) => context.orders.length > 0,
    isOfKnown: ({ context }, order: RegistryWanted) => rules.isOfKnown(context, order),
    wasKnown: ({ context }) => context.registry !== null,
    isUsable: (_, answer: Answer) => rules.isUsable(answer),
    isLast: ({ context }) => rules.isLast(context),
  },
  delays: {
    probeLimit: ({ context }) => context.limitMs,
    freshness: ({ context }) => context.forMs,
  },
});
const answerIn = ({ event }: { readonly event: Answer }): Answer => event;
type Wanted = { readonly context: Context; readonly event: RegistryWanted };
const wanted = ({ event }: Wanted): RegistryWanted => event;
const note = { type: 'note', params: wanted } as const;
const answered = ({ context, event }: Wanted) => rules.answer(context, event);
const probeAll = parts.enqueueActions(({ context, enqueue }) => {
  for (const probe of rules.probes(context)) enqueue({ type: 'request', params: probe });
});
const abortAll = parts.enqueueActions(({ context, enqueue }) => {
  for (const one of rules.withdrawals(context)) enqueue({ type: 'cancel', params: one });
});
const unusable = [
  { guard: 'isLast', target: 'known', actions: 'takeFirst' },
  { actions: 'countFailed' },
] as const;

export const registryMachine = parts.createMachine({
  id: 'registry',
  context: ({ input }) => ({
    ...input,
    list: input.known?.list ?? [],
    registry: input.known?.registry ?? null,
    isFastest: true,
    forMs: input.known?.forMs ?? 0,
    orders: [],
    failed: 0,
  }),
  initial: 'unknown',
  on: { close: '.closed' },
  states: {
    unknown: {
      tags: 'ready',
      always: { guard: 'wasKnown', target: 'known' },
      on: { 'registry.want': { target: 'probing', actions: note } },
    },
    probing: {
      tags: 'refreshing',
      entry: [probeAll, 'begin'],
      exit: abortAll,
      on: {
        'ask.answered': [
          {
            guard: { type: 'isUsable', params: answerIn },
            target: 'known',
            actions: { type: 'takeFastest', params: answerIn },
          },
          ...unusable,
        ],
        'ask.refused': unusable,
        'registry.want': { actions: note },
      },
      after: { probeLimit: { target: 'known', actions: 'takeFirst' } },
    },
    known: {
      tags: 'ready',
      entry: [
        { type: 'postAll', params: ({ context }) => ({ messages: rules.answers(context) }) },
        'forgetAnswered',
      ],
      // Another list was wanted meanwhile.
      always: { guard: 'hasOrder', target: 'probing' },
      on: {
        'registry.want': [
          { guard: { type: 'isOfKnown', params: wanted }, actions: { type: 'post', params: answered } },
          { target: 'probing', actions: note },
        ],
      },
      after: { freshness: { target: 'unknown', actions: 'forget' } },
    },
    closed: {
      type: 'final',
      entry: [
        { type: 'postAll', params: ({ context }) => ({ messages: rules.farewells(context) }) },
        'forgetAll',
      ],
    },
  },
});
export type RegistryRef = ActorRefFrom<typeof registryMachine>;
