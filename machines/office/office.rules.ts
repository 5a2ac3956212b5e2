import {
  childOf,
  keyOf,
  type AddressFor,
  post,
  type DirectoryEvent,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import type { OfficeCommand, OfficeFact, OfficeInput, SeatClaim, SeatFacts } from '../ports/office.ts';
import { forget, release, seatsIn, type Claimed, type Claims } from './rooms/claims.ts';
import { seatKind, type SeatNews, type SeatOrder } from './seat.machine.ts';

export type OfficeStart = OfficeInput;
export type OfficeOrder =
  | { readonly type: 'close' }
  /** Closes the office after `ms` at the latest; new connections and questions are refused meanwhile. */
  | { readonly type: 'drain'; readonly ms: number };
export type OfficeNews =
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  | SeatChanged;
/** Change of a seat: a peer joined a room of this office, or left it. */
export interface SeatChanged {
  readonly type: 'seat.changed';
  /** Seat that was taken or left: room, role and name. */
  readonly seat: SeatFacts;
  /** Kind of change; `left` also covers a lost connection. */
  readonly stage: 'joined' | 'left';
}
export type OfficeMachineInput = OfficeStart & {
  readonly self: AddressFor<SeatNews>;
  readonly owner: AddressFor<OfficeNews>;
};
export interface OfficeContext extends OfficeMachineInput {
  readonly claims: Claims;
}
export type OfficeEvent =
  | OfficeOrder
  | OfficeFact
  | SeatNews
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

export const seatAt = (c: OfficeContext, socket: string): AddressFor<SeatOrder> =>
  childOf(c.self, seatKind, socket);
const broadcast = (event: 'notify:enter_office' | 'notify:leave_office', except: string, seat: SeatFacts) =>
  ({
    type: 'office.broadcast',
    office: seat.office,
    except,
    event,
    body: { office_id: seat.office, [seat.role]: seat.name },
  }) as const;
const toldLeft = (c: OfficeContext, socket: string, seat: SeatFacts | undefined): OfficeAnswer =>
  seat
    ? {
        commands: [broadcast('notify:leave_office', socket, seat)],
        messages: [post(c.owner, { type: 'seat.changed', seat, stage: 'left' })],
      }
    : { commands: [], messages: [] };
export interface OfficeAnswer {
  readonly commands: readonly OfficeCommand[];
  readonly messages: readonly Post[];
}
export type Claiming = Extract<SeatNews, { type: 'seat.claims' }>;
export type Settled = Extract<OfficeFact, { type: 'claim.settled' }>;

/** Acknowledges before it broadcasts (a2c-wire X9): a new peer knows its seat before others call it. */
export function answerClaim(
  c: OfficeContext,
  { socket, ticket, seat }: SeatClaim,
  claimed: Claimed,
): OfficeAnswer {
  const seatAddress = seatAt(c, socket);
  if (!claimed.ok)
    return {
      commands: [{ type: 'office.answer', ticket, ok: false, text: claimed.text }],
      messages: [post(seatAddress, { type: 'claim.refused' })],
    };
  const gone = toldLeft(c, socket, claimed.left);
  const unseat: OfficeCommand[] = claimed.left ? [{ type: 'office.unseat', socket }] : [];
  return {
    commands: [
      ...unseat,
      { type: 'office.seat', socket, seat },
      { type: 'office.answer', ticket, ok: true, text: null },
      ...gone.commands,
      ...(claimed.repeated ? [] : [broadcast('notify:enter_office', socket, seat)]),
    ],
    messages: [
      ...gone.messages,
      post(seatAddress, { type: 'claim.granted', seat }),
      ...(claimed.repeated ? [] : [post(c.owner, { type: 'seat.changed', seat, stage: 'joined' })]),
    ],
  };
}
/** The claim is still refused if this node gave the seat away meanwhile. */
export function answerShared(c: OfficeContext, settled: Settled, claimed: Claimed): OfficeAnswer {
  const { commands, messages } = answerClaim(c, settled, claimed);
  const { socket, seat } = settled;
  return claimed.ok
    ? { commands, messages }
    : { commands: [{ type: 'office.unclaim', socket, seat }, ...commands], messages };
}
export const answerLeave = (c: OfficeContext, socket: string, ticket: string): OfficeAnswer => {
  const gone = toldLeft(c, socket, release(c.claims, socket).left);
  return {
    /** Commands after a leave: the notice before the acknowledgement, as the protocol draft requires (O14). */
    commands: [
      { type: 'office.unseat', socket },
      ...gone.commands,
      { type: 'office.answer', ticket, ok: true, text: null },
    ],
    messages: [...gone.messages, post(seatAt(c, socket), { type: 'claim.released' })],
  };
};
export const answerGone = (c: OfficeContext, socket: string): OfficeAnswer => {
  const gone = toldLeft(c, socket, forget(c.claims, socket).left);
  return {
    commands: [{ type: 'office.unseat', socket }, ...gone.commands],
    messages: [...gone.messages, post(seatAt(c, socket), { type: 'close' }, { optional: true })],
  };
};

export const socketOf = (c: OfficeContext, ended: OwnedEnded): { readonly socket: string } => ({
  socket: seatsIn(c.claims).find(([socket]) => ended.key === `seat:${keyOf(socket)}`)?.[0] ?? ended.key,
});
