/**
 * One configured MCP server: its process, its session, its lists, its calls.
 *
 * idle       — not wanted: `auto_connect` is off, it was stopped, or it ended well by itself
 * standby    — wanted when it is needed: its cached tools are offered, and a call starts it
 * resolving  — the values of its placeholders are asked for; without them it has an open circuit, and says which
 * queued     — waits for its permit among the servers of its computer
 * launching  — its process starts; servers over HTTP and in this host have none
 * connected  — a session: handshaking (initialize) → listing (first tools; unlisted: lost on their way)
 *              → ready: health{steady | pinging}, lists{known | refreshing: at least one is read anew}
 *              → draining{serving | cancelling}: it is to go down, and what runs may end first
 * renewing   — a remote server forgot the session: a new handshake, once; calls wait for it
 * disconnected — the stream broke: the process gets a moment to show how it died
 * recovering — lost, or connecting failed: calls are told, what is left of the process is ended
 * waiting    — pause before the next try; `attempt` of `budget`
 * login      — its server wants one: authorizing, or unauthorized while a person is waited for; refused: nobody logs in
 * open    — the budget is spent, restart is off, or trying cannot help: one trial after a long while
 * closing    — its process ends by its ladder; `goal` is what comes then: idle, standby, once more, or the end
 * closed | killed (it took SIGKILL) — final
 *
 * A new process is launched only after the old one was reported ended. Status is read from the tags.
 */
import type { ActorRefFrom } from 'xstate';
import * as does from './client.effects.ts';
import { callEnded, goal, news, other, ownProcess, refuse, takePlan } from './client.effects.ts';
import { parts } from './client.setup.ts';
import {
  again,
  draining,
  handshaking,
  idle,
  listing,
  ready,
  replaced,
  standby,
  unlisted,
  withEvent,
} from './client.states.ts';
import { initialContext } from './client.rules.ts';
import { pending, queued, resolving, retried } from './client.launch.ts';
import { login } from './client.login.ts';
import { watching } from './client.watch.ts';

export type {
  ServerCall,
  ClientChanged,
  ClientNews,
  ClientOrder,
  ClientPlan,
  ClientStage,
  ClientStart,
} from './client.events.ts';

/** Told as the way down begins: at once where no call runs, else as they are drained. */
const tellClosing = news('closing');

