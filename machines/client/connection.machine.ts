/**
 * State machine of one try to reach an MCP server: its process and its session. It ends once, and its end says how the
 * try went. States:
 *
 * trying      — up to its loss or its close:
 *   launching — the process starts; servers over HTTP and inside this host have none
 *   session   — handshaking (`initialize`) → open
 *   broken    — the stream broke: waits briefly for the exit of the process, to explain the failure
 * ending      — what is left of the process is ended, step by step:
 *   failing   — the loss was told
 *   closing   — asked to end, or a remote server forgot the session
 * lost | closed | killed (by SIGKILL) — final
 */
import { assign, setup } from 'xstate';
import {
  childOf,
  effects,
  withEvent,
  kindOf,
  open,
  opens,
  post,
  posts,
  type Address,
  type AddressFor,
  type DirectoryEvent,
  type OwnedEnded,
} from '../kernel/effects.ts';
import {
  sessionPort,
  type ListKind,
  type ServerInfo,
  type SessionFact,
  type SessionLost,
  type Waits,
} from '../ports/session.ts';
import { timingOf, type TimingOf } from '../kernel/timing.ts';
import {
  processKind,
  type ProcessNews,
  type ProcessOrder,
  type ProcessTag,
} from '../process/process.machine.ts';
import { failureOfEnd, failureOfLoss, failureOfStep, type ProcessEnd } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { cameInstead, waitsFor } from '../server-states.ts';

export interface ConnectionStart {
  readonly server: string;
  readonly generation: number;
  readonly spec: number;
  readonly hasProcess: boolean;
  readonly timing: TimingOf<'client'>;
}
export type ConnectionOrder = { readonly type: 'close' } | Extract<ProcessOrder, { type: 'process.hurry' }>;
export const connectionKind = kindOf<ConnectionStart, ConnectionOrder>('connection');
export type ConnectionNews =
  /** Other servers need not wait for it any longer. */
  | { readonly type: 'connection.slow' }
  | { readonly type: 'connection.launched' }
  | { readonly type: 'connection.waits'; readonly waits: Waits }
  | { readonly type: 'connection.opened'; readonly info: ServerInfo }
  /** Its loss, with the explanation, follows. */
  | { readonly type: 'connection.broken'; readonly failure: Failure }
  | { readonly type: 'connection.lost'; readonly failure: Failure }
  | { readonly type: 'list.changed'; readonly list: ListKind }
  | { readonly type: 'resource.updated'; readonly uri: string };
export interface ConnectionEnd {
  readonly how: 'lost' | 'closed' | 'killed';
  readonly failure: Failure | null;
  /** The process exited on its own with code 0. */
  readonly hasExitedWell: boolean;
  /** A remote server forgot the session, so that a new one may be opened at once. */
  readonly isExpired: boolean;
}
type Input = ConnectionStart & { readonly self: Address; readonly owner: AddressFor<ConnectionNews> };
interface ConnectionContext extends Input {
  /** Empty without a process. */
  readonly process: Address;
  readonly wasOpen: boolean;
  readonly waits: Waits | null;
  /** Known so far. */
  readonly end: Omit<ConnectionEnd, 'how'>;
}
type C = ConnectionContext;

/** Longer than the process machine takes to end its process. */
export const ladderMs = (t: TimingOf<'client'>): number =>
  t.stdinGraceMs + t.termGraceMs + t.killGraceMs + 1_000;
const slowFailure = ({ server, waits }: C, phase: string, ms: number): Failure => {
  const instead = waits
    ? `: ${waits.for === 'initialize' ? '' : `it still ${waitsFor(waits.for)}; `}${cameInstead(waits)}`
    : '';
  return failureOfStep(server, phase, `no answer to ${phase} within ${ms} ms${instead}`);
};
/** The machine of the process crashed, or was closed from outside, so that its end was not reported before. */
const goneFailure = ({ server, wasOpen }: C, { output, error }: OwnedEnded): Failure =>
  output
    ? failureOfEnd(server, output as ProcessEnd, wasOpen)
    : failureOfStep(server, 'process', error ?? 'its process is gone');
