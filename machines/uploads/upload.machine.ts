/**
 * State machine of one upload: a file that an agent puts into the landing folder of a computer, in parts. States:
 *
 * judging    — asks the rule of the host, or ours (port `policy`), with the time limit for a person
 * confirming — asks a person (port `confirm`); nothing was written yet. A repeated first part waits, too
 * opening    — the file is being made (port `landing`)
 * receiving  — next (transient: looks at the first waiting part) | idle (waits for a part, the upload ends after
 *              the idle time) | writing
 * finishing  — all bytes are there: the hash is checked, and the file gets its name
 * landed     — the last part is answered again until the idle time is over, because its answer may have been lost
 * done       — final: the file stays
 * ended      — final: refused, expired, broken or closed. Its question to the port ends with it, which removes the file
 *
 * A lost connection ends nothing: the agent may go on until the idle time is over.
 */
import { assign, setup } from 'xstate';
import type { Confirmation, ConfirmationText, Judgement } from '../call/policy/policy.ts';
import { effects, withEvent, posts, postsAll, requests, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';
import * as rules from './upload.rules.ts';
import type { LandingAnswer, PartWanted, UploadContext, UploadInput, UploadOrder } from './upload.rules.ts';
import { uploadRefused } from '../protocol/messages/blobs.ts';

type Answered = Extract<RequestFact, { type: 'ask.answered' }>;
type Refused = Extract<RequestFact, { type: 'ask.refused' }>;

const ruling = ({ event }: { event: Answered }): Partial<Judgement> => event.result as Partial<Judgement>;
const word = ({ event }: { event: Answered }): Partial<Confirmation> => event.result as Partial<Confirmation>;

const parts = setup({
  types: {
    context: {} as UploadContext,
    input: {} as UploadInput,
    events: {} as RequestFact | UploadOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    keep: assign(({ context: c }, part: PartWanted) => ({ parts: [...c.parts, part] })),
    drop: assign(({ context: c }) => ({ parts: c.parts.slice(1) })),
    count: assign(({ context: c }) => ({ received: c.received + (c.parts[0]?.bytes ?? 0) })),
    land: assign((_, { path }: { path: string }) => ({ path })),
    fail: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    failLate: assign(({ context }) => ({ failure: rules.expiredFailure(context) })),
    failRange: assign(({ context }) => ({ failure: rules.outOfRangeFailure(context) })),
    failAtClose: assign(({ context }) => ({ failure: rules.endedFailure(context) })),
  },
  guards: {
    isFull: ({ context }) => rules.isFull(context),
    hasNoPart: ({ context }) => !rules.hasPart(context),
    isResumption: ({ context }) => rules.isResumption(context),
    isOverrun: ({ context }) => rules.isOverrun(context),
    isOutOfRange: ({ context }) => rules.isOutOfRange(context),
    isEmpty: ({ context }) => rules.isEmpty(context),
    isLastWritten: ({ context }, is: LandingAnswer['kind']) => is === 'written' && rules.isLast(context),
    isKind: (_, { is, kind }: { is: LandingAnswer['kind']; kind: LandingAnswer['kind'] }) => is === kind,
    isAllowed: (_, { decision }: Partial<Judgement>) => decision === 'allow',
    needsPerson: (_, { decision }: Partial<Judgement>) => decision === 'ask',
    isConfirmed: (_, { decision }: Partial<Confirmation>) =>
      decision === 'allow' || decision === 'allowForSession',
  },
  delays: {
    patience: ({ context }) => context.confirmMs,
    idle: ({ context }) => context.landing.idleMs,
  },
});

const kindIn = ({ event }: { event: Answered }) => (event.result as LandingAnswer).kind;
const isKind = (kind: LandingAnswer['kind']) =>
  ({
    type: 'isKind',
    params: (at: { event: Answered }) => ({ is: kindIn(at), kind }),
  }) as const;
const answerPart = postsAll((c: UploadContext) =>
  c.parts.slice(0, 1).map((part) => rules.takenPart(c, part)),
);
const refusePart = postsAll((c: UploadContext) =>
  c.parts.slice(0, 1).map((part) => rules.refusedPart(part, rules.outOfRangeFailure(c))),
);
const refuseAll = postsAll((c: UploadContext) => c.parts.map((part) => rules.refusedPart(part, c.failure)));
const forbidden = (why: string, confirmation?: ConfirmationText) =>
  ({ type: 'fail', params: { failure: rules.notAllowedFailure(why, confirmation) } }) as const;
/** No answer that leads on. */
const failed = {
  target: '.ended',
  actions: {
    type: 'fail',
    params: ({ event }: { event: Answered | Refused }) => ({ failure: rules.failureOf(event) }),
  },
} as const;
const tooSlow = {
  target: '#upload.ended',
  actions: { type: 'fail', params: { failure: rules.slowDisk } },
} as const;

export const uploadMachine = parts.createMachine({
  id: 'upload',
  context: ({ input }) => ({
    ...input,
    parts: [input.first],
    received: 0,
    path: null,
    failure: rules.endedFailure(input),
  }),
  initial: 'judging',
  on: {
    'part.wanted': [
      {
        guard: 'isFull',
        actions: posts((_: UploadContext, part: PartWanted) =>
          rules.refusedPart(part, uploadRefused('busy', 'Too many parts of this upload are on their way')),
        ),
      },
      { actions: withEvent('keep') },
    ],
    'ask.answered': failed,
    'ask.refused': failed,
    close: { target: '.ended', actions: 'failAtClose' },
  },
  states: {
    judging: {
      tags: 'connecting',
      entry: requests(rules.policyRequest),
      on: {
        'ask.answered': [
          { guard: { type: 'isAllowed', params: ruling }, target: 'opening' },
          { guard: { type: 'needsPerson', params: ruling }, target: 'confirming' },
        ],
      },
      after: { patience: { target: 'ended', actions: forbidden('the policy of its host gave no answer') } },
    },
    confirming: {
      tags: 'connecting',
      entry: requests(rules.confirmRequest),
      on: {
        'ask.answered': { guard: { type: 'isConfirmed', params: word }, target: 'opening' },
      },
      after: { patience: { target: 'ended', actions: forbidden('nobody confirmed it in time', 'late') } },
    },
    opening: {
      tags: 'connecting',
      entry: requests(rules.openRequest),
      on: { 'ask.began': 'receiving' },
      after: { idle: tooSlow },
    },
    receiving: {
      tags: 'ready',
      initial: 'next',
      states: {
        next: {
          always: [
            { guard: 'hasNoPart', target: 'idle' },
            { guard: 'isResumption', target: 'next', reenter: true, actions: [answerPart, 'drop'] },
            { guard: 'isOverrun', target: '#upload.ended', actions: 'failRange' },
            { guard: 'isOutOfRange', target: 'next', reenter: true, actions: [refusePart, 'drop'] },
            { guard: 'isEmpty', target: 'next', reenter: true, actions: [answerPart, 'drop'] },
            { target: 'writing' },
          ],
        },
        idle: {
          on: { 'part.wanted': { target: 'next', actions: withEvent('keep') } },
          after: { idle: { target: '#upload.ended', actions: 'failLate' } },
        },
        writing: {
          entry: requests(rules.writeRequest),
          on: {
            'ask.answered': [
              { guard: isKind('gone'), target: 'next', actions: 'drop' },
              {
                guard: { type: 'isLastWritten', params: kindIn },
                target: '#upload.finishing',
                actions: 'count',
              },
              { guard: isKind('written'), target: 'next', actions: ['count', answerPart, 'drop'] },
            ],
          },
          after: { idle: tooSlow },
        },
      },
    },
    finishing: {
      tags: 'closing',
      entry: requests(rules.finishRequest),
      on: {
        'ask.answered': {
          guard: isKind('landed'),
          target: 'landed',
          actions: {
            type: 'land',
            params: ({ event }) => ({ path: (event.result as { path: string }).path }),
          },
        },
      },
      after: { idle: tooSlow },
    },
    landed: {
      tags: 'ready',
      entry: postsAll((c: UploadContext) => c.parts.map((part) => rules.lateAnswer(c, part))),
      on: {
        'part.wanted': { actions: posts((c: UploadContext, part: PartWanted) => rules.lateAnswer(c, part)) },
        'ask.answered': {},
        'ask.refused': {},
        close: 'done',
      },
      after: { idle: 'done' },
    },
    done: { type: 'final' },
    ended: { type: 'final', entry: refuseAll },
  },
});
