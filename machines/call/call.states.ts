/** What happens to a call before it is sent, and after it was answered: only those of a computer go through this. */
import { confirmationDenied, nothingFound, type Finding, type Judgement } from './policy/index.ts';
import { askBack, askFinish, askPerson, askPolicy, enter, send, tellApproved } from './call.asks.ts';
import {
  abandoned,
  answerOf,
  askerLost,
  callersTime,
  cancelled,
  closed,
  confirmationOf,
  drawnOf,
  eventAsParams,
  failureOf,
  judgementOf,
  notStarted,
  personsTime,
  startLook,
  type Context,
} from './call.setup.ts';

/** Whatever it waits for before it is sent, these end it. */
export const unsent = {
  'call.cancel': cancelled,
  close: closed,
  'asker.lost': askerLost,
  'server.lost': notStarted,
  'owner.ended': abandoned,
} as const;
export const refusing = { type: 'rememberFailure', params: failureOf } as const;
/** Nothing stands against it any more. */
const ready = [
  { guard: 'isPending', target: '#call.queued' },
  { target: '#call.running', actions: send },
] as const;

const refuseInvalid = <At>(judgement: (at: At) => Partial<Judgement>) =>
  ({
    guard: { type: 'isInvalid', params: judgement },
    target: '#call.refused',
    actions: { type: 'rememberInvalid', params: judgement },
  }) as const;
/** What was known at once: our own rule never denies. */
export const known = [
  refuseInvalid(drawnOf),
  { guard: { type: 'needsPerson', params: drawnOf }, target: '#call.confirming' },
  ...ready,
] as const;

export const judging = {
  tags: 'connecting',
  entry: askPolicy,
  on: {
    ...unsent,
    'call.go': { actions: 'release' },
    'ask.answered': [
      refuseInvalid(judgementOf),
      {
        guard: { type: 'isDeniedByPolicy', params: judgementOf },
        target: 'refused',
        actions: { type: 'rememberPolicyDenial', params: judgementOf },
      },
      { guard: { type: 'needsPerson', params: judgementOf }, target: 'confirming' },
      ...ready,
    ],
    'ask.refused': { target: 'refused', actions: refusing },
    'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' },
  },
  initial: 'inTime',
  states: {
    inTime: {},
    /** The rule has less time than the call. */
    watched: {
      after: {
        patience: {
          target: '#call.refused',
          actions: {
            type: 'rememberPolicyDenial',
            params: { reason: 'the policy of its host gave no answer' },
          },
        },
      },
    },
  },
} as const;

const tooLate = <P>(params: P) =>
  ({ target: 'refused', actions: { type: 'rememberUnconfirmed', params } }) as const;
type Answered = { readonly event: { readonly result: unknown } };
export const confirming = {
  tags: 'connecting',
  entry: [enter('confirming'), askPerson],
  on: {
    ...unsent,
    'call.go': { actions: 'release' },
    'ask.answered': [
      {
        guard: { type: 'isDenied', params: confirmationOf },
        target: 'refused',
        actions: {
          type: 'rememberUnconfirmed',
          params: (at: Answered) => ({ text: confirmationDenied, reason: confirmationOf(at).reason }),
        },
      },
      {
        guard: { type: 'isForSession', params: confirmationOf },
        target: 'queued',
        actions: tellApproved,
      },
      { target: 'queued' },
    ],
    'ask.refused': { target: 'refused', actions: refusing },
    'deadline.passed': tooLate(callersTime),
  },
  after: { patience: tooLate(personsTime) },
} as const;

/** Taken back while it was out. Another computer that has it answers how it stood; without that answer nobody knows. */
export const cancelling = {
  tags: 'closing',
  initial: 'deciding',
  on: {
    'ask.answered': [
      { guard: { type: 'isOfWithdrawal', params: eventAsParams } },
      {
        guard: { type: 'isToolError', params: answerOf },
        target: 'failed',
        actions: { type: 'rememberAnswer', params: answerOf },
      },
      { target: 'succeeded', actions: { type: 'rememberAnswer', params: answerOf } },
    ],
    /** The connection is lost: its agent says so, too. */
    'ask.refused': {},
    'ask.progress': {},
    'call.cancel': {},
    'deadline.passed': 'cancelled',
    'server.lost': 'cancelled',
    close: 'cancelled',
  },
  states: {
    deciding: {
      always: [
        { guard: 'hearsHowItStood', target: 'asking', actions: askBack },
        { target: '#call.cancelled' },
      ],
    },
    asking: { after: { word: '#call.cancelled' } },
  },
} as const;

/** The answer is here, and is given whatever comes of looking at it: its server has nothing more to do with it. */
const given = <E>(finding: (event: E) => Finding) => {
  const actions = {
    type: 'rememberFinished',
    params: ({ event }: { event: E }) => ({ finding: finding(event) }),
  } as const;
  return [
    {
      guard: { type: 'isToolError', params: ({ context }: { context: Context }) => context },
      target: 'failed',
      actions,
    },
    { target: 'succeeded', actions },
  ] as const;
};
const notPostProcessed = (why: string) =>
  given(() => ({ ...nothingFound, warnings: [`The result was not post-processed: ${why}`] }));
export const finishing = {
  tags: 'closing',
  entry: [askFinish, startLook],
  on: {
    'ask.answered': given((event: { readonly result: unknown }) => ({
      ...nothingFound,
      ...(event.result as Partial<Finding> | null),
    })),
    'ask.refused': notPostProcessed('that failed'),
    'deadline.passed': notPostProcessed('that took too long'),
    'call.cancel': notPostProcessed('it was cancelled then'),
    close: notPostProcessed('its computer is closing'),
    'server.lost': {},
    'call.go': {},
  },
} as const;
