/** Answers agents that ask for parts of contents which were too large for a result. */
import { setup } from 'xstate';
import { effects, posts, postsAll, type DirectoryEvent, type Post } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { take, takes, type Taken as Consequences } from '../kernel/taken.ts';
import { withoutKey } from '../protocol/json.ts';
import * as rules from './blobs.rules.ts';
import type { BlobPart, BlobsContext, BlobsInput, BlobsOrder, BlobWanted } from './blobs.rules.ts';
import { blobsPort } from '../ports/files.ts';

const idOf = (ticket: string): string => `part.${ticket}`;

type Taken = Consequences<BlobsContext, BlobsOrder>;
type Events = RequestFact | BlobsOrder | DirectoryEvent;
const blobsSetup = setup({
  types: {
    context: {} as BlobsContext,
    input: {} as BlobsInput,
    events: {} as Events,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: { ...effects, take: take<BlobsContext, Events, BlobsOrder>() },
  guards: {
    isBusy: ({ context }) => rules.isBusy(context),
    isLast: ({ context: { reading } }) => Object.keys(reading).length === 0,
  },
});
function read(c: BlobsContext, wanted: BlobWanted): Taken {
  const { ticket, handle, offset, maxBytes, reader } = wanted;
  const id = idOf(ticket);
  const params: rules.BlobRead = { ticket, handle, offset, maxBytes, reader };
  return {
    requests: [{ id, target: blobsPort, method: 'read', params }],
    timers: [{ id, delay: c.timing.aggregateMs, event: { type: 'blob.overdue', ticket } }],
    next: { reading: { ...c.reading, [id]: wanted } },
  };
}
function settle({ reading }: BlobsContext, id: string, answerOf: (wanted: BlobWanted) => Post): Taken {
  const wanted = reading[id];
  if (!wanted) return {};
  return { messages: [answerOf(wanted)], cancels: [id], next: { reading: withoutKey(reading, id) } };
}
const give = (c: BlobsContext, { id, result }: Extract<RequestFact, { type: 'ask.answered' }>): Taken =>
  settle(c, id, (wanted) => rules.answered(wanted, result as BlobPart));
const refuse = (c: BlobsContext, { id, failure }: Extract<RequestFact, { type: 'ask.refused' }>): Taken =>
  settle(c, id, (wanted) => rules.refused(wanted, failure));
const giveUp = (c: BlobsContext, { ticket }: { readonly ticket: string }): Taken => ({
  withdrawn: [idOf(ticket)],
  ...settle(c, idOf(ticket), (wanted) => rules.refused(wanted, rules.slowDisk)),
});
const refuseOpen = postsAll(({ reading }: BlobsContext) =>
  Object.values(reading).map((wanted) => rules.refused(wanted, rules.closing)),
);

export const blobsMachine = blobsSetup.createMachine({
  id: 'blobs',
  context: ({ input }) => ({ ...input, reading: {} }),
  initial: 'idle',
  on: { close: '.closed' },
  states: {
    idle: {
      tags: 'ready',
      on: { 'blob.wanted': { target: 'reading', actions: takes(read) }, 'blob.overdue': {} },
    },
    reading: {
      tags: 'refreshing',
      on: {
        'blob.wanted': [
          {
            guard: 'isBusy',
            actions: posts((c: BlobsContext, wanted: BlobWanted) => rules.refused(wanted, rules.busy(c))),
          },
          { actions: takes(read) },
        ],
        'ask.answered': { actions: takes(give) },
        'ask.refused': { actions: takes(refuse) },
        'blob.overdue': { actions: takes(giveUp) },
      },
      always: { guard: 'isLast', target: 'idle' },
    },
    closed: { type: 'final', entry: refuseOpen },
  },
});
