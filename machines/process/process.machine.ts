/**
 * One child process, in a group of its own. The machine is the ladder; the adapter only touches.
 *
 * starting  — launched; waits for `child.started`, or `child.failed` when it never ran
 * running   — its leader lives; a death that nobody asked for is told to the owner at once (`process.lost`)
 * sweeping  — the leader died by itself and left members of its group: terminating → killing
 * closing   — asked to end: stdinClosed → terminating → killing, each with its grace
 * exited    — final: ended by itself with code 0, or politely when asked
 * killed    — final: it took SIGKILL, or even that showed no exit within `killGraceMs`
 * failed    — final: never ran, or ended unasked with another code or a signal that was not ours
 *
 * A group counts as ended when no living member is left, not when its leader is gone: a server behind
 * `sh -c` or `npx` outlives its wrapper (seed 002 §5.2).
 */
import { type ActorRefFrom } from 'xstate';
import type { ProcessEnd } from './server-failure.ts';
import { post } from '../kernel/effects.ts';
import { endOf, parts, remember, died } from './process.setup.ts';

export type { ProcessStart, ProcessOrder, ProcessNews, ProcessTag } from './process.setup.ts';

export const processMachine = parts.createMachine({
  id: 'process',
  context: ({ input }) => ({
    ...input,
    pid: null,
    exit: null,
    stderr: '',
    recent: null,
    message: null,
    isFinal: false,
  }),
  invoke: {
    id: 'child',
    src: 'process',
    input: ({ context: { server, generation, spec, self: key } }) => ({ server, generation, spec, key }),
  },
  initial: 'starting',
  output: ({ event }) => (event as unknown as { output: ProcessEnd }).output,
  states: {
    starting: {
      tags: 'connecting',
      on: {
        'child.started': {
          target: 'running',
          actions: [
            { type: 'rememberPid', params: ({ event }) => ({ pid: event.pid }) },
            {
              type: 'post',
              params: ({ context: { owner, self: from }, event: { pid } }) =>
                post(owner, { type: 'process.started', from, pid }),
            },
          ],
        },
        'child.exited': died,
        'child.failed': {
          target: 'failed',
          actions: { type: 'rememberFailure', params: ({ event }) => event },
        },
        'process.hurry': {},
        close: 'closing',
      },
    },
    running: {
      tags: 'ready',
      on: {
        'child.exited': died,
        'process.hurry': {},
        close: 'closing',
      },
    },
    sweeping: {
      tags: 'closing',
      initial: 'terminating',
      on: { 'group.emptied': 'died', close: {}, 'process.hurry': '.killing' },
      states: {
        terminating: { entry: 'terminate', after: { termGrace: 'killing' } },
        killing: { entry: 'kill', after: { killGrace: '#process.killed' } },
      },
    },
    /** Passed through: how an unasked death is called. */
    died: { tags: 'closing', always: [{ guard: 'hasEndedWell', target: 'exited' }, { target: 'failed' }] },
    closing: {
      tags: 'closing',
      initial: 'stdinClosed',
      on: {
        'child.started': {
          actions: { type: 'rememberPid', params: ({ event }) => event },
        },
        'child.failed': {
          target: 'failed',
          actions: { type: 'rememberFailure', params: ({ event }) => event },
        },
        'child.exited': [
          {
            guard: { type: 'isLastOfGroup', params: ({ event }) => event },
            target: 'exited',
            actions: remember,
          },
          { actions: remember },
        ],
        'group.emptied': 'exited',
        close: {},
      },
      states: {
        stdinClosed: {
          entry: 'closeStdin',
          after: { stdinGrace: 'terminating' },
          on: { 'process.hurry': 'terminating' },
        },
        terminating: {
          entry: 'terminate',
          after: { termGrace: 'killing' },
          on: { 'process.hurry': 'killing' },
        },
        killing: {
          entry: 'kill',
          on: {
            'process.hurry': {},
            'child.exited': [
              {
                guard: { type: 'isLastOfGroup', params: ({ event }) => event },
                target: '#process.killed',
                actions: remember,
              },
              { actions: remember },
            ],
            'group.emptied': '#process.killed',
          },
          after: { killGrace: '#process.killed' },
        },
      },
    },
    exited: { type: 'final', output: ({ context }) => endOf(context, 'exited') },
    killed: { type: 'final', tags: 'killed', output: ({ context }) => endOf(context, 'killed') },
    failed: { type: 'final', output: ({ context }) => endOf(context, 'failed') },
  },
});
export type ProcessRef = ActorRefFrom<typeof processMachine>;
