/**
 * One configured MCP server: its process, its session, its tools, its calls.
 *
 * idle        — not wanted: `auto_connect` is off, or it was stopped; `server.start` begins
 * launching   — its process starts
 * connected   — a session over the streams of that process:
 *               handshaking (initialize) → listing{asking | outdated} (first tools) →
 *               ready{steady | refreshing{asking | outdated}}
 * severed     — the stream broke: the process gets a moment to show how it died
 * recovering  — process lost or connecting failed: calls are told, what is left of the process is ended
 * waiting     — pause before the next try; `attempt` of `budget`
 * tripped     — the budget is spent, or restart is off: rests until `server.start`
 * stopping    — draining (calls cancelled) → parting (process ends) → idle
 * restarting  — started again while it was on its way down: → launching once its process has ended
 * closing     — the same, then closed | killed (it took SIGKILL) — final
 *
 * A new process is launched only after the old one was reported ended. Status is read from the tags.
 */
import type { ActorRefFrom } from 'xstate';
import { keyOf, nameOf } from './address.ts';
import type { CallOrder } from './call.machine.ts';
import {
  askTools,
  callEnded,
  closeProcess,
  endProcess,
  firstListRefused,
  itself,
  lostFailure,
  news,
  openCall,
  parts,
  processGone,
  processLost,
  refuse,
  refuseTwice,
  sessionFailed,
  slow,
  tellCalls,
  withdrawTools,
} from './client.parts.ts';
import type { ProcessStart } from './process.machine.ts';

export type { CallRequest, ClientNews, ClientOrder, ClientStage, ClientStart } from './client.parts.ts';

const isProcess = { type: 'isProcess', params: itself } as const;
const askAgain = { target: '#client.connected.ready.refreshing', reenter: true } as const;
/** The polite way down: calls are cancelled while stdin is open to say so, then the process ends by its ladder. */
const draining = {
  always: { guard: 'isIdleOfCalls', target: 'parting' },
  after: { drain: 'parting' },
} as const;
const cancelCalls = (reason: string) => tellCalls(() => ({ type: 'call.cancel', reason }));