export const clientMachine = parts.createMachine({
  id: 'client',
  context: ({ input }) => initialContext(input),
  initial: 'deciding',
  on: {
    'call.cancel': { actions: does.cancelCall },
    'asker.lost': { actions: does.passAskerLost },
    'server.wanted': {},
    'owned.ended': [
      callEnded,
      { guard: withEvent('isCatalog'), actions: withEvent('forgetList') },
      { actions: withEvent('forgetWatch') },
    ],
    'open.refused': { actions: ['forgetCall', does.refuseTwice] },
    ...watching,
  },
  states: {
    deciding: {
      always: [
        { guard: 'hasSpent', target: 'open' },
        { guard: 'isEager', target: 'resolving' },
        { guard: 'isLazy', target: 'standby' },
        { target: 'idle' },
      ],
    },
    idle,
    standby,
    resolving,
    queued,
    launching: {
      tags: 'connecting',
      entry: ['noteLaunch', does.openProcess],
      on: {
        'process.started': {
          target: 'connected',
          actions: { type: 'rememberProcess', params: ({ event }) => event },
        },
        'process.lost': does.processLost,
        'owned.ended': [callEnded, does.processGone],
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: 'closing', actions: [goal('stop'), does.cancelCalls, tellClosing] },
        'server.update': [
          { guard: other, target: 'closing', actions: [takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), does.cancelCalls, tellClosing] },
      },
      after: { connectTimeout: does.slow('launch', 'connectMs'), slow: { actions: does.releasePermit } },
    },
    connected: {
      invoke: {
        id: 'session',
        src: 'session',
        input: ({ context: { server, generation, spec, self: key, process, hasProcess } }) => ({
          server,
          generation,
          spec,
          key,
          process: hasProcess ? process : null,
        }),
      },
      on: {
        'process.lost': does.processLost,
        'owned.ended': [
          callEnded,
          does.processGone,
          /** Without its lists it is of no use: its machine broke. */
          {
            guard: withEvent('isCatalog'),
            target: 'recovering',
            actions: [withEvent('forgetList'), withEvent('rememberOwnedEnd')],
          },
        ],
        'session.failed': does.sessionFailed,
        'session.lost': [
          { guard: withEvent('canRenew'), target: 'renewing' },
          { target: 'disconnected', actions: withEvent('rememberDisconnected') },
        ],
        'list.changed': { guard: withEvent('hearsOf'), actions: does.tellList },
        ...does.resourceNews,
        'call.request': pending,
        'server.start': {},
        'server.stop': { target: '.draining', actions: goal('stop') },
        'server.update': [
          { guard: other, target: '.draining', actions: [takePlan, goal('again')] },
          { actions: takePlan },
        ],
        close: { target: '.draining.cancelling', actions: goal('end') },
      },
      initial: 'handshaking',
      states: {
        handshaking,
        listing,
        unlisted,
        ready,
        draining,
      },
    },
    /** Passed through: what was asked is answered, what comes now waits. */
    renewing: {
      tags: 'connecting',
      entry: [
        'markRenewed',
        does.holdCalls,
        does.restLists(() => 'its session was lost'),
        news('connecting'),
      ],
      always: 'connected',
    },
    disconnected: {
      tags: 'closing',
      entry: [does.holdCalls, news('recovering')],
      always: { guard: 'hasNoProcess', target: 'recovering' },
      on: {
        'process.lost': does.processLost,
        'owned.ended': [callEnded, does.processGone],
        'call.request': { actions: refuse('recovering') },
        'server.start': {
          target: 'closing',
          actions: [goal('again'), 'resetAttempts', does.tellLost, tellClosing],
        },
        'server.stop': { target: 'closing', actions: [goal('stop'), does.tellLost, tellClosing] },
        'server.update': [
          { guard: other, target: 'closing', actions: [does.tellLost, takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), does.tellLost, tellClosing] },
      },
      after: { exitGrace: 'recovering' },
    },
    recovering: {
      tags: 'closing',
      entry: ['endHold', does.tellLost, does.restLists(does.whyLost), news('recovering'), does.closeProcess],
      always: { guard: 'hasNoProcess', target: 'gone' },
      on: {
        'owned.ended': [
          callEnded,
          { guard: ownProcess, target: 'gone', actions: withEvent('forgetProcess') },
        ],
        'call.request': { actions: refuse('recovering') },
        'server.start': { target: 'closing', actions: [goal('again'), 'resetAttempts', tellClosing] },
        'server.stop': { target: 'closing', actions: [goal('stop'), tellClosing] },
        'server.update': [
          { guard: other, target: 'closing', actions: [takePlan, goal('again'), tellClosing] },
          { actions: takePlan },
        ],
        close: { target: 'closing', actions: [goal('end'), tellClosing] },
      },
      after: { ladder: { actions: does.endProcess } },
    },
    /** Passed through: back, try again, or rest? */
    gone: {
      tags: 'connecting',
      always: [
        { guard: 'hasFallback', target: 'resolving', actions: [does.tellRolledBack, 'rollBack'] },
        { guard: 'isOver', target: 'idle' },
        { guard: 'wantsLogin', target: 'login' },
        { guard: 'isHopeless', target: 'open' },
        { guard: 'canRetry', target: 'waiting', actions: 'countAttempt' },
        { target: 'open' },
      ],
    },
    waiting: {
      tags: 'connecting',
      entry: [news('waiting'), does.awaitBackoff],
      exit: does.noDeadline,
      on: {
        'deadline.passed': 'resolving',
        'call.request': { actions: refuse('waiting') },
        'server.start': again,
        'server.stop': 'idle',
        'server.update': replaced,
        close: 'closed',
      },
    },
    login,
    open: {
      entry: [news('open'), does.awaitTrial],
      exit: does.noDeadline,
      on: {
        'deadline.passed': 'resolving',
        'call.request': { actions: refuse('open') },
        'server.start': again,
        'server.stop': 'idle',
        'server.update': retried,
        close: 'closed',
      },
    },
    closing: {
      tags: 'closing',
      entry: [does.restLists(() => 'its server was stopped'), does.closeProcess],
      always: [
        { guard: 'goesAgain', target: 'resolving' },
        { guard: 'goesToRest', target: 'standby' },
        { guard: 'goesIdle', target: 'idle' },
        { guard: 'wasKilled', target: 'killed' },
        { guard: 'hasNoProcess', target: 'closed' },
      ],
      on: {
        'owned.ended': [callEnded, { guard: ownProcess, actions: withEvent('forgetProcess') }],
        'call.request': { actions: refuse('closing') },
        'server.start': [{ guard: 'isEnding' }, { actions: goal('again') }],
        'server.stop': [
          { guard: 'isEnding' },
          { guard: 'isStopping', actions: does.hurryProcess },
          { actions: [goal('stop'), does.cancelCalls] },
        ],
        'server.update': { actions: takePlan },
        close: [
          { guard: 'isEnding' },
          { target: 'closing', reenter: true, actions: [goal('end'), does.cancelCalls] },
        ],
      },
      after: { ladder: [{ guard: 'isEnding', target: 'killed' }, { actions: does.endProcess }] },
    },
    closed: { type: 'final', output: { how: 'closed' } },
    killed: { type: 'final', tags: 'killed', output: { how: 'killed' } },
  },
  output: ({ event }) => (event as unknown as { output: { how: 'closed' | 'killed' } }).output,
});
export type ClientRef = ActorRefFrom<typeof clientMachine>;
