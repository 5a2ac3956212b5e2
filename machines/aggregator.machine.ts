/**
 * A Desktop or a Finder: what the servers of one computer show of themselves, put together when somebody asks.
 *
 * open   — two things at once:
 *          answering{steady | collecting}: a question for the whole is answered from what is known, or waits until the
 *          shelves of servers that are new or have changed are filled; whoever asks meanwhile waits for the next round
 *          telling{calm | holding}: a change is told at once, and then at most one in each while
 * closed — final: who waited was told so
 *
 * It keeps one shelf per server that has something to show, and a read per question for one resource. Its context has what
 * the shelves gave, so that a question costs no server anything as long as nothing changes.
 */
import type { ActorRefFrom } from 'xstate';
import {
  answerAll,
  answerNow,
  fillAll,
  noteBroken,
  openRead,
  parts,
  refuseAll,
  takeList,
  takeUpdate,
  tell,
} from './aggregator.parts.ts';
import type { AggregateWanted } from './aggregator.words.ts';
import type { OwnedEnded } from './effects.ts';
import type { ShelfFilled } from './shelf.machine.ts';

export type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  AggregatorStart,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.words.ts';

const wanted = ({ event }: { readonly event: AggregateWanted }): AggregateWanted => event;
const ended = ({ event }: { readonly event: OwnedEnded }): OwnedEnded => event;

export const aggregatorMachine = parts.createMachine({
  id: 'aggregator',
  context: ({ input }) => ({ ...input, shelves: {}, waiting: [], next: [], pending: [], isNews: false }),
  initial: 'open',
  on: {
    'resources.listed': { actions: takeList },
    'resource.updated': { actions: takeUpdate },
    'resource.wanted': { actions: openRead },
    'shelf.filled': {
      actions: { type: 'noteFilled', params: ({ event }: { readonly event: ShelfFilled }) => event },
    },
    'owned.ended': { guard: { type: 'isShelf', params: ended }, actions: noteBroken },
    close: { target: '.closed', actions: refuseAll },
  },
  states: {
    open: {
      type: 'parallel',
      states: {
        answering: {
          initial: 'steady',
          states: {
            steady: {
              tags: 'ready',
              on: {
                'aggregate.wanted': [
                  { guard: 'isFresh', actions: answerNow },
                  { target: 'collecting', actions: { type: 'noteWaiting', params: wanted } },
                ],
              },
            },
            collecting: {
              tags: 'refreshing',
              entry: fillAll,
              on: { 'aggregate.wanted': { actions: { type: 'noteNext', params: wanted } } },
              always: { guard: 'isCollected', target: 'answered', actions: [answerAll, 'shift'] },
            },
            /** Passed through: did somebody ask meanwhile? */
            answered: { always: [{ guard: 'isWaited', target: 'collecting' }, { target: 'steady' }] },
          },
        },
        telling: {
          initial: 'calm',
          states: {
            calm: { always: { guard: 'isNews', target: 'holding', actions: tell } },
            holding: { after: { coalesce: 'calm' } },
          },
        },
      },
    },
    closed: { type: 'final' },
  },
});
export type AggregatorRef = ActorRefFrom<typeof aggregatorMachine>;
