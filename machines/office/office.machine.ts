/**
 * The server side: one Socket.IO server, one seat per connection, one table of claims for all its offices.
 * A routed call is no actor but an entry in the pending table of the adapter (DECISIONS.md): the relay is the
 * hot path. The adapter routes only between those that this machine has seated.
 *
 * opening — the port is being bound
 * serving — connections come, join, leave and go. open, or draining: nobody comes or asks any more, and what is on its
 *           way is answered, until all is or the time is over
 * closing — passed through: every seat is closed
 * closed | failed (the port could not be bound, or was lost) — final
 */
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import { effects, open, post, toOwned, type OwnedEnded } from '../kernel/effects.ts';
import { officePort, type Batch, type OfficeCommand } from '../kernel/ports.ts';
import { claim, forget, noClaims, release } from './rooms/claims.ts';
import { seatKind } from './seat.machine.ts';
import {
  type OfficeNews,
  type Input,
  type Context,
  type Event,
  type Did,
  type Claiming,
  type Settled,
  type Draining,
  answerClaim,
  answerShared,
  answerLeave,
  answerGone,
  socketOf,
  did,
  toSeat,
} from './office.setup.ts';

export type { OfficeStart, OfficeOrder, OfficeNews, SeatChanged } from './office.setup.ts';

const tellHost = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: OfficeNews }) => post(context.owner, event),
} as const;

const drain = [
  { type: 'command', params: (): Did => ({ commands: [{ type: 'office.drain' }], messages: [] }) },
  { type: 'setDeadline', params: ({ event }: { event: Draining }) => ({ ms: event.ms, for: 'drain' }) },
] as const;

export const officeMachine = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as Event,
    output: {} as { readonly how: 'closed' | 'failed' },
    tags: {} as 'connecting' | 'ready' | 'closing',
    children: {} as { server: 'office' },
  },
  actors: { office: officePort },
  guards: {
    isBroken: (_, { why }: OwnedEnded) => why === 'failed',
    /** What this node can refuse by itself is asked of nobody. */
    asksOthers: ({ context: c }, { socket, seat }: Claiming) =>
      c.isShared === true && claim(c.claims, socket, seat).ok,
    isRefused: (_, { text }: Settled) => text !== null,
  },
  actions: {
    ...effects,
    command: sendTo('server', (_, { commands }: Did): Batch<OfficeCommand> => ({ type: 'batch', commands })),
    claim: assign(({ context }, { socket, seat }: Pick<Claiming, 'socket' | 'seat'>) => {
      const claimed = claim(context.claims, socket, seat);
      return claimed.ok ? { claims: claimed.claims } : {};
    }),
    release: assign(({ context }, { socket }: { socket: string }) => ({
      claims: release(context.claims, socket).claims,
    })),
    forget: assign(({ context }, { socket }: { socket: string }) => ({
      claims: forget(context.claims, socket).claims,
    })),
  },
}).createMachine({
  id: 'office',
  context: ({ input }) => ({ ...input, claims: noClaims }),
  invoke: {
    id: 'server',
    src: 'office',
    input: ({ context: { host, port, requireVersion, isShared } }) => ({
      host,
      port,
      ...(isShared === true && { isShared }),
      ...(requireVersion !== undefined && { requireVersion }),
    }),
  },
  initial: 'opening',
  /** Its host has it once it listens; one that is drained already goes on. */
  on: { close: '.closing', drain: {} },
  states: {
    opening: {
      tags: 'connecting',
      on: {
        'office.opened': { target: 'serving', actions: tellHost },
        'office.failed': { target: 'failed', actions: tellHost },
      },
    },
    serving: {
      tags: 'ready',
      initial: 'open',
      states: {
        open: { on: { drain: { target: 'draining', actions: drain } } },
        draining: {
          tags: 'closing',
          exit: { type: 'setDeadline', params: { ms: 0 } },
          on: { 'office.drained': '#office.closing', 'deadline.passed': '#office.closing' },
        },
      },
      on: {
        'office.failed': { target: 'failed', actions: tellHost },
        'socket.opened': {
          actions: {
            type: 'open',
            params: ({ event: { socket } }) => open(seatKind, { socket }, { key: socket }),
          },
        },
        'socket.joins': { actions: toSeat((e) => ({ type: 'seat.join', ticket: e.ticket, seat: e.seat })) },
        'socket.leaves': {
          actions: toSeat((e) => ({ type: 'seat.leave', ticket: e.ticket, office: e.office })),
        },
        'socket.closed': {
          actions: [
            ...did((c, e: { socket: string }) => answerGone(c, e.socket)),
            { type: 'forget', params: ({ event }) => event },
          ],
        },
        'owned.ended': [
          {
            guard: { type: 'isBroken', params: ({ event }) => event },
            actions: [
              ...did((c, e: OwnedEnded) => answerGone(c, socketOf(c, e).socket)),
              { type: 'forget', params: ({ context, event }) => socketOf(context, event) },
            ],
          },
          {},
        ],
        'seat.claims': [
          {
            guard: { type: 'asksOthers', params: ({ event }) => event },
            actions: {
              type: 'command',
              params: ({ event: { socket, ticket, seat } }) => ({
                commands: [{ type: 'office.claim', socket, ticket, seat }],
                messages: [],
              }),
            },
          },
          {
            actions: [
              ...did((c, e: Claiming) => answerClaim(c, e, claim(c.claims, e.socket, e.seat))),
              { type: 'claim', params: ({ event }) => event },
            ],
          },
        ],
        'claim.settled': [
          {
            guard: { type: 'isRefused', params: ({ event }) => event },
            actions: did((c, e: Settled) => answerClaim(c, e, { ok: false, text: e.text ?? '' })),
          },
          {
            actions: [
              ...did((c, e: Settled) => answerShared(c, e, claim(c.claims, e.socket, e.seat))),
              { type: 'claim', params: ({ event }) => event },
            ],
          },
        ],
        'seat.leaves': {
          actions: [
            ...did((c, e: { socket: string; ticket: string }) => answerLeave(c, e.socket, e.ticket)),
            { type: 'release', params: ({ event }) => event },
          ],
        },
        'seat.answers': {
          actions: {
            type: 'command',
            params: ({ event: { ticket, ok, text } }) => ({
              commands: [{ type: 'office.answer', ticket, ok, text }],
              messages: [],
            }),
          },
        },
      },
    },
    closing: {
      tags: 'closing',
      entry: { type: 'tellOwned', params: toOwned(seatKind, { type: 'close' }) },
      always: 'closed',
    },
    closed: { type: 'final', output: { how: 'closed' } },
    failed: { type: 'final', output: { how: 'failed' } },
  },
  output: ({ event }) => (event as unknown as { output: { how: 'closed' | 'failed' } }).output,
});
export type OfficeRef = ActorRefFrom<typeof officeMachine>;
