/** Tracks one connection; the office decides on seats. Requests wait for that decision, to keep their order. */
import { assign, setup } from 'xstate';
import {
  kindOf,
  type AddressFor,
  effects,
  withEvent,
  post,
  posts,
  postsAll,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import type { SeatClaim, SeatFacts } from '../ports/office.ts';

export interface SeatStart {
  readonly socket: string;
  /** For the inspector page; absent for a peer that has all features. */
  readonly misses?: readonly string[];
  readonly version?: string;
}
export type SeatOrder =
  | { readonly type: 'seat.join'; readonly ticket: string; readonly seat: SeatFacts }
  | { readonly type: 'seat.leave'; readonly ticket: string; readonly office: string }
  | { readonly type: 'claim.granted'; readonly seat: SeatFacts }
  | { readonly type: 'claim.refused' }
  | { readonly type: 'claim.released' }
  | { readonly type: 'close' };
export const seatKind = kindOf<SeatStart, SeatOrder>('seat');
export type SeatNews =
  | ({ readonly type: 'seat.claims' } & SeatClaim)
  | { readonly type: 'seat.leaves'; readonly socket: string; readonly ticket: string }
  | {
      readonly type: 'seat.answers';
      readonly ticket: string;
      readonly ok: boolean;
      readonly text: string | null;
    };
type Input = SeatStart & { readonly self: AddressFor<SeatOrder>; readonly owner: AddressFor<SeatNews> };
interface SeatContext extends Input {
  readonly seat: SeatFacts | null;
  readonly waiting: readonly Asked[];
}
type Asked = Extract<SeatOrder, { readonly ticket: string }>;

export const mostWaiting = 16;
const tell = <E>(news: (c: SeatContext, event: E) => SeatNews) =>
  posts((c: SeatContext, event: E) => post(c.owner, news(c, event)));
const claim = {
  target: '#seat.asking.claiming',
  actions: tell((c, e: Extract<SeatOrder, { type: 'seat.join' }>) => ({
    type: 'seat.claims',
    socket: c.socket,
    ticket: e.ticket,
    seat: e.seat,
  })),
} as const;
const wait = [
  { guard: 'hasRoom', actions: withEvent('wait') },
  {
    actions: tell((_, e: Asked) => ({
      type: 'seat.answers',
      ticket: e.ticket,
      ok: false,
      text: 'Too many joins and leaves at once: wait for their answers',
    })),
  },
] as const;
const goOn = [
  postsAll((c: SeatContext) => c.waiting.map((one) => post(c.self, one))),
  'forgetWaiting',
] as const;
const notThere = tell((_, e: Extract<SeatOrder, { type: 'seat.leave' }>) => ({
  type: 'seat.answers',
  ticket: e.ticket,
  ok: false,
  text: `Not in office '${e.office}'`,
}));

export const seatMachine = setup({
  types: {
    context: {} as SeatContext,
    input: {} as Input,
    events: {} as SeatOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    rememberSeat: assign((_, params: { seat: SeatFacts }) => ({ seat: params.seat })),
    forgetSeat: assign({ seat: null }),
    wait: assign(({ context }, params: Asked) => ({ waiting: [...context.waiting, params] })),
    forgetWaiting: assign({ waiting: [] }),
  },
  guards: {
    isThere: ({ context }, params: { office: string }) => context.seat?.office === params.office,
    hasRoom: ({ context }) => context.waiting.length < mostWaiting,
    hasSeat: ({ context }) => context.seat !== null,
  },
}).createMachine({
  id: 'seat',
  context: ({ input }) => ({ ...input, seat: null, waiting: [] }),
  initial: 'connected',
  on: {
    'seat.join': claim,
    'seat.leave': [
      {
        guard: withEvent('isThere'),
        target: '.asking.leaving',
        actions: tell((c, e) => ({ type: 'seat.leaves', socket: c.socket, ticket: e.ticket })),
      },
      { actions: notThere },
    ],
    close: '.closed',
  },
  states: {
    connected: {},
    joined: { tags: 'ready' },
    asking: {
      on: { 'seat.join': wait, 'seat.leave': wait },
      exit: goOn,
      initial: 'claiming',
      states: {
        claiming: {
          tags: 'connecting',
          on: {
            'claim.granted': { target: '#seat.joined', actions: withEvent('rememberSeat') },
            'claim.refused': [{ guard: 'hasSeat', target: '#seat.joined' }, { target: '#seat.connected' }],
          },
        },
        leaving: {
          tags: 'closing',
          on: { 'claim.released': { target: '#seat.connected', actions: 'forgetSeat' } },
        },
      },
    },
    closed: { type: 'final' },
  },
});
