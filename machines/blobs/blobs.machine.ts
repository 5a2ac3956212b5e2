/** Answers agents that ask for parts of contents which were too large for a result. */
import { assign, setup } from 'xstate';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './blobs.rules.ts';
import type { BlobPart, BlobsContext, BlobsInput, BlobsOrder, BlobWanted } from './blobs.rules.ts';
import { blobsPort } from '../ports/files.ts';

const idOf = (ticket: string): string => `part.${ticket}`;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

const blobsSetup = setup({
  types: {
    context: {} as BlobsContext,
    input: {} as BlobsInput,
    events: {} as RequestFact | BlobsOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    note: assign(({ context: { reading } }, wanted: BlobWanted) => ({
      reading: { ...reading, [idOf(wanted.ticket)]: wanted },
    })),
    forget: assign(({ context: { reading } }, { id }: { id: string }) => ({
      reading: Object.fromEntries(Object.entries(reading).filter(([key]) => key !== id)),
    })),
  },
  guards: {
    isBusy: ({ context }) => rules.isBusy(context),
    isLast: ({ context: { reading } }) => Object.keys(reading).length === 0,
  },
});
const read = blobsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const wanted = event as BlobWanted;
  const { ticket, handle, offset, maxBytes, reader } = wanted;
  const id = idOf(ticket);
  const params: rules.BlobRead = { ticket, handle, offset, maxBytes, reader };
  enqueue({ type: 'request', params: { id, target: blobsPort, method: 'read', params } });
  enqueue({ type: 'note', params: wanted });
  enqueue.raise({ type: 'blob.overdue', ticket }, { delay: c.timing.aggregateMs, id });
});
const settle = <E>(
  idIn: (event: E) => string,
  answerOf: (wanted: BlobWanted, event: E) => ReturnType<typeof rules.refused>,
) =>
  blobsSetup.enqueueActions(({ context: c, event, enqueue }) => {
    const id = idIn(event as E);
    const wanted = c.reading[id];
    if (!wanted) return;
    enqueue({ type: 'post', params: answerOf(wanted, event as E) });
    enqueue.cancel(id);
    enqueue({ type: 'forget', params: { id } });
  });
const give = settle<{ readonly id: string; readonly result: unknown }>(
  ({ id }) => id,
  (wanted, { result }) => rules.answered(wanted, result as BlobPart),
);
const refuse = settle<Refusal>(
  ({ id }) => id,
  (wanted, { failure }) => rules.refused(wanted, failure),
);
const giveUp = [
  {
    type: 'cancel',
    params: ({ event }: { event: { readonly ticket: string } }) => ({ id: idOf(event.ticket) }),
  },
  settle<{ readonly ticket: string }>(
    ({ ticket }) => idOf(ticket),
    (wanted) => rules.refused(wanted, rules.slowDisk),
  ),
] as const;
const refuseOpen = {
  type: 'postAll',
  params: ({ context: { reading } }: { context: BlobsContext }) => ({
    messages: Object.values(reading).map((wanted) => rules.refused(wanted, rules.closing)),
  }),
} as const;

export const blobsMachine = blobsSetup.createMachine({
  id: 'blobs',
  context: ({ input }) => ({ ...input, reading: {} }),
  initial: 'idle',
  on: { close: '.closed' },
  states: {
    idle: {
      tags: 'ready',
      on: { 'blob.wanted': { target: 'reading', actions: read }, 'blob.overdue': {} },
    },
    reading: {
      tags: 'refreshing',
      on: {
        'blob.wanted': [
          {
            guard: 'isBusy',
            actions: {
              type: 'post',
              params: ({ context, event }) => rules.refused(event, rules.busy(context)),
            },
          },
          { actions: read },
        ],
        'ask.answered': { actions: give },
        'ask.refused': { actions: refuse },
        'blob.overdue': { actions: giveUp },
      },
      always: { guard: 'isLast', target: 'idle' },
    },
    closed: { type: 'final', entry: refuseOpen },
  },
});