const endOf = ({ end }: C, how: ConnectionEnd['how']): ConnectionEnd => ({ how, ...end });

const withEnd = (c: C, facts: Partial<C['end']>): Partial<C> => ({ end: { ...c.end, ...facts } });

const parts = setup({
  types: {
    context: {} as ConnectionContext,
    input: {} as Input,
    events: {} as ConnectionOrder | ProcessNews | SessionFact | DirectoryEvent,
    output: {} as ConnectionEnd,
    tags: {} as ProcessTag,
  },
  actors: { session: sessionPort },
  actions: {
    ...effects,
    rememberProcess: assign((_, { from }: { from: Address }) => ({ process: from })),
    rememberWaits: assign((_, { waits }: { waits: Waits }) => ({ waits })),
    noteOpen: assign({ wasOpen: true }),
    rememberFailure: assign(({ context: c }, { failure }: { failure: Failure }) => withEnd(c, { failure })),
    rememberEnd: assign(({ context: c }, { end }: { end: ProcessEnd }) =>
      withEnd(c, {
        failure: failureOfEnd(c.server, end, c.wasOpen),
        hasExitedWell: end.how === 'exited',
      }),
    ),
    rememberGone: assign(({ context: c }, ended: OwnedEnded) =>
      withEnd(c, { failure: goneFailure(c, ended) }),
    ),
    rememberLoss: assign(({ context: c }, lost: SessionLost) =>
      withEnd(c, { failure: failureOfLoss(c.server, lost), isExpired: lost.isExpired === true }),
    ),
    rememberSlow: assign(({ context: c }, { phase }: { phase: 'launch' | 'initialize' }) =>
      withEnd(c, { failure: slowFailure(c, phase, c.timing.connectMs) }),
    ),
  },
  guards: {
    needsProcess: ({ context: c }) => c.hasProcess,
    hasNoProcess: ({ context: c }) => !c.hasProcess,
    isExpired: (_, { isExpired }: { isExpired?: boolean }) => isExpired === true,
    isServerLost: (_, { failure }: { failure: Failure }) => failure.code === 'ServerLost',
    wasKilled: (_, { output }: { output?: unknown }) =>
      output === undefined || (output as ProcessEnd).how === 'killed',
  },
  delays: {
    connectTimeout: ({ context }) => context.timing.connectMs,
    slow: ({ context }) => context.timing.slowMs,
    exitGrace: ({ context }) => context.timing.exitGraceMs,
    /** Safety net: the process machine normally ends the process itself before it. */
    ladder: ({ context }) => ladderMs(context.timing),
  },
});

const tell = <E>(news: (c: C, event: E) => ConnectionNews) =>
  posts((c: C, event: E) => post(c.owner, news(c, event)));
const passOn = tell((_, event: ConnectionNews) => event);
const tellSlow = tell(() => ({ type: 'connection.slow' }));
const lostOf = (c: C): Failure =>
  c.end.failure ?? failureOfStep(c.server, 'session', 'its connection was lost');
const tellProcess = (order: ProcessOrder) =>
  posts((c: C) => post(childOf(c.self, processKind), order, { optional: true }));
const closeProcess = tellProcess({ type: 'close' });

const slow = (phase: 'launch' | 'initialize') =>
  ({ target: '#connection.ending.failing', actions: { type: 'rememberSlow', params: { phase } } }) as const;
const rememberGone = withEvent('rememberGone');
const tellLost = tell((c) => ({ type: 'connection.lost', failure: lostOf(c) }));
const rememberFailure = withEvent('rememberFailure');

