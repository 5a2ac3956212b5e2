import { describe, expect, it } from 'vitest';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import { note } from './envelope.ts';
import { Gathering } from './pages.ts';

function gathering(method: string) {
  const facts: RequestFact[] = [];
  const told: string[] = [];
  const list = new Gathering(
    { id: 'q', method },
    (fact) => facts.push(fact),
    (text) => told.push(text),
  );
  return { facts, told, take: (result: unknown) => list.take({ id: 1, result }), list };
}
function listOf(method: string, pageAt: (cursor: unknown) => object) {
  const { facts, told, list } = gathering(method);
  const asked: unknown[] = [];
  for (let params: object | undefined = {}; params;) {
    const { cursor } = params as { readonly cursor?: unknown };
    asked.push(cursor);
    params = list.take(pageAt(cursor));
  }
  return { fact: facts[0] as RequestFact, told, asked };
}
const good = { name: 'good', inputSchema: { type: ['object', 'null'] } };
const tool = (name: string) => ({ name, inputSchema: {} });

it('a list holds the entries in our words; a tool whose arguments are a list is left out and counted, with the reason', () => {
  const { facts, take } = gathering('tools/list');
  const first = [
    { ...good, _meta: { k: 1 }, 'x-new': 1 },
    { name: 'bad', inputSchema: { type: 'array' } },
  ];
  expect(take({ tools: first, nextCursor: 'c' })).toEqual({ cursor: 'c' });
  expect(take({ tools: [null, { name: 'late', inputSchema: {} }] })).toBeUndefined();
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

describe('a list of tools', () => {
  const page = (name: string, nextCursor?: unknown) => ({ result: { tools: [tool(name)], nextCursor } });
  const [first, ring] = [[undefined], (at: unknown) => page(`at ${String(at)}`, at === '1' ? '2' : '1')];
  const two = (cursor: unknown) => (at: unknown) => (at === undefined ? page('a', cursor) : page('b'));
  it.each<[what: string, pageAt: (cursor: unknown) => object, names: string[], asked: unknown[]]>([
    ['null for a cursor', () => page('a', null), ['a'], first],
    ['a cursor that comes twice', () => page('a', '2'), ['a'], [undefined, '2']],
    ['cursors that lead to each other', ring, ['at undefined', 'at 1', 'at 2'], [undefined, '1', '2']],
    ['an empty cursor', () => page('a', ''), ['a'], first],
    ['a number for a cursor', two(2), ['a', 'b'], [undefined, 2]],
    ['the cursor 0', two(0), ['a', 'b'], [undefined, 0]],
    ['an object for a cursor', () => page('a', {}), ['a'], first],
    ['false for a cursor', () => page('a', false), ['a'], first],
    ['null for its entries', () => ({ result: { tools: null } }), [], first],
    ['no entries', () => ({ result: {} }), [], first],
  ])('is read to its end, with %s', (_what, pageAt, names, asked) => {
    const list = listOf('tools/list', pageAt);
    expect(list.fact).toMatchObject({
      type: 'ask.answered',
      result: { tools: names.map((name) => ({ name })) },
    });
    expect(list.asked).toEqual(asked);
  });

  const wrong = { error: { code: 1, message: 'no' } };
  const next = (at: unknown): string => `${String(at)}.`;
  const many = Array.from({ length: 2_000 }, () => tool('a'));
  const large = (at: unknown): object => {
    const answer = page('a', next(at));
    note(answer, { bytes: 5_000_000 });
    return answer;
  };
  it.each<readonly [what: string, pageAt: (cursor: unknown) => object, message: string]>([
    ['an object for its entries', () => ({ result: { tools: { a: tool('a') } } }), 'without a list of tools'],
    ['a list for its result', () => ({ result: [] }), 'without a list of tools'],
    ['an error behind a cursor', (at) => (at === undefined ? page('a', 'x') : wrong), 'no'],
    ['ever new cursors', (at) => page('a', next(at)), 'has more than 500 pages'],
    ['many entries', (at) => ({ result: { tools: many, nextCursor: next(at) } }), 'more than 50000 entries'],
    ['very large pages', large, 'has more than 20 MiB in all its pages'],
  ])('is refused, with %s', (_what, pageAt, message) => {
    expect(listOf('tools/list', pageAt).fact).toMatchObject({
      type: 'ask.refused',
      failure: { message: expect.stringContaining(message) },
    });
  });

  it('says what to do when it cannot end', () => {
    const { fact } = listOf('tools/list', (at) => page('a', `${String(at)}.`));
    expect(fact).toMatchObject({ failure: { code: 413, remedy: expect.any(String) } });
  });
  it('is noted when its cursor came twice', () => {
    expect(listOf('tools/list', () => page('a', '2')).told).toEqual([
      'tools/list: the cursor "2" came twice; the list ends there',
    ]);
  });
});

it('resources without a name are left out, counted and noted', () => {
  const resources = [{ uri: 'a:1', name: 'one' }, { uri: 'a:2' }, { uri: 'a:3', name: null }];
  const { fact, told } = listOf('resources/list', () => ({ result: { resources } }));
  expect(fact).toMatchObject({ result: { resources: [{ uri: 'a:1' }], malformed: 2 } });
  expect(told).toEqual([
    'resources/list: 2 entries are left out: they lack what they are found by, or a name',
  ]);
});
