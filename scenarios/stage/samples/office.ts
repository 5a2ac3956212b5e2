import type { OfficeOrder } from '../../../machines/office/office.machine.ts';
import { seat, type OrdersOf, type Sample } from './sample.ts';

export const office: Sample = {
  // One of several nodes: what it refuses by itself goes the way of one that is alone.
  input: { host: 'h', port: 0, isShared: true },
  orders: { close: [{}], drain: [{ ms: 1_000 }] } satisfies OrdersOf<OfficeOrder>,
  leaves: {
    server: [
      { type: 'office.opened', url: 'u', port: 1 },
      { type: 'office.failed', message: 'x' },
      { type: 'office.drained' },
      { type: 'socket.opened', socket: 's' },
      { type: 'socket.joins', socket: 's', ticket: 't', seat },
      { type: 'socket.leaves', socket: 's', ticket: 't', office: 'o' },
      { type: 'claim.settled', socket: 's', ticket: 't', seat, text: null },
      { type: 'claim.settled', socket: 's', ticket: 't', seat, text: 'x' },
      { type: 'socket.closed', socket: 's', reason: 'x' },
    ],
  },
  owned: {
    seat: {
      says: [
        { type: 'seat.claims', socket: 's', ticket: 't', seat },
        { type: 'seat.claims', socket: 's2', ticket: 't2', seat },
        { type: 'seat.leaves', socket: 's', ticket: 't' },
        { type: 'seat.answers', ticket: 't', ok: false, text: 'x' },
      ],
    },
  },
  tellApart: (c) => c.claims,
  passedThrough: ['closing'],
};
