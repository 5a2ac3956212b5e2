/**
 * State machine of one tool call: one JSON-RPC request, settled exactly once; the result goes straight to the caller
 * (`replyTo`). States:
 *
 * unsent      — nothing was sent yet:
 *   deciding    — transient: uses the judgement of our own rule or of the host's
 *   judging     — asks the rule of the host (port `policy`): inTime | watched (the rule has less time than the call)
 *   confirming  — asks a person (port `confirm`): inLine (an equal question is open) | asked, each with the time of a
 *                 person, while the limit of the call stands still
 *   queued      — pending (the server is starting, or its session expired) | inLine (enough calls run)
 * running     — sent to the server: patient | watched (ends when the server is silent for too long) | owing (the
 *               server waits for an answer of this host, so that its silence does not count)
 * interrupted — the stream broke: waits until the deadline for news that the server died or is back
 * cancelling  — withdrawn: transient, unless another computer holds the call and reports how it ended
 * finishing   — the port `finish` post-processes the result, which is passed on whatever happens there
 * answered    — transient: the result says whether the tool failed
 * succeeded | failed (the tool reported an error, or the call was never sent) | timedOut | cancelled | refused (by
 * arguments, policy, a person or a full queue) | unknown (sent, but the server died before its answer) — final
 *
 * The deadline covers the whole call but the time of a person, after which it is set again. It is also set again at its
 * end when the server was heard, or waited for this host. It is the timer of the root actor, so that its cost does not grow with the number of calls in flight; `after` is only used for additional limits. A call that ends withdraws its
 * question, which cancels it at the server; leaving a state does not.
 */
