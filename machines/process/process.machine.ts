/**
 * State machine of one child process in its own process group. The machine decides each step of ending it; the
 * adapter only executes. States:
 *
 * starting — launched: waits for `child.started`, or `child.failed` when it never ran
 * running  — the main process lives; an unexpected death is reported to the owner at once (`process.lost`)
 * sweeping — the main process died and left members of its group: terminating → killing
 * closing  — asked to end: stdinClosed → terminating → killing, each with a time limit
 * exited   — final: ended on its own with code 0, or without SIGKILL when asked
 * killed   — final: ended by SIGKILL, or showed no exit within `killGraceMs` after it
 * failed   — final: never ran, or died unexpectedly with another code or by a signal that we did not send
 *
 * A group counts as ended when no member is alive, not when its main process is gone: a server started by `sh -c` or
 * `npx` outlives its wrapper.
 */
import { assign, sendTo, setup } from 'xstate';
import {
  kindOf,
  type Address,
  type AddressFor,
  effects,
  post,
  posts,
  type DirectoryEvent,
  withEvent,
} from '../kernel/effects.ts';
import { processPort, type ProcessFact } from '../ports/process.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ProcessEnd } from './server-failure.ts';

export interface ProcessStart {
  readonly server: string;
  readonly generation: number;
  readonly spec: number;
  readonly timing: TimingOf<'process'>;
}
export type ProcessOrder =
  | { readonly type: 'close' }
  /** Skips to the next step of ending the process, without waiting for the current time limit. */
  | { readonly type: 'process.hurry' };
export const processKind = kindOf<ProcessStart, ProcessOrder>('process');
type ProcessEvent = ProcessFact | ProcessOrder | DirectoryEvent;
export type ProcessNews =
  | { readonly type: 'process.started'; readonly from: Address; readonly pid: number }
  | { readonly type: 'process.lost'; readonly end: ProcessEnd };
type Input = ProcessStart & { readonly self: Address; readonly owner: AddressFor<ProcessNews> };
type Exited = Extract<ProcessFact, { type: 'child.exited' }>;
type Started = Extract<ProcessFact, { type: 'child.started' }>;
type Failed = Extract<ProcessFact, { type: 'child.failed' }>;
interface ProcessContext extends Input {
  readonly pid: number | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
  readonly stderr: string;
  readonly recent: string | null;
  /** The child never ran. */
  readonly failed: Pick<Failed, 'message' | 'isFinal'> | null;
}
export type ProcessTag = 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed';

const exitOf = ({ code, signal, stderr, recent }: Exited) => ({
  exit: { code, signal },
  stderr,
  recent: recent ?? null,
});

const howItDied = (context: ProcessContext): ProcessEnd['how'] =>
  context.exit?.code === 0 ? 'exited' : 'failed';
const endOf = (context: ProcessContext, how = howItDied(context)): ProcessEnd => ({
  how,
  pid: context.pid,
  code: context.exit?.code ?? null,
  signal: context.exit?.signal ?? null,
  stderr: context.stderr,
  ...(context.recent !== null && { recent: context.recent }),
  message: context.failed?.message ?? null,
  ...(context.failed?.isFinal && { isFinal: true }),
});

const parts = setup({
  types: {
    context: {} as ProcessContext,
    input: {} as Input,
    events: {} as ProcessEvent,
    output: {} as ProcessEnd,
    tags: {} as ProcessTag,
    children: {} as { child: 'process' },
  },
  actors: { process: processPort },
  actions: {
    ...effects,
    rememberPid: assign((_, params: { pid: number }) => ({ pid: params.pid })),
    rememberExit: assign((_, exited: Exited) => exitOf(exited)),
    rememberFailure: assign((_, { message, isFinal = false }: Failed) => ({ failed: { message, isFinal } })),
    closeStdin: sendTo('child', { type: 'child.closeStdin' }),
    terminate: sendTo('child', { type: 'child.signal', signal: 'SIGTERM' }),
    kill: sendTo('child', { type: 'child.signal', signal: 'SIGKILL' }),
  },
  guards: {
    isLastOfGroup: (_, params: { left: number }) => params.left === 0,
    hasEndedWell: ({ context }) => howItDied(context) === 'exited',
  },
  delays: {
    stdinGrace: ({ context }) => context.timing.stdinGraceMs,
    termGrace: ({ context }) => context.timing.termGraceMs,
    killGrace: ({ context }) => context.timing.killGraceMs,
  },
});

const remember = withEvent('rememberExit');
const tellLost = posts((c: ProcessContext, exited: Exited) =>
  post(c.owner, { type: 'process.lost', end: endOf({ ...c, ...exitOf(exited) }) }),
);

export const processMachine = parts.createMachine({
  id: 'process',
  context: ({ input }) => ({
    ...input,
    pid: null,
    exit: null,
    stderr: '',
    recent: null,
    failed: null,
  }),
  invoke: {
    id: 'child',
    src: 'process',
    input: ({ context: { server, generation, spec, self: key } }) => ({ server, generation, spec, key }),
  },
  on: {
    'child.exited': [
      { guard: withEvent('isLastOfGroup'), target: '.died', actions: [remember, tellLost] },
      { target: '.sweeping', actions: [remember, tellLost] },
    ],
    'child.failed': { target: '.failed', actions: withEvent('rememberFailure') },
    /** Only an end can be hurried. */
    'process.hurry': {},
    close: '.closing',
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
            withEvent('rememberPid'),
            posts(({ owner, self: from }: ProcessContext, { pid }: Started) =>
              post(owner, { type: 'process.started', from, pid }),
            ),
          ],
        },
      },
    },
    running: { tags: 'ready' },
    sweeping: {
      tags: 'closing',
      initial: 'terminating',
      on: { 'group.emptied': 'died', close: {}, 'process.hurry': '.killing' },
      states: {
        terminating: { entry: 'terminate', after: { termGrace: 'killing' } },
        killing: { entry: 'kill', after: { killGrace: '#process.killed' } },
      },
    },
    died: { tags: 'closing', always: [{ guard: 'hasEndedWell', target: 'exited' }, { target: 'failed' }] },
    closing: {
      tags: 'closing',
      initial: 'stdinClosed',
      on: {
        'child.started': { actions: withEvent('rememberPid') },
        'child.exited': [
          { guard: withEvent('isLastOfGroup'), target: 'exited', actions: remember },
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
            'child.exited': {
              guard: withEvent('isLastOfGroup'),
              target: '#process.killed',
              actions: remember,
            },
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