export const clientMachine = parts.createMachine({
  id: 'client',
  context: ({ input }) => ({
    ...input,
    process: '',
    info: null,
    tools: [],
    attempt: 0,
    inFlight: 0,
    failure: null,
  }),
  initial: 'deciding',
  on: {
    'call.cancel': {
      actions: {
        type: 'post',
        params: ({ context, event }) => ({
          to: `${nameOf(context.self)}/call:${keyOf(event.ticket)}`,
          event: { type: 'call.cancel', reason: event.reason } satisfies CallOrder,
          ifThere: true,
        }),
      },
    },
    'asker.lost': { actions: { type: 'tellOwned', params: ({ event }) => ({ kind: 'call', event }) } },
    'owned.ended': callEnded,
    'open.refused': { actions: ['forgetCall', refuseTwice] },
  },
  states: {
    deciding: { always: [{ guard: 'isAutoStart', target: 'launching' }, { target: 'idle' }] },
    idle: {
      entry: news('idle'),
      on: {
        'call.request': { actions: refuse('idle') },
        'server.start': 'launching',
        'server.stop': {},
        close: 'closed',
      },
    },
    launching: {
      tags: 'connecting',
      entry: [
        news('connecting'),
        {
          type: 'open',
          params: ({ context: c }) => ({
            kind: 'process',
            input: { server: c.server, timing: c.timing } satisfies ProcessStart,
          }),
        },
      ],
      on: {
        'process.started': {
          target: 'connected',
          actions: { type: 'rememberProcess', params: ({ event }) => event },
        },
        'process.lost': processLost,
        'owned.ended': processGone,
        'call.request': { actions: refuse('connecting') },
        'server.start': {},
        'server.stop': 'stopping',
        close: 'closing',
      },
      after: { connectTimeout: slow('launch', 'connectMs') },
    },
    connected: {
      invoke: {
        id: 'session',
        src: 'session',
        input: ({ context: c }) => ({ server: c.server, generation: 1, key: c.self, process: c.process }),
      },
      on: {
        'process.lost': processLost,
        'owned.ended': processGone,
        'session.failed': sessionFailed,
        'session.lost': {
          target: 'severed',
          actions: { type: 'rememberSevered', params: ({ event }) => event },
        },
        'call.request': { actions: refuse('connecting') },
        'server.start': {},
        'server.stop': 'stopping',
        close: 'closing',
      },
      initial: 'handshaking',
      states: {
        handshaking: {
          tags: 'connecting',
          on: {
            'session.opened': [
              {
                guard: { type: 'hasTools', params: ({ event }) => event },
                target: 'listing',
                actions: { type: 'rememberInfo', params: ({ event }) => event },
              },
              {
                target: 'ready',
                actions: ['forgetTools', { type: 'rememberInfo', params: ({ event }) => event }],
              },
            ],
          },
          after: { connectTimeout: slow('initialize', 'connectMs') },
        },
        listing: {
          tags: 'connecting',
          entry: askTools,
          exit: withdrawTools,
          on: {
            'ask.answered': {
              target: 'ready',
              actions: { type: 'rememberTools', params: ({ event }) => event },
            },
            'ask.refused': firstListRefused,
          },
          after: { listTimeout: slow('tools/list', 'listMs') },
          initial: 'asking',
          states: {
            asking: { on: { 'list.changed': 'outdated' } },
            /** They changed before the first list was there: it serves, and is asked for anew at once. */
            outdated: {
              on: {
                'list.changed': {},
                'ask.answered': {
                  target: '#client.connected.ready.refreshing',
                  actions: { type: 'rememberTools', params: ({ event }) => event },
                },
              },
            },
          },
        },
        ready: {
          tags: 'ready',
          entry: ['forgetFailure', news('ready', true)],
          after: { provenStable: { actions: 'resetAttempts' } },
          on: {
            'call.request': {
              actions: ['countCall', openCall],
            },
          },
          initial: 'steady',
          states: {
            steady: { on: { 'list.changed': 'refreshing' } },
            refreshing: {
              tags: 'refreshing',
              entry: askTools,
              exit: withdrawTools,
              initial: 'asking',
              states: {
                asking: {
                  after: { listTimeout: '#client.connected.ready.steady' },
                  on: {
                    'ask.refused': '#client.connected.ready.steady',
                    'list.changed': 'outdated',
                    'ask.answered': {
                      target: '#client.connected.ready.steady',
                      actions: [{ type: 'rememberTools', params: ({ event }) => event }, news('ready', true)],
                    },
                  },
                },
                /** They changed again while they were fetched: whatever comes is thrown away and asked for anew. */
                outdated: {
                  after: { listTimeout: askAgain },
                  on: {
                    'list.changed': {},
                    'ask.answered': askAgain,
                    'ask.refused': askAgain,
                  },
                },
              },
            },
          },
        },
      },
    },
    severed: {
      tags: 'closing',
      entry: news('recovering'),
      on: {
        'process.lost': processLost,
        'owned.ended': processGone,
        'call.request': { actions: refuse('recovering') },
        'server.start': {
          target: 'restarting',
          actions: ['resetAttempts', tellCalls((c) => ({ type: 'server.lost', failure: lostFailure(c) }))],
        },
        'server.stop': 'stopping',
        close: 'closing',
      },
      after: { exitGrace: 'recovering' },
    },
    recovering: {
      tags: 'closing',
      entry: [
        tellCalls((c) => ({ type: 'server.lost', failure: lostFailure(c) })),
        news('recovering'),
        closeProcess,
      ],
      on: {
        'owned.ended': { guard: isProcess, target: 'gone' },
        'call.request': { actions: refuse('recovering') },
        'server.start': { target: 'restarting', actions: 'resetAttempts' },
        'server.stop': 'stopping',
        close: 'closing',
      },
      after: { ladder: { actions: endProcess } },
    },
    /** Passed through: try again or rest? */
    gone: {
      tags: 'connecting',
      always: [{ guard: 'canRetry', target: 'waiting', actions: 'countAttempt' }, { target: 'tripped' }],
    },
    waiting: {
      tags: 'connecting',
      entry: news('waiting'),
      on: {
        'call.request': { actions: refuse('waiting', (c) => c.timing.backoffMs) },
        'server.start': { target: 'launching', actions: 'resetAttempts' },
        'server.stop': 'idle',
        close: 'closed',
      },
      after: { backoff: 'launching' },
    },
    tripped: {
      entry: news('tripped'),
      on: {
        'call.request': { actions: refuse('tripped') },
        'server.start': { target: 'launching', actions: 'resetAttempts' },
        'server.stop': 'idle',
        close: 'closed',
      },
    },
    stopping: {
      tags: 'closing',
      entry: [news('closing'), cancelCalls('its server is being stopped')],
      on: {
        'owned.ended': { guard: isProcess, target: 'idle' },
        'call.request': { actions: refuse('closing') },
        'server.start': 'restarting',
        'server.stop': {},
        close: 'closing',
      },
      initial: 'draining',
      states: { draining, parting: { entry: closeProcess, after: { ladder: { actions: endProcess } } } },
    },
    restarting: {
      tags: 'closing',
      entry: closeProcess,
      on: {
        'owned.ended': { guard: isProcess, target: 'launching' },
        'call.request': { actions: refuse('closing') },
        'server.start': {},
        'server.stop': 'stopping',
        close: 'closing',
      },
      after: { ladder: { actions: endProcess } },
    },
    closing: {
      tags: 'closing',
      entry: [news('closing'), cancelCalls('its server is being closed')],
      on: {
        'owned.ended': [
          { guard: { type: 'isKilledProcess', params: itself }, target: 'killed' },
          { guard: isProcess, target: 'closed' },
        ],
        'call.request': { actions: refuse('closing') },
        'server.start': {},
        'server.stop': {},
        close: {},
      },
      initial: 'draining',
      states: { draining, parting: { entry: closeProcess, after: { ladder: '#client.killed' } } },
    },
    closed: { type: 'final', output: { how: 'closed' } },
    killed: { type: 'final', tags: 'killed', output: { how: 'killed' } },
  },
  output: ({ event }) => (event as unknown as { output: { how: 'closed' | 'killed' } }).output,
});
export type ClientRef = ActorRefFrom<typeof clientMachine>;
