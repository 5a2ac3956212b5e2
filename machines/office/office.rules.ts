/** Words of the office machine, and its rules: what follows from a claim, a leave, a lost connection. */
import { childOf, keyOf, type AddressFor } from '../kernel/address.ts';
import { post, type DirectoryEvent, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { type OfficeCommand, type OfficeFact, type OfficeInput, type SeatFacts } from '../kernel/ports.ts';
import { forget, release, seatsIn, type Claimed, type Claims } from './rooms/claims.ts';
import { seatKind, type SeatNews, type SeatOrder } from './seat.machine.ts';

export type OfficeStart = OfficeInput;
export type OfficeOrder =
  | { readonly type: 'close' }
  /** Ends it when what is on its way was answered, after `ms` at the latest; what comes in or asks meanwhile is refused. */
  | { readonly type: 'drain'; readonly ms: number };
export type OfficeNews =
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  | SeatChanged;
/** Somebody took a seat in a room of this office, or left it. */
export interface SeatChanged {
  readonly type: 'seat.changed';
  /** Who, and in which room. */
  readonly seat: SeatFacts;
  /** `left`: also when its connection was lost. */
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
const noticeOf = (seat: SeatFacts): object => ({ office_id: seat.office, [seat.role]: seat.name });
const toldLeft = (c: OfficeContext, socket: string, seat: SeatFacts | undefined): OfficeAnswer =>
  seat
    ? {
        commands: [
          {
            type: 'office.broadcast',
            office: seat.office,
            except: socket,
            event: 'notify:leave_office',
            body: noticeOf(seat),
          },
        ],
        messages: [post(c.owner, { type: 'seat.changed', seat, stage: 'left' })],
      }
    : { commands: [], messages: [] };
/** Answer of an office to one event: commands for its port, and messages. */
export interface OfficeAnswer {
  readonly commands: readonly OfficeCommand[];
  readonly messages: readonly Post[];
}
export type Claiming = Extract<SeatNews, { type: 'seat.claims' }>;
export type Settled = Extract<OfficeFact, { type: 'claim.settled' }>;

/** Acks go out before broadcasts (a2c-wire X9): a newcomer knows its seat before the others call it. */
export function answerClaim(
  c: OfficeContext,
  { socket, ticket, seat }: Pick<Claiming, 'socket' | 'ticket' | 'seat'>,
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
  const enter: OfficeCommand = {
    type: 'office.broadcast',
    office: seat.office,
    except: socket,
    event: 'notify:enter_office',
    body: noticeOf(seat),
  };
  return {
    commands: [
      ...unseat,
      { type: 'office.seat', socket, seat },
      { type: 'office.answer', ticket, ok: true, text: null },
      ...gone.commands,
      ...(claimed.repeated ? [] : [enter]),
    ],
    messages: [
      ...gone.messages,
      post(seatAddress, { type: 'claim.granted', seat }),
      ...(claimed.repeated ? [] : [post(c.owner, { type: 'seat.changed', seat, stage: 'joined' })]),
    ],
  };
}
/** Answer to a claim that the register has granted: what was decided here meanwhile may refuse it all the same. */
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
    /** The seed asks for the notice first, then the ack (O14). */
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

/** Socket of a seat whose machine broke: it is unseated, and its next join or leave is refused. */
export const socketOf = (c: OfficeContext, ended: OwnedEnded): { readonly socket: string } => ({
  socket: seatsIn(c.claims).find(([socket]) => ended.key === `seat:${keyOf(socket)}`)?.[0] ?? ended.key,
});
