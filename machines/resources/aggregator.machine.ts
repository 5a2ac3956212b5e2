/**
 * A Desktop or a Finder: what the servers of one computer show of themselves, put together when somebody asks.
 *
 * open   — three things at once:
 *          answering{steady | collecting}: a question for the whole is answered from what is known, or waits for what it
 *          needs: lists of servers that have just come, and server caches of servers that are new or have changed. Each has its
 *          own time, takes part in what is being read already, and waits for no server that it does not need
 *          routing{free | holding}: a question for one resource goes to its server, or waits for those lists, too
 *          telling{calm | holding}: a change is told at once, and then at most one in each while
 * closed — final: who waited was told so
 *
 * It keeps one server cache per server that has something to show, and a read per question for one resource. Its context has what
 * the server caches gave, so that a question costs no server anything as long as nothing changes.
 */
import type { ActorRefFrom } from 'xstate';
import {
  answerNow,
  answerOne,
  askAll,
  noteBroken,
  noteUnopened,
  openPending,
  openRead,
  parts,
  refuseAll,
  refuseTwice,
  setLimit,
  takeRefreshed,
  takeLate,
  takeList,
  takeUpdate,
  takeWatched,
  tell,
} from './aggregator.setup.ts';
import type { AggregateWanted, ResourceWanted } from './aggregator.events.ts';

export type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  AggregatorStart,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.events.ts';

const wanted = ({ event }: { readonly event: AggregateWanted }): AggregateWanted => event;
const resource = ({ event }: { readonly event: ResourceWanted }): ResourceWanted => event;
const eventAsParams = <E>({ event }: { readonly event: E }): E => event;

export const aggregatorMachine = parts.createMachine({
  id: 'aggregator',
  context: ({ input }) => ({
    ...input,
    caches: {},
    questions: [],
    numbered: 0,
    members: [],
    isNews: false,
    updates: 0,
    awaited: [],
    unlisted: {},
    refused: {},
    exposed: [],
    pending: [],
    noticed: [],
  }),
  initial: 'open',
  on: {
    'resources.listed': { actions: takeList },
    'resource.updated': { actions: takeUpdate },
    'resources.watched': { actions: takeWatched },
    'cache.refreshed': { actions: takeRefreshed },
    'owned.ended': [
      { guard: { type: 'isCache', params: eventAsParams }, actions: noteBroken },
      /** A read has answered its asker, or its will has. */
      {},
    ],
    'open.refused': [
      { guard: { type: 'isCache', params: eventAsParams }, actions: noteUnopened },
      { actions: refuseTwice },
    ],
    close: { target: '.closed', actions: refuseAll },
  },
  states: {
    open: {
      type: 'parallel',
      states: {
        answering: {
          initial: 'steady',
          on: {
            'aggregate.wanted': { actions: [{ type: 'noteQuestion', params: wanted }, setLimit] },
            'question.late': { actions: takeLate },
          },
          states: {
            steady: {
              tags: 'ready',
              on: {
                'aggregate.wanted': [
                  { guard: { type: 'isKnown', params: wanted }, actions: answerNow },
                  {
                    target: 'collecting',
                    actions: [{ type: 'noteQuestion', params: wanted }, setLimit],
                  },
                ],
              },
            },
            collecting: {
              tags: 'refreshing',
              always: [
                { guard: 'mustAsk', actions: askAll },
                { guard: 'canAnswer', actions: answerOne },
                { guard: 'isAnswered', target: 'steady' },
              ],
            },
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
                    actions: { type: 'notePending', params: resource },
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
                    actions: { type: 'notePending', params: resource },
                  },
                  { actions: openRead },
                ],
              },
              always: { guard: 'isListed', target: 'free', actions: openPending },
              after: { listLimit: { target: 'free', actions: openPending } },
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
