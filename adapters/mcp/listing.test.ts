import { expect, it } from 'vitest';
import type { RequestFact } from '../../machines/kernel/ports.ts';
import { gather } from './messages/pages.ts';

it('a list holds the entries in our words; a tool whose arguments are a list is left out and counted, with the reason (case 101)', () => {
  const facts: RequestFact[] = [];
  const next = gather({ id: 'q', method: 'tools/list' }, (fact) => facts.push(fact));
  const good = { name: 'good', inputSchema: { type: ['object', 'null'] } };
  const first = [
    { ...good, _meta: { k: 1 }, 'x-new': 1 },
    { name: 'bad', inputSchema: { type: 'array' } },
  ];
  expect(next({ id: 1, result: { tools: first, nextCursor: 'c' } })).toEqual({ cursor: 'c' });
  expect(next({ id: 2, result: { tools: [null, { name: 'late', inputSchema: {} }] } })).toBeUndefined();
  const tools = [
    { ...good, meta: { k: 1 }, more: { 'x-new': 1 } },
    { name: 'late', inputSchema: {} },
  ];
  const unusable = [
    { name: 'bad', inputSchema: {}, unusable: 'its inputSchema does not take an object' },
    { name: '#3', inputSchema: {}, unusable: 'it is no object' },
  ];
  expect(facts).toEqual([{ type: 'ask.answered', id: 'q', result: { tools, malformed: 2, unusable } }]);
});
