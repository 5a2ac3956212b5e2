/** A routed call is no actor but an entry in the adapter's table of pending questions (DECISIONS.md), for speed. */
import { assign, sendTo, setup } from 'xstate';
import {
  effects,
  message,
  noDeadline,
  open,
  opens,
  post,
  posts,
  postsAll,
  toOwned,
  type OwnedEnded,
  withEvent,
} from '../kernel/effects.ts';
import { officePort, type OfficeCommand, type OfficeFact } from '../ports/office.ts';
import type { Batch } from '../kernel/ports.ts';
import { claim, forget, noClaims, release } from './rooms/claims.ts';
import {
  answerClaim,
  answerGone,
  answerLeave,
  answerShared,
  seatAt,
  socketOf,
  type Claiming,
  type OfficeAnswer,
  type OfficeContext,
  type OfficeEvent,
  type OfficeMachineInput,
  type OfficeNews,
  type Settled,
} from './office.rules.ts';
import { seatKind, type SeatNews, type SeatOrder } from './seat.machine.ts';

export type { OfficeStart, OfficeOrder, OfficeNews, SeatChanged } from './office.rules.ts';

const tellHost = posts((c: OfficeContext, news: OfficeNews) => post(c.owner, news));
const command = <E = unknown>(of: (event: E) => OfficeCommand) =>
  ({
    type: 'command',
    params: ({ event }: { event: E }): OfficeAnswer => ({ commands: [of(event)], messages: [] }),
  }) as const;
/** Runs the commands of an answer first, then sends its messages. */
const answering = <E>(answer: (c: OfficeContext, event: E) => OfficeAnswer) =>
  [
    {
      type: 'command',
      params: ({ context, event }: { context: OfficeContext; event: E }) => answer(context, event),
    },
    postsAll((c: OfficeContext, event: E) => answer(c, event).messages),
  ] as const;
const toSeat = <E extends { readonly socket: string; readonly ticket: string }>(
  order: (event: E) => SeatOrder,
) =>
  posts((c: OfficeContext, event: E) =>
    post(seatAt(c, event.socket), order(event), {
      onUndelivered: message(c.self, {
        type: 'seat.answers',
        ticket: event.ticket,
        ok: false,
        text: 'This connection has failed in the office: connect again',
      }),
    }),
  );

export const officeMachine = setup({
  types: {
    context: {} as OfficeContext,
    input: {} as OfficeMachineInput,
    events: {} as OfficeEvent,
    output: {} as { readonly how: 'closed' | 'failed' },
    tags: {} as 'connecting' | 'ready' | 'closing',
    children: {} as { server: 'office' },
  },
  actors: { office: officePort },
  guards: {
    isBroken: (_, { why }: OwnedEnded) => why === 'failed',
    /** A claim that this node refuses itself is not passed on. */
    asksOthers: ({ context: c }, { socket, seat }: Claiming) =>
      c.isShared === true && claim(c.claims, socket, seat).ok,
    isRefused: (_, { text }: Settled) => text !== null,
  },
  actions: {
    ...effects,
    command: sendTo('server', (_, { commands }: OfficeAnswer): Batch<OfficeCommand> => ({
      type: 'batch',
      commands,
    })),
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
  /** Ignores a drain before the server listens, or a second one. */
  on: { close: '.closing', drain: {}, 'office.failed': { target: '.failed', actions: tellHost } },
  states: {
    opening: {
      tags: 'connecting',
      on: { 'office.opened': { target: 'serving', actions: tellHost } },
    },
    serving: {
      tags: 'ready',
      initial: 'open',
      states: {
        open: {
          on: {
            drain: {
              target: 'draining',
              actions: [
                command(() => ({ type: 'office.drain' })),
                { type: 'setDeadline', params: ({ event }) => ({ ms: event.ms, for: 'drain' }) },
              ],
            },
          },
        },
        draining: {
          tags: 'closing',
          exit: noDeadline,
          on: { 'office.drained': '#office.closing', 'deadline.passed': '#office.closing' },
        },
      },
      on: {
        'socket.opened': {
          actions: opens(
            (_: OfficeContext, { type: _type, ...peer }: Extract<OfficeFact, { type: 'socket.opened' }>) =>
              open(seatKind, peer, { key: peer.socket }),
          ),
        },
        'socket.joins': { actions: toSeat((e) => ({ type: 'seat.join', ticket: e.ticket, seat: e.seat })) },
        'socket.leaves': {
          actions: toSeat((e) => ({ type: 'seat.leave', ticket: e.ticket, office: e.office })),
        },
        'socket.closed': {
          actions: [...answering((c, e: { socket: string }) => answerGone(c, e.socket)), withEvent('forget')],
        },
        'owned.ended': [
          {
            guard: withEvent('isBroken'),
            actions: [
              ...answering((c, e: OwnedEnded) => answerGone(c, socketOf(c, e).socket)),
              { type: 'forget', params: ({ context, event }) => socketOf(context, event) },
            ],
          },
          {},
        ],
        'seat.claims': [
          {
            guard: withEvent('asksOthers'),
            actions: command((e: Claiming) => ({ ...e, type: 'office.claim' })),
          },
          {
            actions: [
              ...answering((c, e: Claiming) => answerClaim(c, e, claim(c.claims, e.socket, e.seat))),
              withEvent('claim'),
            ],
          },
        ],
        'claim.settled': [
          {
            guard: withEvent('isRefused'),
            actions: answering((c, e: Settled) => answerClaim(c, e, { ok: false, text: e.text ?? '' })),
          },
          {
            actions: [
              ...answering((c, e: Settled) => answerShared(c, e, claim(c.claims, e.socket, e.seat))),
              withEvent('claim'),
            ],
          },
        ],
        'seat.leaves': {
          actions: [
            ...answering((c, e: { socket: string; ticket: string }) => answerLeave(c, e.socket, e.ticket)),
            withEvent('release'),
          ],
        },
        'seat.answers': {
          actions: command((e: Extract<SeatNews, { type: 'seat.answers' }>) => ({
            ...e,
            type: 'office.answer',
          })),
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
