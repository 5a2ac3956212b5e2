/**
 * One tool call: one JSON-RPC request, settled exactly once, straight to its asker (`replyTo`).
 *
 * deciding   — passed through: does a person have to confirm?
 * confirming — asks the `confirm` port; nothing was sent yet
 * queued     — its server is being started for it: not sent yet, and its time runs
 * running    — sent to the server; its deadline runs: patient | watched (it may not be silent for too long)
 * severed    — the stream broke: waits for the client to tell how the server died, or that it is back, until the
 *              deadline
 * succeeded | failed (the server's own `isError`, or never sent) | timedOut | cancelled | refused (not
 * confirmed) | unknown (sent, and the server died before it answered) — final
 *
 * No `invoke`, and an `after` only where silence is bounded: it asks, and its deadline is its root's own timer, so
 * that its cost does not grow with the number in flight. Leaving withdraws the question, which cancels the call at the server.
 */
import { not, type ActorRefFrom } from 'xstate';
import { extended } from './extended.ts';
import {
  answerOf,
  askerLost,
  cancelled,
  closed,
  failureOf,
  lost,
  notStarted,
  parts,
  settle,
  startClock,
} from './call.parts.ts';

export type { CallStart, CallOrder } from './call.parts.ts';

export const callMachine = parts.createMachine({
  id: 'call',
  context: ({ input }) => extended(input, { sent: false, result: null, failure: null }),
  initial: 'deciding',
  on: { 'call.hold': { actions: 'hold' } },
  states: {
    deciding: {
      tags: 'connecting',
      always: [
        { guard: 'needsPerson', target: 'confirming' },
        { guard: 'isHeld', target: 'queued' },
        { target: 'running', actions: startClock },
      ],
    },
    confirming: {
      tags: 'connecting',
      entry: [
        {
          type: 'ask',
          params: ({ context: c }) => ({
            id: 'confirm',
            session: 'confirm',
            method: 'confirm',
            params: { reqId: c.reqId, server: c.server, tool: c.tool, params: c.params },
          }),
        },
        { type: 'setDeadline', params: ({ context: c }) => ({ ms: c.confirmMs ?? 0 }) },
      ],
      on: {
        'ask.answered': [
          { guard: { type: 'isApproved', params: answerOf }, target: 'queued' },
          {
            target: 'refused',
            actions: { type: 'rememberUnconfirmed', params: { text: '工具调用二次确认被拒绝，请稍后再试' } },
          },
        ],
        'ask.refused': { target: 'refused', actions: { type: 'rememberFailure', params: failureOf } },
        'deadline.passed': {
          target: 'refused',
          actions: {
            type: 'rememberUnconfirmed',
            params: { text: '当前工具需要用户二次确认是否可以调用，当前确认超时。' },
          },
        },
        'call.cancel': cancelled,
        close: closed,
        'asker.lost': askerLost,
        'call.go': { actions: 'release' },
        'server.lost': notStarted,
      },
    },
    queued: {
      tags: 'connecting',
      always: { guard: not('isHeld'), target: 'running' },
      entry: startClock,
      on: {
        'call.go': { target: 'running', actions: 'release' },
        'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' },
        'call.cancel': cancelled,
        close: closed,
        'asker.lost': askerLost,
        'server.lost': notStarted,
      },
    },
    running: {
      tags: 'ready',
      entry: [
        'markSent',
        {
          type: 'ask',
          params: ({ context: c }) => ({
            id: 'call',
            session: c.session,
            method: c.method,
            params: c.request,
          }),
        },
      ],
      on: {
        'ask.answered': [
          {
            guard: { type: 'isToolError', params: answerOf },
            target: 'failed',
            actions: { type: 'rememberResult', params: answerOf },
          },
          { target: 'succeeded', actions: { type: 'rememberResult', params: answerOf } },
        ],
        'ask.refused': [
          {
            guard: { type: 'isLost', params: ({ event }) => event },
            target: 'severed',
            actions: { type: 'rememberFailure', params: failureOf },
          },
          /** Its server lives, and says nothing more about it. */
          {
            guard: { type: 'isLostAlone', params: ({ event }) => event },
            target: 'unknown',
            actions: { type: 'rememberFailure', params: failureOf },
          },
          {
            guard: { type: 'wasNeverSent', params: ({ event }) => event },
            target: 'failed',
            actions: { type: 'rememberUnsent', params: failureOf },
          },
          { target: 'failed', actions: { type: 'rememberFailure', params: failureOf } },
        ],
        'deadline.passed': { target: 'timedOut', actions: 'rememberTimeout' },
        'call.cancel': cancelled,
        close: closed,
        'asker.lost': askerLost,
        'server.lost': lost,
        'call.go': {},
      },
      initial: 'patient',
      states: {
        patient: { always: { guard: 'mayNotBeSilent', target: 'watched' } },
        watched: {
          on: { 'ask.progress': { target: 'watched', reenter: true } },
          after: { silence: { target: '#call.timedOut', actions: 'rememberSilence' } },
        },
      },
    },
    severed: {
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
    succeeded: { type: 'final', entry: settle('succeeded') },
    failed: { type: 'final', entry: settle('failed') },
    timedOut: { type: 'final', entry: settle('timedOut') },
    cancelled: { type: 'final', entry: settle('cancelled') },
    refused: { type: 'final', entry: settle('refused') },
    unknown: { type: 'final', tags: 'killed', entry: settle('unknown') },
  },
});
export type CallRef = ActorRefFrom<typeof callMachine>;
