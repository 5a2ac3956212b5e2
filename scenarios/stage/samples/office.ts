import type { OfficeOrder } from '../../../machines/office/office.machine.ts';
import { type OrdersOf, type Sample, seat as place } from './sample.ts';
import type { SeatOrder } from '../../../machines/office/seat.machine.ts';

export const seat: Sample = {
  input: { socket: 's' },
  orders: {
    'seat.join': [{ ticket: 't', seat: place }],
    'seat.leave': [
      { ticket: 't', office: place.office },
      { ticket: 't', office: 'elsewhere' },
    ],
    close: [{}],
  } satisfies OrdersOf<SeatOrder, 'claim.granted' | 'claim.refused' | 'claim.released'>,
  told: [{ type: 'claim.granted', seat: place }, { type: 'claim.refused' }, { type: 'claim.released' }],
  tellApart: (c) => [c.seat !== null, (c.waiting as readonly unknown[]).length],
};

export const office: Sample = {
  // Its refusals take the same way as those of a lone office.
  input: { host: 'h', port: 0, isShared: true },
  orders: { close: [{}], drain: [{ ms: 1_000 }] } satisfies OrdersOf<OfficeOrder>,
  leaves: {
    server: [
      { type: 'office.opened', url: 'u', port: 1 },
      { type: 'office.failed', message: 'x' },
      { type: 'office.drained' },
      { type: 'socket.opened', socket: 's' },
      { type: 'socket.joins', socket: 's', ticket: 't', seat: place },
      { type: 'socket.leaves', socket: 's', ticket: 't', office: 'o' },
      { type: 'claim.settled', socket: 's', ticket: 't', seat: place, text: null },
      { type: 'claim.settled', socket: 's', ticket: 't', seat: place, text: 'x' },
      { type: 'socket.closed', socket: 's', reason: 'x' },
    ],
  },
  owned: {
    seat: {
      says: [
        { type: 'seat.claims', socket: 's', ticket: 't', seat: place },
        { type: 'seat.claims', socket: 's2', ticket: 't2', seat: place },
        { type: 'seat.leaves', socket: 's', ticket: 't' },
        { type: 'seat.answers', ticket: 't', ok: false, text: 'x' },
      ],
    },
  },
  tellApart: (c) => c.claims,
  passedThrough: ['closing'],
};
