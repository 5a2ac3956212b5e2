import type { OfficeOrder } from '../../../machines/office/office.machine.ts';
import { seat, type OrdersOf, type Sample } from './sample.ts';

export const office: Sample = {
  input: { host: 'h', port: 0 },
  orders: { close: [{}], drain: [{ ms: 1_000 }] } satisfies OrdersOf<OfficeOrder>,
  leaves: {
    server: [
      { type: 'office.opened', url: 'u', port: 1 },
      { type: 'office.failed', message: 'x' },
      { type: 'office.drained' },
      { type: 'socket.opened', socket: 's' },
      { type: 'socket.joins', socket: 's', ticket: 't', seat },
      { type: 'socket.leaves', socket: 's', ticket: 't', office: 'o' },
      { type: 'socket.closed', socket: 's', reason: 'x' },
    ],
  },
  owned: {
    seat: {
      says: [
        { type: 'seat.claims', socket: 's', ticket: 't', seat },
        { type: 'seat.leaves', socket: 's', ticket: 't' },
        { type: 'seat.answers', ticket: 't', ok: false, text: 'x' },
      ],
    },
  },
  tellApart: (c) => c.claims,
  passedThrough: ['closing'],
};
