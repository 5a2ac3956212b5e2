import type { SeatOrder } from '../../../machines/office/seat.machine.ts';
import { seat as place, type OrdersOf, type Sample } from './sample.ts';

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
