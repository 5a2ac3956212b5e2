/**
 * A Desktop or a Finder: what the servers of one computer show of themselves, put together when somebody asks.
 *
 * open    — two things at once:
 *           showing — what is shown, and who is told of it:
 *             connecting: its first collection, of the first lists; tells of nothing until they are there, or their time is over
 *             ready: nobody waits
 *             refreshing: collecting (questions wait for lists and server caches) → comparing (is it another than the last that
 *             was told?) → announcing (told at once, and then at most once in each while)
 *           routing{free | holding} — a question for one resource goes to its server, or waits for those lists, too
 * closing — who waited was told so; server caches and reads get a moment to end
 * closed  — final: all of them have ended
 * killed  — final: some were cut off, after that moment or because its computer is gone
 *
 * A question for the whole is answered from what is known, or waits for what it needs: lists of servers that have just come,
 * and server caches of servers that are new or have changed. Each has its own time, takes part in what is being read already,
 * and waits for no server that it does not need.
 *
 * It keeps one server cache per server that has something to show, and a read per question for one resource. Its context has what
 * the server caches gave, so that a question costs no server anything as long as nothing changes.
 */
import { not, type ActorRefFrom } from 'xstate';
import {
  answerNow,
  answerOne,
  askAll,
  noteBroken,
  noteUnopened,
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
import { closing, routing } from './aggregator.states.ts';
import type { AggregateWanted } from './aggregator.events.ts';

export type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  AggregatorStart,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.events.ts';

const wanted = ({ event }: { readonly event: AggregateWanted }): AggregateWanted => event;
const eventAsParams = <E>({ event }: { readonly event: E }): E => event;

export const aggregatorMachine = parts.createMachine({
  id: 'aggregator',
  context: ({ input }) => ({
    ...input,
    caches: {},
    questions: [],
    numbered: 0,
    members: [],
    isHeard: false,
    isNews: false,
    told: '',
    hasLost: false,
    living: 0,
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
    'owned.ended': [
      { guard: { type: 'isCache', params: eventAsParams }, actions: [noteBroken, 'countEnd'] },
      /** A read has answered its asker, or its will has. */
      { actions: 'countEnd' },
    ],
    'open.refused': [
      { guard: { type: 'isCache', params: eventAsParams }, actions: [noteUnopened, 'countEnd'] },
      { actions: [refuseTwice, 'countEnd'] },
    ],
    'owner.ended': [{ guard: 'hasNone', target: '.closed' }, { target: '.killed' }],
  },
  states: {
    open: {
      type: 'parallel',
      on: {
        'aggregate.wanted': [
          { guard: { type: 'isKnown', params: wanted }, actions: answerNow },
          { actions: [{ type: 'noteQuestion', params: wanted }, setLimit] },
        ],
        'question.late': { actions: takeLate },
        'resources.listed': { actions: takeList },
        'resource.updated': { actions: takeUpdate },
        'resources.watched': { actions: takeWatched },
        'cache.refreshed': { actions: takeRefreshed },
        close: { target: 'closing', actions: refuseAll },
      },
      always: [
        { guard: 'mustAsk', actions: askAll },
        { guard: 'canAnswer', actions: answerOne },
      ],
      states: {
        showing: {
          initial: 'connecting',
          states: {
            connecting: {
              tags: 'connecting',
              always: { guard: 'isCollected', target: 'ready' },
              after: { listLimit: 'ready' },
            },
            ready: {
              tags: 'ready',
              always: [
                { guard: 'isNews', target: 'refreshing' },
                { guard: not('isAnswered'), target: 'refreshing' },
              ],
            },
            refreshing: {
              tags: ['ready', 'refreshing'],
              initial: 'collecting',
              states: {
                collecting: {
                  always: [
                    { guard: 'isNews', target: 'comparing' },
                    { guard: 'isAnswered', target: 'comparing' },
                  ],
                },
                comparing: {
                  exit: 'noteCompared',
                  always: [
                    { guard: 'isOther', target: 'announcing' },
                    { guard: not('isAnswered'), target: 'collecting' },
                    { target: '#aggregator.open.showing.ready' },
                  ],
                },
                announcing: { entry: tell, after: { coalesce: 'comparing' } },
              },
            },
          },
        },
        routing,
      },
    },
    closing,
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
export type AggregatorRef = ActorRefFrom<typeof aggregatorMachine>;
