/**
 * The config file of a host, for as long as the host lives.
 *
 * reading  — its text is asked for; changes that are wanted meanwhile wait
 * inForce  — what was read last is right
 * lost     — there is no file, or nothing in it: what was in force stays so, and the next change writes it with that change
 * mistaken — what was read last is wrong: what was in force stays so, and nothing is written over it
 * writing  — one change is under way: read, changed and written as one, while others are locked out
 * closed   — final
 */
import { assign, setup, type ActorRefFrom } from 'xstate';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './settings.rules.ts';
import type { Context, FileChanged, Input, SettingsChange, SettingsOrder } from './settings.rules.ts';

const settle = {
  type: 'postAll',
  params: ({ context, event }: rules.At<rules.Answered>) => ({
    messages: [rules.settled(context, rules.foundIn(event)), ...rules.news(context, rules.foundIn(event))],
  }),
} as const;
const refuseFirst = (why: (at: rules.At<unknown>) => ReturnType<typeof rules.failureIn>) =>
  ({
    type: 'postAll',
    params: (at: rules.At<unknown>) => ({
      messages: rules.refusals(at.context.orders.slice(0, 1), at, why(at)),
    }),
  }) as const;
const refuseAll = (why: (at: rules.At<unknown>) => ReturnType<typeof rules.failureIn>) =>
  ({
    type: 'postAll',
    params: (at: rules.At<unknown>) => ({ messages: rules.refusals(at.context.orders, at, why(at)) }),
  }) as const;
const tell = {
  type: 'postAll',
  params: ({ context, event }: rules.At<rules.Answered>) => ({
    messages: rules.news(context, rules.foundIn(event)),
  }),
} as const;
const tellSilence = {
  type: 'postAll',
  params: ({ context }: rules.At<unknown>) => ({ messages: rules.news(context, rules.silent) }),
} as const;

const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | SettingsOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    take: assign(({ context }, found: rules.Found) => rules.taken(context, found)),
    note: assign(({ context }, order: SettingsChange) => ({ orders: [...context.orders, order] })),
    forgetFirst: assign(({ context }) => ({ orders: context.orders.slice(1) })),
    forgetAll: assign(() => ({ orders: [] })),
    noteOld: assign((_, _event: FileChanged) => ({ isOld: true })),
    noteFresh: assign(() => ({ isOld: false })),
  },
  guards: {
    isGood: (_, found: rules.Found) => found.kind === 'good',
    isLoss: (_, found: rules.Found) => rules.isLoss(found),
    isOld: ({ context }) => context.isOld,
    hasOrder: ({ context }) => context.orders.length > 0,
    mayWrite: ({ context }) => rules.mayWrite(context),
  },
  delays: { readLimit: rules.readLimitMs, writeLimit: rules.writeLimitMs },
});
const found = ({ event }: { readonly event: rules.Answered }): rules.Found => rules.foundIn(event);
const take = { type: 'take', params: found } as const;
const noteOrder = {
  'settings.change': { actions: { type: 'note', params: ({ event }: { event: SettingsChange }) => event } },
} as const;
const toClosed = { target: 'closed', actions: [refuseAll(() => rules.closing), 'forgetAll'] } as const;
const turns = [
  { guard: 'isOld', target: 'reading' },
  { guard: 'hasOrder', target: 'deciding' },
] as const;

export const settingsMachine = parts.createMachine({
  id: 'settings',
  context: ({ input }) => ({
    ...input,
    value: null,
    mark: '',
    told: '',
    orders: [],
    isOld: false,
    isLost: false,
  }),
  initial: 'reading',
  on: { close: '.closed' },
  states: {
    reading: {
      tags: 'connecting',
      entry: ['noteFresh', { type: 'request', params: rules.readRequest }],
      on: {
        'ask.answered': [
          { guard: { type: 'isGood', params: found }, target: 'inForce', actions: [tell, take] },
          { guard: { type: 'isLoss', params: found }, target: 'lost', actions: [tell, take] },
          { target: 'mistaken', actions: [tell, take] },
        ],
        'ask.refused': { target: 'mistaken', actions: tellSilence },
        'file.changed': { target: 'reading', reenter: true },
        ...noteOrder,
        close: toClosed,
      },
      after: { readLimit: { target: 'mistaken', actions: tellSilence } },
    },
    inForce: {
      tags: 'ready',
      always: turns,
      on: { 'file.changed': 'reading', ...noteOrder },
    },
    lost: {
      tags: 'ready',
      always: turns,
      on: { 'file.changed': 'reading', ...noteOrder },
    },
    mistaken: {
      tags: 'ready',
      always: [
        { guard: 'isOld', target: 'reading' },
        {
          guard: 'hasOrder',
          actions: [refuseAll(({ context }) => rules.mistakenFailure(context)), 'forgetAll'],
        },
      ],
      on: { 'file.changed': 'reading', ...noteOrder },
    },
    /** Passed through: a file of a later version is not written. */
    deciding: {
      always: [
        { guard: 'mayWrite', target: 'writing' },
        { target: 'inForce', actions: [refuseAll(() => rules.future), 'forgetAll'] },
      ],
    },
    writing: {
      tags: 'refreshing',
      entry: { type: 'request', params: rules.writeRequest },
      on: {
        'ask.answered': [
          {
            guard: { type: 'isGood', params: found },
            target: 'inForce',
            actions: [settle, take, 'forgetFirst'],
          },
          { guard: { type: 'isLoss', params: found }, target: 'lost', actions: [tell, take] },
          { target: 'mistaken', actions: [tell, take] },
        ],
        // Whether it was written is seen in the file.
        'ask.refused': {
          target: 'reading',
          actions: [refuseFirst(({ event }) => rules.failureIn(event)), 'forgetFirst'],
        },
        'file.changed': { actions: { type: 'noteOld', params: ({ event }) => event } },
        ...noteOrder,
        close: toClosed,
      },
      after: {
        writeLimit: { target: 'reading', actions: [refuseFirst(() => rules.tooSlow), 'forgetFirst'] },
      },
    },
    closed: { type: 'final' },
  },
});
export type SettingsRef = ActorRefFrom<typeof settingsMachine>;
