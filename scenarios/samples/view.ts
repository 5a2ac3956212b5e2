import type { ViewOrder } from '../../machines/view.machine.ts';
import { answers, type OrdersOf, type Sample } from './sample.ts';

export const view: Sample = {
  input: { computer: 'c', agent: 'a', link: 'l' },
  orders: { 'view.refresh': [{}], close: [{}] } satisfies OrdersOf<ViewOrder>,
  answers: [
    ...answers,
    { type: 'ask.answered', result: { tools: [], req_id: 'tools.c.1' } },
    { type: 'ask.answered', result: { tools: [], req_id: 'tools.c.2' } },
  ],
  tellApart: (c) => Math.min(c.asked as number, 4),
};
