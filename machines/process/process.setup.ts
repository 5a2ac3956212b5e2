/** What the chart of process.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, sendTo, setup } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import { processPort, type ProcessFact } from '../kernel/ports.ts';
import type { ProcessEnd } from './server-failure.ts';
import type { TimingOf } from '../kernel/timing.ts';

export interface ProcessStart {
  readonly server: string;
  readonly generation: number;
  readonly spec: number;
  readonly timing: TimingOf<'process'>;
}
export type ProcessOrder =
  | { readonly type: 'close' }
  /** The next rung of the ladder, without waiting for the end of its grace. */
  | { readonly type: 'process.hurry' };
export const processKind = kindOf<ProcessStart, ProcessOrder>('process');
type ProcessEvent = ProcessFact | ProcessOrder | DirectoryEvent;
/** What the owner hears. */
export type ProcessNews =
  | { readonly type: 'process.started'; readonly from: Address; readonly pid: number }
  | { readonly type: 'process.lost'; readonly end: ProcessEnd };
type Input = ProcessStart & { readonly self: Address; readonly owner: AddressFor<ProcessNews> };
export interface Context extends Input {
  readonly pid: number | null;
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
  readonly stderr: string;
  readonly recent: string | null;
  readonly message: string | null;
  readonly isFinal: boolean;
}
export type ProcessTag = 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed';

type Exited = Extract<ProcessFact, { type: 'child.exited' }>;

const exitOf = ({ code, signal, stderr, recent }: Exited) => ({
  exit: { code, signal },
  stderr,
  recent: recent ?? null,
});

const howItDied = (context: Context): ProcessEnd['how'] => (context.exit?.code === 0 ? 'exited' : 'failed');
export const endOf = (context: Context, how = howItDied(context)): ProcessEnd => ({
  how,
  pid: context.pid,
  code: context.exit?.code ?? null,
  signal: context.exit?.signal ?? null,
  stderr: context.stderr,
  ...(context.recent !== null && { recent: context.recent }),
  message: context.message,
  ...(context.isFinal && { isFinal: true }),
});

export const parts = setup({
  types: {
    context: {} as Context,
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
    rememberFailure: assign((_, p: { message: string; isFinal?: boolean }) => ({
      message: p.message,
      isFinal: p.isFinal === true,
    })),
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

export const remember = {
  type: 'rememberExit',
  params: ({ event }: { event: Exited }) => event,
} as const;
const tellLost = {
  type: 'post',
  params: ({ context: c, event }: { context: Context; event: Exited }) =>
    post(c.owner, {
      type: 'process.lost',
      end: endOf({ ...c, ...exitOf(event) }),
    }),
} as const;

const theExit = ({ event }: { event: Exited }): Exited => event;
export const died = [
  {
    guard: { type: 'isLastOfGroup', params: theExit },
    target: 'died',
    actions: [remember, tellLost],
  },
  { target: 'sweeping', actions: [remember, tellLost] },
] as const;