import { assign, not, setup } from 'xstate';
import {
  type Address,
  deadline,
  effects,
  withEvent,
  post,
  posts,
  postsAll,
  requests,
  type OwnerEnded,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { extended } from '../kernel/objects.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import { isUnread } from '../protocol/failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { blobSizes } from '../protocol/messages/blobs.ts';
import { progressOf } from '../protocol/messages/messages.ts';
import {
  callerOf,
  type CallEnd,
  type CallPhase,
  type CallContext,
  type CallEvent,
  type CallInput,
  type Unconfirmed,
} from './call.rules.ts';
import * as rules from './call.rules.ts';
import {
  argumentsInvalid,
  confirmationDenied,
  notConfirmed,
  notPermitted,
  type Confirmation,
  type Judgement,
} from './policy/policy.ts';
import { withToolMeta, finalResult, isRefusedByTool, nothingFound, type Finding } from './policy/result.ts';

const noJudgement: Judgement = { problems: [], decision: 'deny', reason: 'no reason given' };
const parts = setup({
  types: {
    context: {} as CallContext,
    input: {} as CallInput,
    events: {} as CallEvent,
    tags: {} as ProcessTag,
  },
  actions: {
    ...effects,
    enter: assign((_, { phase }: { phase: CallPhase }) => ({ phase })),
    hold: assign({ isPending: true }),
    sendAgain: assign({ isPending: true, isSentAgain: true }),
    release: assign({ isPending: false }),
    outlive: assign({ outlivesLoss: false }),
    rememberResult: assign(({ context }, { result }: rules.CallAnswer) => ({
      result: withToolMeta(context, result),
    })),
    rememberAnswer: assign((_, { result }: { result: unknown }) => ({ result, failure: null })),
    rememberFinished: assign(({ context: c }, { finding }: { finding: Finding }) => ({
      result: finalResult(c, c.result, finding),
    })),
    rememberFailure: assign((_, params: { failure: Failure }) => ({ failure: params.failure })),
    rememberRefusal: assign((_, { failure, sent }: { failure: Failure; sent: boolean }) =>
      sent ? { failure } : { failure, phase: 'queued' as const },
    ),
    rememberJudgement: assign((_, judgement: Partial<Judgement>) => ({
      drawn: { ...noJudgement, ...judgement },
    })),
    rememberHeard: assign(({ context: c }) => (rules.isProlonged(c) ? { moreMs: rules.limitOf(c) } : {})),
    rememberOwing: assign((_, { method }: { method: string }) => ({ owes: method })),
    rememberFreed: assign(({ context: c }, { ms }: { ms: number }) => rules.freed(c, ms)),
    prolong: assign(({ context: c }) => rules.prolonged(c)),
    rememberTimeout: assign(({ context: c }) => ({ failure: rules.timedOut(c) })),
    rememberSilence: assign(({ context: c }) => ({ failure: rules.wasSilent(c) })),
    rememberCancel: assign(({ context: c }, { reason }: { reason: string }) => ({
      failure: rules.cancelledBecause(c, reason),
    })),
    rememberCrash: assign(({ context: c }) => ({ failure: rules.clientCrashed(c) })),
    rememberInvalid: assign(({ context: c }, { problems = [] }: Partial<Judgement>) => ({
      failure: argumentsInvalid(c, problems),
    })),
    rememberPolicyDenial: assign(({ context: c }, { reason = 'no reason given' }: Partial<Judgement>) => ({
      failure: notPermitted(c, reason),
    })),
    rememberUnconfirmed: assign(({ context: c }, { text, ...details }: Unconfirmed) => ({
      failure: notConfirmed(c, text, details),
    })),
  },
  guards: {
    isJudged: ({ context }) => rules.isUnjudged(context),
    isJudgedBriefly: ({ context }) => rules.isJudgedBriefly(context),
    isPending: ({ context }) => context.isPending,
    outlivesLoss: ({ context }) => context.outlivesLoss === true,
    hearsHowItStood: ({ context: { withdrawal } }) => (withdrawal?.ms ?? 0) > 0,
    isOfWithdrawal: (_, { id }: { id: string }) => id === 'withdrawal',
    isInvalid: (_, { problems = [] }: Partial<Judgement>) => problems.length > 0,
    // Counts any decision other than `allow` and `ask` as a denial, because an unknown word must permit nothing.
    isDeniedByPolicy: (_, { decision }: Partial<Judgement>) => decision !== 'allow' && decision !== 'ask',
    needsPerson: ({ context }, { decision }: Partial<Judgement>) =>
      decision !== 'allow' && context.policy?.isConfirmed !== true,
    isDenied: (_, { decision }: Partial<Confirmation>) =>
      decision !== 'allow' && decision !== 'allowForSession',
    isOwing: ({ context: { owes = '' } }) => owes !== '',
    hasMoreTime: ({ context }) => rules.moreOf(context) > 0,
    mayNotBeSilent: ({ context }) => rules.mayNotBeSilent(context),
    isPostProcessed: ({ context }, { result, bytes = 0 }: { result: unknown; bytes?: number }) =>
      context.policy !== null &&
      ((context.policy.isPostProcessed && !isRefusedByTool(result)) ||
        (context.policy.resultBytes > 0 && bytes > context.policy.resultBytes) ||
        (bytes > blobSizes.inlineBytes && rules.mayHand(context, result))),
    isToolError: ({ context }) => isRefusedByTool(context.result),
    isLost: (_, params: { lost?: boolean; alone?: boolean }) => params.lost === true && params.alone !== true,
    isLostAlone: (_, params: { alone?: boolean }) => params.alone === true,
    isFailure: (_, { why }: OwnerEnded) => why === 'failed',
    isMyAsker: ({ context }, params: { asker: Address }) => context.replyTo === params.asker,
    isBusy: (_, { failure }: { failure: Failure }) => failure.code === 'Busy',
    /** Only for calls to a server: the fate of a call behind an office is never certain. */
    wasUnread: ({ context: c }, { sent, failure }: { sent: boolean; failure: Failure }) =>
      c.policy !== null && !c.isSentAgain && !sent && isUnread(failure),
  },
  delays: {
    silence: ({ context }) => context.idleMs,
    patience: ({ context }) => context.policy?.confirmMs ?? 0,
    word: ({ context }) => context.withdrawal?.ms ?? 0,
  },
});

const startClock = deadline('limit', rules.wholeLimit);
const tellHeld = (held: boolean) =>
  postsAll((c: CallContext) =>
    rules.isHeldAfar(c)
      ? [
          post(
            c.replyTo,
            { type: 'call.progressed', ticket: c.ticket, progress: 0, held },
            { optional: true },
          ),
        ]
      : [],
  );
/** The limit begins again, unless the caller knows nothing of persons. */
const goOn = [deadline('limit', rules.limitAfterPerson), tellHeld(false)] as const;
const enter = (phase: CallPhase) => ({ type: 'enter', params: { phase } }) as const;
/** Actions that send the call; from here on it counts as sent. */
export const send = [enter('running'), requests(rules.callRequest)] as const;
const settle = (end: CallEnd) =>
  // Suppresses the dead letter, because a link that was closed during the call no longer accepts its answer.
  posts((c: CallContext) => post(c.replyTo, rules.settledAs(c, end), { optional: true }));
const rememberFailure = withEvent('rememberFailure');
const rememberRefusal = withEvent('rememberRefusal');
const rememberResult = { type: 'rememberResult', params: rules.answerOf } as const;
const rememberCancel = withEvent('rememberCancel');
const closing = { type: 'rememberCancel', params: { reason: 'closing' } } as const;

const cancelledByClose = { target: '#call.cancelled', actions: closing } as const;
const askerLost = {
  guard: withEvent('isMyAsker'),
  target: '#call.cancelled',
  actions: {
    type: 'rememberCancel',
    params: ({ event }: { event: { readonly reason?: string } }) => ({
      reason: event.reason ?? 'who asked is gone',
    }),
  },
} as const;
const serverLost = { target: '#call.unknown', actions: rememberFailure } as const;
const unanswered = {
  target: '#call.refused',
  actions: { type: 'rememberUnconfirmed', params: rules.personsTime },
} as const;
const confirmationOf = rules.answeredIn<Confirmation>;
const approved = postsAll((c: CallContext, { result }: { readonly result: unknown }) => {
  if ((result as Partial<Confirmation> | null)?.decision !== 'allowForSession') return [];
  const { server, tool, policy } = c;
  const generation = policy?.generation ?? 0;
  const approval = { type: 'tool.approved', server, tool, generation, caller: callerOf(c) } as const;
  return [post(c.keeper, approval, { optional: true })];
});
const given = <E>(finding: (event: E) => Finding) =>
  ({
    target: 'answered',
    actions: {
      type: 'rememberFinished',
      params: ({ event }: { event: E }) => ({ finding: finding(event) }),
    },
  }) as const;
const givenUnseen = (why: string) =>
  given(() => ({ ...nothingFound, warnings: [`The result was not post-processed: ${why}`] }));

export const callMachine = parts.createMachine({
  id: 'call',
  context: ({ input }) =>
    extended(input, { phase: input.policy ? 'judging' : 'queued', result: null, failure: null } as const),
  entry: startClock,
  initial: 'unsent',
  on: { 'call.hold': { actions: 'hold' }, 'call.go': { actions: 'release' } },
  states: {
    unsent: {
      tags: 'connecting',
      on: {
        'call.cancel': { target: 'cancelled', actions: rememberCancel },
        close: cancelledByClose,
        'asker.lost': askerLost,
        'server.lost': [
          { guard: 'outlivesLoss', actions: 'outlive' },
          { target: 'failed', actions: rememberFailure },
        ],
        'owner.ended': [
          { guard: withEvent('isFailure'), target: 'failed', actions: 'rememberCrash' },
          cancelledByClose,
        ],
        /** Also a refusal by the limiter: the queue of the computer is full, although the server had room. */
        'ask.refused': { target: 'refused', actions: rememberFailure },
        'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' },
      },
      initial: 'deciding',
      states: {
        deciding: {
          always: [
            { guard: 'isJudgedBriefly', target: 'judging.watched' },
            { guard: 'isJudged', target: 'judging' },
            {
              guard: { type: 'isInvalid', params: rules.drawnOf },
              target: '#call.refused',
              actions: { type: 'rememberInvalid', params: rules.drawnOf },
            },
            {
              guard: { type: 'isDeniedByPolicy', params: rules.drawnOf },
              target: '#call.refused',
              actions: { type: 'rememberPolicyDenial', params: rules.drawnOf },
            },
            { guard: { type: 'needsPerson', params: rules.drawnOf }, target: 'confirming' },
            { guard: 'isPending', target: 'queued' },
            { target: '#call.running', actions: send },
          ],
        },
        judging: {
          entry: requests(rules.policyRequest),
          on: {
            'ask.answered': {
              target: 'deciding',
              actions: { type: 'rememberJudgement', params: rules.answeredIn<Judgement> },
            },
          },
          initial: 'inTime',
          states: {
            inTime: {},
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
        },
        confirming: {
          entry: [
            enter('confirming'),
            deadline('limit', rules.limitAtPerson),
            postsAll((c: CallContext) =>
              rules.isHeld(c)
                ? [post(c.keeper, { type: 'call.asked', ticket: c.ticket }, { optional: true })]
                : [],
            ),
            tellHeld(true),
            requests(rules.confirmRequest),
          ],
          on: {
            'ask.answered': [
              {
                guard: { type: 'isDenied', params: confirmationOf },
                target: '#call.refused',
                actions: {
                  type: 'rememberUnconfirmed',
                  params: (at) => ({ text: confirmationDenied, reason: confirmationOf(at).reason }),
                },
              },
              { target: 'queued', actions: [...goOn, approved] },
            ],
            'deadline.passed': {
              target: '#call.refused',
              actions: { type: 'rememberUnconfirmed', params: rules.callersTime },
            },
            'ask.began': '.asked',
          },
          initial: 'inLine',
          states: {
            inLine: { after: { patience: unanswered } },
            asked: { after: { patience: unanswered } },
          },
        },
        queued: {
          entry: enter('queued'),
          initial: 'pending',
          states: {
            pending: {
              entry: postsAll((c: CallContext) =>
                c.isPending ? [post(c.owner, { type: 'server.wanted' })] : [],
              ),
              always: { guard: not('isPending'), target: '#call.running', actions: send },
            },
            inLine: {
              on: {
                'ask.began': { target: '#call.running', actions: enter('running') },
                /** Transition back to waiting, because the call's place in the queue belongs to a session that no longer exists. */
                'call.hold': {
                  target: 'pending',
                  actions: ['hold', { type: 'cancel', params: { id: 'call' } }],
                },
              },
            },
          },
        },
      },
    },
    running: {
      tags: 'ready',
      on: {
        'ask.waiting': 'unsent.queued.inLine',
        'ask.progress': {
          target: '.patient',
          actions: [
            'rememberHeard',
            postsAll((c: CallContext, event: Extract<RequestFact, { readonly type: 'ask.progress' }>) => {
              const progressed = {
                type: 'call.progressed',
                ticket: c.ticket,
                ...progressOf(event),
              } as const;
              return c.wantsProgress === true ? [post(c.replyTo, progressed, { optional: true })] : [];
            }),
          ],
        },
        'ask.held': { target: '.owing', actions: withEvent('rememberOwing') },
        'ask.freed': { target: '.patient', actions: withEvent('rememberFreed') },
        'ask.answered': [
          {
            guard: { type: 'isPostProcessed', params: rules.answerOf },
            target: 'finishing',
            actions: rememberResult,
          },
          { target: 'answered', actions: rememberResult },
        ],
        'ask.refused': [
          { guard: withEvent('isLost'), target: 'interrupted', actions: rememberFailure },
          /** Transition for a lost answer of this call alone: the server lives, but will not answer it. */
          { guard: withEvent('isLostAlone'), target: 'unknown', actions: rememberFailure },
          { guard: withEvent('isBusy'), target: 'refused', actions: rememberRefusal },
          /** The session expired before the server read the call: waits for the next one, or for news of none. */
          { guard: withEvent('wasUnread'), target: 'unsent.queued.pending', actions: 'sendAgain' },
          { target: 'failed', actions: rememberRefusal },
        ],
        'deadline.passed': [
          /** Sets the limit first, because the time that is left is known from what was spent before. */
          { guard: 'hasMoreTime', actions: [deadline('limit', rules.moreOf), 'prolong'] },
          { target: 'timedOut', actions: 'rememberTimeout' },
        ],
        'call.cancel': { target: 'cancelling', actions: rememberCancel },
        close: cancelledByClose,
        'asker.lost': askerLost,
        'server.lost': serverLost,
      },
      initial: 'patient',
      states: {
        patient: {
          always: [
            { guard: 'isOwing', target: 'owing' },
            { guard: 'mayNotBeSilent', target: 'watched' },
          ],
        },
        owing: {},
        watched: { after: { silence: { target: '#call.timedOut', actions: 'rememberSilence' } } },
      },
    },
    interrupted: {
      tags: 'closing',
      on: {
        'server.lost': serverLost,
        /** Transition for a new session of the server, which answers no requests of the old one. */
        'call.go': 'unknown',
        'call.cancel': 'unknown',
        'deadline.passed': 'unknown',
        close: 'unknown',
      },
    },
    cancelling: {
      tags: 'closing',
      initial: 'deciding',
      on: {
        'ask.answered': [
          { guard: withEvent('isOfWithdrawal') },
          { target: 'answered', actions: { type: 'rememberAnswer', params: rules.answerOf } },
        ],
        'call.cancel': {},
        'deadline.passed': 'cancelled',
        'server.lost': 'cancelled',
        close: 'cancelled',
      },
      states: {
        deciding: {
          always: [
            {
              guard: 'hearsHowItStood',
              target: 'asking',
              actions: requests(rules.withdrawalRequest),
            },
            { target: '#call.cancelled' },
          ],
        },
        asking: { after: { word: '#call.cancelled' } },
      },
    },
    finishing: {
      tags: 'closing',
      entry: [requests(rules.finishRequest), deadline('look', (c: CallContext) => c.policy?.lookMs ?? 0)],
      on: {
        'ask.answered': given((event: { readonly result: unknown }) => ({
          ...nothingFound,
          ...(event.result as Partial<Finding> | null),
        })),
        'ask.refused': givenUnseen('that failed'),
        'deadline.passed': givenUnseen('that took too long'),
        'call.cancel': givenUnseen('it was cancelled then'),
        close: givenUnseen('its computer is closing'),
        'server.lost': {},
      },
    },
    answered: {
      tags: 'closing',
      always: [{ guard: 'isToolError', target: 'failed' }, { target: 'succeeded' }],
    },
    succeeded: { type: 'final', entry: settle('succeeded') },
    failed: { type: 'final', entry: settle('failed') },
    timedOut: { type: 'final', entry: settle('timedOut') },
    cancelled: { type: 'final', entry: settle('cancelled') },
    refused: { type: 'final', entry: settle('refused') },
    unknown: { type: 'final', tags: 'killed', entry: settle('unknown') },
  },
});
