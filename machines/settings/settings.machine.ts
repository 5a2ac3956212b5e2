/**
 * Machine of the config file of a host, which lives as long as the host.
 *
 * reading  — the file is being read; new changes wait
 * inForce  — the text read last is valid
 * lost     — the file is missing or empty: the old config stays in force, and the next change writes it together with the change
 * mistaken — the text read last is invalid: the old config stays in force, and the file is not written
 * writing  — one change is being made: read, edited and written under a lock
 * closed   — final
 */
import { assign, setup } from 'xstate';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './settings.rules.ts';
import type {
  SettingsContext,
  FileChanged,
  SettingsInput,
  SettingsChange,
  SettingsOrder,
} from './settings.rules.ts';

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
const tellNews = {
  type: 'postAll',
  params: ({ context, event }: rules.At<rules.FileAnswered>) => ({
    messages: rules.settingsNews(context, rules.fileFoundIn(event)),
  }),
} as const;
const tellSilence = {
  type: 'postAll',
  params: ({ context }: rules.At<unknown>) => ({ messages: rules.settingsNews(context, rules.unreadFile) }),
} as const;

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
    forgetAll: assign(() => ({ orders: [] })),
    noteOld: assign((_, _event: FileChanged) => ({ isOld: true })),
    noteFresh: assign(() => ({ isOld: false })),
  },
  guards: {
    isGood: (_, found: rules.FileFound) => found.kind === 'good',
    isLoss: (_, found: rules.FileFound) => rules.isLoss(found),
    isOld: ({ context }) => context.isOld,
    hasOrder: ({ context }) => context.orders.length > 0,
    mayWrite: ({ context }) => rules.mayWrite(context),
  },
  delays: { readLimit: rules.readLimitMs, writeLimit: rules.writeLimitMs },
});
const found = ({ event }: { readonly event: rules.FileAnswered }): rules.FileFound =>
  rules.fileFoundIn(event);
const take = { type: 'take', params: found } as const;
const noteOrder = {
  'settings.change': { actions: { type: 'note', params: ({ event }: { event: SettingsChange }) => event } },
} as const;
const toClosed = { target: 'closed', actions: [refuseAll(() => rules.closingFailure), 'forgetAll'] } as const;
const turns = [
  { guard: 'isOld', target: 'reading' },
  { guard: 'hasOrder', target: 'deciding' },
] as const;

export const settingsMachine = settingsSetup.createMachine({
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
          { guard: { type: 'isGood', params: found }, target: 'inForce', actions: [tellNews, take] },
          { guard: { type: 'isLoss', params: found }, target: 'lost', actions: [tellNews, take] },
          { target: 'mistaken', actions: [tellNews, take] },
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
    /** Transient state: a file of a newer version is not written. */
    deciding: {
      always: [
        { guard: 'mayWrite', target: 'writing' },
        { target: 'inForce', actions: [refuseAll(() => rules.futureFailure), 'forgetAll'] },
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
            actions: [
              {
                type: 'postAll',
                params: ({ context, event }) => ({
                  messages: [
                    rules.settledMessage(context, rules.fileFoundIn(event)),
                    ...rules.settingsNews(context, rules.fileFoundIn(event)),
                  ],
                }),
              },
              take,
              'forgetFirst',
            ],
          },
          { guard: { type: 'isLoss', params: found }, target: 'lost', actions: [tellNews, take] },
          { target: 'mistaken', actions: [tellNews, take] },
        ],
        // Reads the file again after a failed write, which shows whether the text was written.
        'ask.refused': {
          target: 'reading',
          actions: [refuseFirst(({ event }) => rules.failureIn(event)), 'forgetFirst'],
        },
        'file.changed': { actions: { type: 'noteOld', params: ({ event }) => event } },
        ...noteOrder,
        close: toClosed,
      },
      after: {
        writeLimit: { target: 'reading', actions: [refuseFirst(() => rules.tooSlowFailure), 'forgetFirst'] },
      },
    },
    closed: { type: 'final' },
  },
});
