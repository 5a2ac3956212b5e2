import type { CatalogOrder } from '../../../machines/catalog/catalog.machine.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import { answers, failure, type OrdersOf, type Sample } from './sample.ts';

const tool = { name: 'read', inputSchema: { type: 'object' } };

export const catalog: Sample = {
  input: {
    server: 's',
    list: 'tools',
    session: 'owner',
    reader: 'host',
    cached: null,
    refreshFailures: 3,
    timing,
  },
  orders: {
    'catalog.open': [{ isDeclared: true }, { isDeclared: false }, { isDeclared: true, isOptional: true }],
    'catalog.rest': [{ why: 'x' }],
    'catalog.forget': [{ why: 'x' }],
    'list.changed': [{}],
    'list.doubted': [{}],
    'list.wanted': [{ by: 'desktop', n: 1 }],
    close: [{}],
  } satisfies OrdersOf<CatalogOrder>,
  answers: [
    ...answers,
    { type: 'ask.answered', result: { tools: [tool] } },
    { type: 'ask.refused', sent: true, failure: { ...failure, details: { code: -32601 } } },
  ],
  told: [{ type: 'owner.ended', why: 'done' }],
  tellApart: (c) => [
    Math.min(c.failures as number, 4),
    c.isDoubted,
    c.isOptional,
    Object.keys(c.owed as object).length,
  ],
  passedThrough: ['judging'],
};
