/**
 * Machine of the config file of a host, which lives as long as the host.
 *
 * reading  — the file is being read; new changes wait
 * steady   — the text read last is valid, or the old config stays in force: a missing or empty file is written with the next
 *            change, and one with mistakes, or of a later version, is not written
 * writing  — one change is being made: read, edited and written under a lock
 * closed   — final
 */
import { assign, setup } from 'xstate';
import { effects, type DirectoryEvent, withEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './settings.rules.ts';
import type { Failure } from '../protocol/failure.ts';
import type { SettingsContext, SettingsInput, SettingsChange, SettingsOrder } from './settings.rules.ts';

const refuse = (
  of: (c: SettingsContext) => readonly SettingsChange[],
  why: (at: rules.At<unknown>) => Failure | null,
) =>
  ({
    type: 'postAll',
    params: (at: rules.At<unknown>) => ({ messages: rules.refusals(of(at.context), at, why(at)) }),
  }) as const;
const refuseFirst = (why: (at: rules.At<unknown>) => Failure) => refuse((c) => c.orders.slice(0, 1), why);
const refuseAll = (why: (at: rules.At<unknown>) => Failure | null) =>
  [refuse((c) => c.orders, why), 'forgetAll'] as const;

const settingsSetup = setup({
  types: {
    context: {} as SettingsContext,
    input: {} as SettingsInput,
    events: {} as RequestFact | SettingsOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    take: assign(({ context }, found: rules.FileFound) => rules.afterFound(context, found)),
    note: assign(({ context }, order: SettingsChange) => ({ orders: [...context.orders, order] })),
    forgetFirst: assign(({ context }) => ({ orders: context.orders.slice(1) })),
    forgetAll: assign({ orders: [] }),
    noteOld: assign({ isOld: true }),
    noteFresh: assign({ isOld: false }),
  },
  guards: {
    isGood: (_, found: rules.FileFound) => found.kind === 'good',
    isOld: ({ context }) => context.isOld,
    hasOrder: ({ context }) => context.orders.length > 0,
    mustRefuse: ({ context }) => context.orders.length > 0 && rules.whyNotWritten(context) !== null,
  },
  delays: { readLimit: rules.readLimitMs, writeLimit: rules.writeLimitMs },
});
const found = ({ event }: { readonly event: object }): rules.FileFound => rules.fileFoundIn(event);
const take = [
  {
    type: 'postAll',
    params: ({ context, event }: rules.At<object>) => ({
      messages: rules.settingsNews(context, rules.fileFoundIn(event)),
    }),
  },
  { type: 'take', params: found },
] as const;
const isRead = { target: 'steady', actions: take } as const;

export const settingsMachine = settingsSetup.createMachine({
  id: 'settings',
  context: ({ input }) => ({
    ...input,
    value: null,
    mark: '',
    told: '',
    orders: [],
    isOld: false,
    file: 'inForce',
  }),
  initial: 'reading',
  on: {
    'settings.change': { actions: withEvent('note') },
    'file.changed': '.reading',
    close: { target: '.closed', actions: refuseAll(() => rules.closingFailure) },
  },
  states: {
    reading: {
      tags: 'connecting',
      entry: ['noteFresh', { type: 'request', params: rules.readRequest }],
      on: { 'ask.answered': isRead, 'ask.refused': isRead },
      after: { readLimit: isRead },
    },
    steady: {
      tags: 'ready',
      always: [
        { guard: 'isOld', target: 'reading' },
        { guard: 'mustRefuse', actions: refuseAll(({ context }) => rules.whyNotWritten(context)) },
        { guard: 'hasOrder', target: 'writing' },
      ],
    },
    writing: {
      tags: 'refreshing',
      entry: { type: 'request', params: rules.writeRequest },
      on: {
        'ask.answered': [
          {
            guard: { type: 'isGood', params: found },
            target: 'steady',
            actions: [
              {
                type: 'post',
                params: ({ context, event }) => rules.settledMessage(context, rules.fileFoundIn(event)),
              },
              ...take,
              'forgetFirst',
            ],
          },
          isRead,
        ],
        // Reads the file again after a failed write, which shows whether the text was written.
        'ask.refused': {
          target: 'reading',
          actions: [refuseFirst(({ event }) => rules.failureIn(event)), 'forgetFirst'],
        },
        'file.changed': { actions: 'noteOld' },
      },
      after: {
        writeLimit: { target: 'reading', actions: [refuseFirst(() => rules.tooSlowFailure), 'forgetFirst'] },
      },
    },
    closed: { type: 'final' },
  },
});
