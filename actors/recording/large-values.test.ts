import { expect, it } from 'vitest';
import { Later } from '../../machines/trace/canonical.ts';
import { LargeValues } from './trace-lines.ts';

const tools = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `t${n}`,
    inputSchema: { type: 'object', required: ['a'] },
  }));
const step = (ctx: object): { readonly k: string } & Record<string, unknown> => ({
  k: 'step',
  a: 'computer#1',
  ctx,
});

it('a record leaves a large list out, with its number and its size, and finds it by that number', () => {
  const large = new LargeValues();
  const entries = tools(200);
  const folded = large.fold(step({ entries, revision: 1 }));
  expect(folded).toEqual(step({ entries: new Later(1, 200), revision: 1 }));
  expect(large.find(1)).toEqual({ key: 'entries', value: entries });
  // The same object keeps its number, so a page that has asked once knows it.
  expect(large.fold(step({ offered: entries }))).toEqual(step({ offered: new Later(1, 200) }));
  expect(large.find(2)).toBeUndefined();
});

it('a record leaves out an object with many fields, and goes into one with few', () => {
  const table = { byName: Object.fromEntries(tools(300).map((tool, n) => [`t${n}`, tool])), refused: [] };
  expect(new LargeValues().fold(step({ table }))).toEqual(
    step({ table: { byName: new Later(1, 300), refused: [] } }),
  );
});

it('a record keeps what is small, lists of texts, the actors of a checkpoint, and a field whose secrets depend on its place', () => {
  const large = new LargeValues();
  const uris = Array.from({ length: 5_000 }, (_, n) => `dpe://h/${n}`);
  const roots = Array.from({ length: 500 }, (_, n) => ({ a: `computer/client:s${n}#1`, kind: 'client' }));
  for (const record of [
    step({ few: tools(5) }),
    step({ uris }),
    { k: 'key', roots },
    step({ value: tools(200) }),
  ])
    expect(large.fold(record)).toEqual(record);
});

it('forgets the oldest value first when it has more than it may keep', () => {
  const large = new LargeValues(2);
  const lists = [tools(200), tools(200), tools(200)];
  for (const entries of lists) large.fold(step({ entries }));
  expect([1, 2, 3].map((number) => large.find(number)?.value)).toEqual([undefined, lists[1], lists[2]]);
});