export const connectionMachine = parts.createMachine({
  id: 'connection',
  context: ({ input }) => ({
    ...input,
    process: '',
    wasOpen: false,
    waits: null,
    end: { failure: null, hasExitedWell: false, isExpired: false },
  }),
  initial: 'trying',
  output: ({ event }) => (event as unknown as { output: ConnectionEnd }).output,
  states: {
    trying: {
      on: {
        'process.lost': { target: 'ending.failing', actions: withEvent('rememberEnd') },
        'owned.ended': { target: 'lost', actions: [rememberGone, tellLost] },
        'process.hurry': {},
        close: 'ending.closing',
      },
      initial: 'deciding',
      states: {
        deciding: { tags: 'connecting', always: [{ guard: 'needsProcess', target: 'launching' }, 'session'] },
        launching: {
          tags: 'connecting',
          entry: opens((c: C) =>
            open(processKind, {
              server: c.server,
              generation: c.generation,
              spec: c.spec,
              timing: timingOf.process(c.timing),
            }),
          ),
          on: {
            'process.started': { target: 'session', actions: withEvent('rememberProcess') },
            /** It never ran: nothing is left that has to be ended first. */
            'owned.ended': { target: '#connection.lost', actions: rememberGone },
          },
          after: { connectTimeout: slow('launch'), slow: { actions: tellSlow } },
        },
        session: {
          entry: tell(() => ({ type: 'connection.launched' })),
          invoke: {
            id: 'session',
            src: 'session',
            // Requests to the server name its client, which outlives this try.
            input: ({ context: { server, generation, spec, owner, process, hasProcess } }) => ({
              server,
              generation,
              spec,
              key: owner,
              process: hasProcess ? process : null,
            }),
          },
          on: {
            'session.failed': [
              { guard: withEvent('isServerLost'), target: 'broken', actions: rememberFailure },
              { target: '#connection.ending.failing', actions: rememberFailure },
            ],
            'session.lost': [
              {
                guard: withEvent('isExpired'),
                target: '#connection.ending.closing',
                actions: withEvent('rememberLoss'),
              },
              { target: 'broken', actions: withEvent('rememberLoss') },
            ],
            'list.changed': { actions: passOn },
            'resource.updated': { actions: passOn },
          },
          initial: 'handshaking',
          states: {
            handshaking: {
              tags: 'connecting',
              on: {
                'session.waits': {
                  actions: [
                    withEvent('rememberWaits'),
                    tell((_, { waits }: { readonly waits: Waits }) => ({ type: 'connection.waits', waits })),
                  ],
                },
                'session.opened': {
                  target: 'open',
                  actions: [
                    'noteOpen',
                    tell((_, { info }: { readonly info: ServerInfo }) => ({
                      type: 'connection.opened',
                      info,
                    })),
                  ],
                },
              },
              after: { connectTimeout: slow('initialize'), slow: { actions: tellSlow } },
            },
            open: { tags: 'ready' },
          },
        },
        broken: {
          tags: 'closing',
          entry: tell((c) => ({ type: 'connection.broken', failure: lostOf(c) })),
          always: { guard: 'hasNoProcess', target: '#connection.ending.failing' },
          after: { exitGrace: '#connection.ending.failing' },
        },
      },
    },
    ending: {
      tags: 'closing',
      initial: 'closing',
      on: { 'process.hurry': { actions: tellProcess({ type: 'process.hurry' }) }, close: {} },
      after: { ladder: 'killed' },
      states: {
        failing: {
          entry: [tellLost, closeProcess],
          always: { guard: 'hasNoProcess', target: '#connection.lost' },
          on: { 'owned.ended': '#connection.lost' },
        },
        closing: {
          entry: closeProcess,
          always: { guard: 'hasNoProcess', target: '#connection.closed' },
          on: {
            'owned.ended': [
              { guard: withEvent('wasKilled'), target: '#connection.killed' },
              { target: '#connection.closed' },
            ],
          },
        },
      },
    },
    lost: { type: 'final', output: ({ context }) => endOf(context, 'lost') },
    closed: { type: 'final', output: ({ context }) => endOf(context, 'closed') },
    killed: { type: 'final', tags: 'killed', output: ({ context }) => endOf(context, 'killed') },
  },
});
