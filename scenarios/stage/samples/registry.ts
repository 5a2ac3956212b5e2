import type { RegistryOrder } from '../../../machines/process/registry.machine.ts';
import { refusals, type OrdersOf, type Sample } from './sample.ts';

const [one, two] = ['https://one/', 'https://two/'];
export const registry: Sample = {
  input: { limitMs: 3_000, keepMs: 60_000, retryMs: 1_000, known: null },
  orders: {
    close: [{}],
    'registry.want': [
      { ticket: 't', list: [one, two] },
      { ticket: 't', list: [two] },
    ],
  } satisfies OrdersOf<RegistryOrder>,
  answers: [
    ...[true, false].map((isUsable) => ({ type: 'ask.answered', result: { isUsable } })),
    ...refusals.slice(0, 1),
  ],
  tellApart: (context) => [
    context['registry'],
    (context['list'] as unknown[]).length,
    context['failed'],
    (context['orders'] as { list: unknown[] }[]).map(({ list }) => list.length).slice(0, 2),
  ],
};
