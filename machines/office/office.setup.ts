/** What the chart of office.machine.ts is made of: its words, and what each claim leads to. */
import { childOf, keyOf, type AddressFor } from '../kernel/address.ts';
import { message, post, type DirectoryEvent, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { type OfficeCommand, type OfficeFact, type OfficeInput, type SeatFacts } from '../kernel/ports.ts';
import { forget, release, seatsIn, type Claimed, type Claims } from './rooms/claims.ts';
import { seatKind, type SeatNews, type SeatOrder } from './seat.machine.ts';

export type OfficeStart = OfficeInput;
export type OfficeOrder =
  | { readonly type: 'close' }
  /** Ends it when what is on its way was answered, after `ms` at the latest; nobody comes in or asks from now on. */
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
export type Input = OfficeStart & {
  readonly self: AddressFor<SeatNews>;
  readonly owner: AddressFor<OfficeNews>;
};
export interface Context extends Input {
  readonly claims: Claims;
}
export type Event =
  | OfficeOrder
  | OfficeFact
  | SeatNews
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

const seatAt = (c: Context, socket: string): AddressFor<SeatOrder> => childOf(c.self, seatKind, socket);
const noticeOf = (seat: SeatFacts): object => ({ office_id: seat.office, [seat.role]: seat.name });
const left = (c: Context, socket: string, seat: SeatFacts | undefined): Did =>
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
export interface Did {
  readonly commands: readonly OfficeCommand[];
  readonly messages: readonly Post[];
}
export type Draining = Extract<OfficeOrder, { type: 'drain' }>;
export type Claiming = Extract<SeatNews, { type: 'seat.claims' }>;
export type Settled = Extract<OfficeFact, { type: 'claim.settled' }>;

/** Acks go out before broadcasts (a2c-wire X9): whoever joins knows it before the others call it. */
export function answerClaim(
  c: Context,
  { socket, ticket, seat }: Pick<Claiming, 'socket' | 'ticket' | 'seat'>,
  claimed: Claimed,
): Did {
  const seatAddress = seatAt(c, socket);
  if (!claimed.ok)
    return {
      commands: [{ type: 'office.answer', ticket, ok: false, text: claimed.text }],
      messages: [post(seatAddress, { type: 'claim.refused' })],
    };
  const gone = left(c, socket, claimed.left);
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
/** The register has granted it. What was decided here meanwhile may refuse it all the same. */
export function answerShared(c: Context, settled: Settled, claimed: Claimed): Did {
  const { commands, messages } = answerClaim(c, settled, claimed);
  const { socket, seat } = settled;
  return claimed.ok
    ? { commands, messages }
    : { commands: [{ type: 'office.unclaim', socket, seat }, ...commands], messages };
}
export const answerLeave = (c: Context, socket: string, ticket: string): Did => {
  const gone = left(c, socket, release(c.claims, socket).left);
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
export const answerGone = (c: Context, socket: string): Did => {
  const gone = left(c, socket, forget(c.claims, socket).left);
  return {
    commands: [{ type: 'office.unseat', socket }, ...gone.commands],
    messages: [...gone.messages, post(seatAt(c, socket), { type: 'close' }, { optional: true })],
  };
};

/** The machine of a seat broke: whoever sat there is unseated, and its next join or leave is refused. */
export const socketOf = (c: Context, ended: OwnedEnded): { readonly socket: string } => ({
  socket: seatsIn(c.claims).find(([socket]) => ended.key === `seat:${keyOf(socket)}`)?.[0] ?? ended.key,
});
export const did = <E>(what: (c: Context, event: E) => Did) =>
  [
    {
      type: 'command',
      params: ({ context, event }: { context: Context; event: E }) => what(context, event),
    },
    {
      type: 'postAll',
      params: ({ context, event }: { context: Context; event: E }) => what(context, event),
    },
  ] as const;
export const toSeat = <E extends { readonly socket: string; readonly ticket: string }>(
  order: (event: E) => SeatOrder,
) =>
  ({
    type: 'post',
    params: ({ context, event }: { context: Context; event: E }) =>
      post(seatAt(context, event.socket), order(event), {
        onUndelivered: message(context.self, {
          type: 'seat.answers',
          ticket: event.ticket,
          ok: false,
          text: 'This connection has failed in the office: connect again',
        }),
      }),
  }) as const;
