/**
 * State machine of a download: an agent reads a large content of a computer part by part, a few parts ahead of its
 * reader. The parts go to the host in their order. States:
 *
 * asking   — parts are under way; each part that comes starts the limit of silence again
 * holding  — the reader has not taken the parts that came; nothing is under way
 * resting  — the link, the office or the computer is away: asks again after a pause, from where it was
 * checking — all parts came; the host compares their hash
 * read | failed | cancelled — final
 */
import { assign, setup } from 'xstate';
import { effects, posts, withEvent, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import * as rules from './download.rules.ts';
import type { DownloadContext, DownloadEnded, DownloadInput, DownloadOrder } from './download.rules.ts';

type Answer = Extract<RequestFact, { type: 'ask.answered' }>;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

const parts = setup({
  types: {
    context: {} as DownloadContext,
    input: {} as DownloadInput,
    events: {} as RequestFact | DownloadOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing' | 'connecting',
  },
  actions: {
    ...effects,
    noteAsked: assign(({ context }) => rules.afterAsking(context)),
    noteTaken: assign(({ context }) => ({ untaken: Math.max(0, context.untaken - 1) })),
    noteTry: assign(({ context }) => ({ tries: context.tries + 1 })),
    startAgain: assign(({ context }) => rules.restarted(context)),
    remember: assign((_, { failure }: { readonly failure: Failure }) => ({ failure })),
    forgetFailure: assign({ failure: null }),
    take: assign(({ context }, answer: Answer) => rules.withPart(context, answer).next),
  },
  guards: {
    isBroken: ({ context }, answer: Answer) => {
      const failure = rules.failureOf(context, answer);
      return failure !== undefined && !rules.mayPass(failure);
    },
    isAway: ({ context }, answer: Answer) => rules.failureOf(context, answer) !== undefined,
    mayPass: (_, { failure }: Refusal) => rules.mayPass(failure),
    isWhole: ({ context }) => rules.isWhole(context),
    isAstray: ({ context }) => rules.isAstray(context),
    isFull: ({ context }) => context.asked.length === 0 && rules.offsetsToAsk(context).length === 0,
    isPatient: ({ context }) => rules.isPatient(context),
  },
  delays: {
    silence: ({ context: { timing } }) => timing.queryMs + timing.agentMarginMs,
    pause: ({ context }) => context.timing.refetchMs,
  },
});
const ask = parts.enqueueActions(({ context, enqueue }) => {
  for (const offset of rules.offsetsToAsk(context))
    enqueue({ type: 'request', params: rules.partRequest(context, offset) });
  enqueue('noteAsked');
});
const withdraw = parts.enqueueActions(({ context, enqueue }) => {
  for (const id of rules.openIds(context)) enqueue({ type: 'cancel', params: { id } });
  enqueue('startAgain');
});
const give = parts.enqueueActions(({ context, event, enqueue }) => {
  const answer = event as Answer;
  const { parts: given } = rules.withPart(context, answer);
  enqueue({ type: 'postAll', params: { messages: rules.partsGiven(context, given) } });
  enqueue({ type: 'take', params: answer });
  enqueue('forgetFailure');
});
const failureIn = {
  type: 'remember',
  params: ({ context, event }: { context: DownloadContext; event: Answer }) => ({
    failure: rules.failureOf(context, event) ?? rules.gaveUp(context),
  }),
} as const;
const refusalIn = withEvent('remember');
const late = {
  type: 'remember',
  params: ({ context: { computer } }: { context: DownloadContext }) => ({
    failure: {
      code: wireCodes.noAnswer,
      message: `Computer '${computer}' sent no part of the content in time`,
    },
  }),
} as const;
const tell = (end: DownloadEnded['end']) => posts((c: DownloadContext) => rules.ended(c, end));

export const downloadMachine = parts.createMachine({
  id: 'download',
  context: ({ input }) => ({ ...input, ...rules.noPartsYet }),
  initial: 'asking',
  on: {
    close: '.cancelled',
    'part.taken': { actions: 'noteTaken' },
    'content.right': {},
    'content.wrong': { target: '.failed', actions: withEvent('remember') },
  },
  states: {
    asking: {
      tags: 'refreshing',
      entry: ask,
      always: [
        { guard: 'isWhole', target: 'checking' },
        { guard: 'isAstray', target: 'asking', reenter: true, actions: withdraw },
        { guard: 'isFull', target: 'holding' },
      ],
      on: {
        'part.taken': { actions: ['noteTaken', ask] },
        'ask.answered': [
          { guard: withEvent('isBroken'), target: 'failed', actions: failureIn },
          { guard: withEvent('isAway'), target: 'resting', actions: failureIn },
          { target: 'asking', reenter: true, actions: give },
        ],
        'ask.refused': [
          { guard: withEvent('mayPass'), target: 'resting', actions: refusalIn },
          { target: 'failed', actions: refusalIn },
        ],
      },
      after: { silence: { target: 'resting', actions: late } },
    },
    holding: {
      tags: 'ready',
      on: { 'part.taken': { target: 'asking', actions: 'noteTaken' } },
    },
    resting: {
      tags: 'connecting',
      entry: [withdraw, 'noteTry'],
      always: { guard: ({ context }) => !rules.isPatient(context), target: 'failed' },
      after: { pause: 'asking' },
    },
    checking: { tags: 'ready', on: { 'content.right': 'read' } },
    read: { type: 'final', entry: tell('read') },
    failed: { type: 'final', entry: [withdraw, tell('failed')] },
    cancelled: { type: 'final', entry: [withdraw, tell('cancelled')] },
  },
});
