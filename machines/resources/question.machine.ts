/** One question about a Desktop or a Finder, from its asking to its answer.
 *
 * collecting — waits for the lists of servers, and for what their server caches have to read
 * telling    — its time is over: each server cache tells what it knows
 * answered   — final: nothing is owed any more
 * late       — final: answered with what was known by the limit; `missing` names the rest
 * refused    — final: its owner has ended
 *
 * It waits only for servers that it needs, and asks again where a list changes meanwhile. */
import { assign, setup } from 'xstate';
import {
  effects,
  posts,
  postsAll,
  type DirectoryEvent,
  type OwnerEnded,
  withEvent,
} from '../kernel/effects.ts';
import * as rules from './question.rules.ts';
import type { QuestionContext, QuestionInput, QuestionOrder } from './question.rules.ts';
import type { CacheGiven } from './server-cache.rules.ts';

type Listed = Extract<QuestionOrder, { type: 'question.listed' }>;
const questionSetup = setup({
  types: {
    context: {} as QuestionContext,
    input: {} as QuestionInput,
    events: {} as QuestionOrder | DirectoryEvent,
    tags: {} as 'refreshing',
  },
  actions: {
    ...effects,
    noteListed: assign(({ context }, listed: Listed) => rules.afterListed(context, listed)),
    noteGiven: assign(({ context }, given: CacheGiven) => rules.afterGiven(context, given)),
    noteAsked: assign(({ context: c }) => ({ asked: [...c.asked, ...rules.serversToAsk(c)] })),
  },
  guards: {
    mustAsk: ({ context }) => rules.serversToAsk(context).length > 0,
    canAnswer: ({ context }) => rules.canAnswer(context),
    isTold: ({ context }) => rules.isTold(context),
  },
  delays: {
    limit: ({ context }) => context.timing.aggregateMs,
    grace: ({ context }) => context.timing.closeGraceMs,
  },
});
const answer = posts(rules.answer);

export const questionMachine = questionSetup.createMachine({
  id: 'question',
  context: ({ input }) => ({ ...input, asked: [], given: {} }),
  initial: 'collecting',
  on: {
    'question.listed': { actions: withEvent('noteListed') },
    'cache.given': { actions: withEvent('noteGiven') },
    'owner.ended': {
      target: '.refused',
      actions: posts((c: QuestionContext, ended: OwnerEnded) => rules.refusedAtEnd(c, ended)),
    },
  },
  states: {
    collecting: {
      tags: 'refreshing',
      always: [
        { guard: 'mustAsk', actions: [postsAll(rules.asks), 'noteAsked'] },
        { guard: 'canAnswer', target: 'answered' },
      ],
      after: { limit: { target: 'telling', actions: postsAll(rules.messagesAtLimit) } },
    },
    telling: {
      tags: 'refreshing',
      always: { guard: 'isTold', target: 'late' },
      after: { grace: 'late' },
    },
    answered: { type: 'final', entry: answer },
    late: { type: 'final', entry: answer },
    refused: { type: 'final' },
  },
});
