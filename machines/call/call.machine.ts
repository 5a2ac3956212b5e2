/**
 * One tool call: one JSON-RPC request, settled exactly once, straight to its asker (`replyTo`).
 *
 * deciding   — passed through: what was known at once of its arguments and of our own rule
 * judging    — asks the `policy` port, the rule of the host: inTime | watched (the port has less time than the call)
 * confirming — asks the `confirm` port: a person, who has a time, too; nothing was sent yet
 * queued     — not sent yet: held (its server is being started for it, or has forgotten the session it was sent in)
 *              | inLine (as many calls as may run do)
 * running    — sent to the server: patient | watched (it may not be silent for too long)
 * interrupted — the stream broke: waits for the client to tell how the server died, or that it is back, until the
 *              deadline
 * cancelling — taken back: passed through, but where another computer has it, which says how it stood, or not in time
 * finishing  — answered: asks the `finish` port to look at the result; whatever comes of that, the result is given
 * succeeded | failed (the server's own `isError`, or never sent) | timedOut | cancelled | refused (its arguments,
 * the policy, a person, or too many others said no) | unknown (sent, and the server died before it answered) — final
 *
 * Its deadline is the whole time that its caller gives it, set once: whatever it waits for until it is answered, it is
 * over by then, and whom it asks is asked no longer. No `invoke`, and an `after` only for what has a limit of its own
 * besides: it asks, and its deadline is its root's own timer, so that its cost does not grow with the number in
 * flight. Leaving withdraws the question, which cancels the call at the server.
 */
import { not, type ActorRefFrom } from 'xstate';
import { merging } from '../kernel/shapes.ts';
import { enter, send, takeBack, tellProgress, wantServer } from './call.asks.ts';
import {
  answerOf,
  askerLost,
  closed,
  failureOf,
  eventAsParams,
  lost,
  parts,
  settle,
  startClock,
  takenBack,
} from './call.setup.ts';
import { cancelling, confirming, finishing, judging, known, refusing, unsent } from './call.states.ts';

export type {
  CallRequest,
  ComputerCall,
  CallStart,
  CallOrder,
  ServerWanted,
  ToolApproved,
} from './call.setup.ts';

const begun = merging();
export const callMachine = parts.createMachine({
  id: 'call',
  context: ({ input }) =>
    begun(input, { phase: input.policy ? 'judging' : 'queued', result: null, failure: null } as const),
  entry: startClock,
  initial: 'deciding',
  on: { 'call.hold': { actions: 'hold' } },
  states: {
    deciding: {
      tags: 'connecting',
      always: [
        { guard: 'isJudgedBriefly', target: 'judging.watched' },
        { guard: 'isJudged', target: 'judging' },
        ...known,
      ],
    },
    judging,
    confirming,
    queued: {
      tags: 'connecting',
      entry: enter('queued'),
      on: { ...unsent, 'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' } },
      initial: 'pending',
      states: {
        pending: {
          entry: wantServer,
          always: { guard: not('isPending'), target: '#call.running', actions: send },
          on: { 'call.go': { target: '#call.running', actions: ['release', ...send] } },
        },
        inLine: {
          on: {
            'ask.began': { target: '#call.running', actions: enter('running') },
            /** Its server had room, and its computer has none. */
            'ask.refused': {
              target: '#call.refused',
              actions: { type: 'rememberUnsent', params: failureOf },
            },
            /** Its turn would come in a session that is gone. */
            'call.hold': { target: 'pending', actions: ['hold', takeBack] },
          },
        },
      },
    },
    running: {
      tags: 'ready',
      on: {
        'ask.waiting': 'queued.inLine',
        /** Its silence begins anew. */
        'ask.progress': { target: '.patient', actions: tellProgress },
        'ask.answered': [
          {
            guard: { type: 'isPostProcessed', params: answerOf },
            target: 'finishing',
            actions: { type: 'rememberResult', params: answerOf },
          },
          {
            guard: { type: 'isToolError', params: answerOf },
            target: 'failed',
            actions: { type: 'rememberResult', params: answerOf },
          },
          { target: 'succeeded', actions: { type: 'rememberResult', params: answerOf } },
        ],
        'ask.refused': [
          {
            guard: { type: 'isLost', params: eventAsParams },
            target: 'interrupted',
            actions: refusing,
          },
          /** Its server lives, and says nothing more about it. */
          { guard: { type: 'isLostAlone', params: eventAsParams }, target: 'unknown', actions: refusing },
          {
            guard: { type: 'isBusy', params: failureOf },
            target: 'refused',
            actions: { type: 'rememberUnsent', params: failureOf },
          },
          /** Its session ends now: it waits for the next one, or hears that there is none. */
          {
            guard: { type: 'wasUnread', params: eventAsParams },
            target: 'queued.pending',
            actions: 'sendAgain',
          },
          {
            guard: { type: 'wasNeverSent', params: eventAsParams },
            target: 'failed',
            actions: { type: 'rememberUnsent', params: failureOf },
          },
          { target: 'failed', actions: refusing },
        ],
        'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' },
        'call.cancel': takenBack,
        close: closed,
        'asker.lost': askerLost,
        'server.lost': lost,
        'call.go': {},
      },
      initial: 'patient',
      states: {
        patient: { always: { guard: 'mayNotBeSilent', target: 'watched' } },
        watched: { after: { silence: { target: '#call.timedOut', actions: 'rememberSilence' } } },
      },
    },
    interrupted: {
      tags: 'closing',
      on: {
        'server.lost': lost,
        /** Its server is back in another session: nobody answers what the old one was asked. */
        'call.go': 'unknown',
        'call.cancel': 'unknown',
        'deadline.passed': 'unknown',
        close: 'unknown',
      },
    },
    cancelling,
    finishing,
    succeeded: { type: 'final', entry: settle('succeeded') },
    failed: { type: 'final', entry: settle('failed') },
    timedOut: { type: 'final', entry: settle('timedOut') },
    cancelled: { type: 'final', entry: settle('cancelled') },
    refused: { type: 'final', entry: settle('refused') },
    unknown: { type: 'final', tags: 'killed', entry: settle('unknown') },
  },
});
export type CallRef = ActorRefFrom<typeof callMachine>;
