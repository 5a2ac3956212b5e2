/**
 * A Desktop or a Finder: what the servers of one computer show of themselves, put together when somebody asks.
 *
 * open   — three things at once:
 *          answering{steady | listing | collecting}: a question for the whole is answered from what is known, or waits for
 *          the lists of servers that have just come (not for ever), and until the shelves of servers that are new or have
 *          changed are filled; whoever asks meanwhile waits for the next round
 *          routing{free | holding}: a question for one resource goes to its server, or waits for those lists, too
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
  openHeld,
  openRead,
  parts,
  refuseAll,
  takeFilled,
  takeList,
  takeUpdate,
  takeWatched,
  tell,
} from './aggregator.parts.ts';
import type { AggregateWanted, ResourceWanted } from './aggregator.words.ts';
import type { OwnedEnded } from './effects.ts';

export type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  AggregatorStart,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.words.ts';

const wanted = ({ event }: { readonly event: AggregateWanted }): AggregateWanted => event;
const resource = ({ event }: { readonly event: ResourceWanted }): ResourceWanted => event;
const ended = ({ event }: { readonly event: OwnedEnded }): OwnedEnded => event;

export const aggregatorMachine = parts.createMachine({
  id: 'aggregator',
  context: ({ input }) => ({
    ...{ ...input, shelves: {}, waiting: [], next: [], pending: [], isNews: false },
    ...{ awaited: [], unlisted: {}, held: [], noticed: [] },
  }),
  initial: 'open',
  on: {
    'resources.listed': { actions: takeList },
    'resource.updated': { actions: takeUpdate },
    'resources.watched': { actions: takeWatched },
    'shelf.filled': { actions: takeFilled },
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
                  { target: 'listing', actions: { type: 'noteWaiting', params: wanted } },
                ],
              },
            },
            listing: {
              tags: 'refreshing',
              on: { 'aggregate.wanted': { actions: { type: 'noteWaiting', params: wanted } } },
              always: { guard: 'isListed', target: 'collecting' },
              after: { listLimit: 'collecting' },
            },
            collecting: {
              tags: 'refreshing',
              entry: fillAll,
              on: { 'aggregate.wanted': { actions: { type: 'noteNext', params: wanted } } },
              always: { guard: 'isCollected', target: 'answered', actions: [answerAll, 'shift'] },
            },
            /** Passed through: did somebody ask meanwhile? */
            answered: { always: [{ guard: 'isWaited', target: 'listing' }, { target: 'steady' }] },
          },
        },
        routing: {
          initial: 'free',
          states: {
            free: {
              on: {
                'resource.wanted': [
                  {
                    guard: { type: 'mustWait', params: resource },
                    target: 'holding',
                    actions: { type: 'noteHeld', params: resource },
                  },
                  { actions: openRead },
                ],
              },
            },
            holding: {
              on: {
                'resource.wanted': [
                  {
                    guard: { type: 'mustWait', params: resource },
                    actions: { type: 'noteHeld', params: resource },
                  },
                  { actions: openRead },
                ],
              },
              always: { guard: 'isListed', target: 'free', actions: openHeld },
              after: { listLimit: { target: 'free', actions: openHeld } },
            },
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
