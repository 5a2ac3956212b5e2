import { expect, it } from 'vitest';
import type { Holder } from '../../../machines/office/rooms/register.ts';
import { RemoteSeats } from './seats.ts';

const holder = (office: string, fence: number): Holder => ({
  node: 'n',
  socket: 's',
  seat: { office, role: 'computer', name: 'c' },
  fence,
});
const [old, now] = [holder('o', 1), holder('p', 2)];
const orders = {
  'in their order': ['take old', 'take now', 'free old'],
  'the new seat first': ['take now', 'take old', 'free old'],
  'the new seat last': ['take old', 'free old', 'take now'],
  'the old seat twice': ['take old', 'take now', 'free old', 'take old'],
};
it.each(Object.entries(orders))('a computer that moved is found where it sits: news %s', (_, order) => {
  const seats = new RemoteSeats(() => {});
  for (const news of order) {
    const { seat, fence } = news.endsWith('old') ? old : now;
    if (news.startsWith('free')) seats.free(seat, fence);
    else seats.take(news.endsWith('old') ? old : now);
  }
  expect(seats.seating.computer('p', 'c')).toBe('s');
  expect(seats.seating.computer('o', 'c')).toBeUndefined();
  expect(seats.at('s')).toBe(now);
});
