import { expect, it } from 'vitest';
import { compare, type Run } from './compare.ts';
import type { Row } from './trace-lines.ts';

const row = (t: number, k: string, ch: string, ev: object): Row => ({ s: t, t, k, ch, ev });
const run = (...rows: readonly Row[]): Run => ({ rows, calls: [] });
const exited = (t: number, code: number): Row =>
  row(t, 'in', 'process:files/1', { type: 'child.exited', code });
const asked = (t: number, path: string): Row =>
  row(t, 'out', `ask tools/call of files {"path":"${path}"}/1`, { type: 'ask', params: { path } });
const step = (t: number): Row => ({ s: t, t, k: 'step', a: 'computer#1' });

it('the comparison does not mind the order of channels, the numbers of records and the steps of machines', () => {
  const { same, differences } = compare(
    run(exited(1, 0), asked(2, 'a')),
    run(step(1), asked(7, 'a'), step(8), exited(9, 0)),
  );
  expect({ same, differences }).toEqual({ same: 2, differences: [] });
});

it('the comparison pairs questions with other parameters, and tells what is in one run only, in the order of time', () => {
  const { same, differences } = compare(
    run(asked(1, 'a'), exited(5, 1)),
    run(asked(1, 'b'), exited(5, 1), exited(9, 2)),
  );
  expect(same).toBe(1);
  const told = differences.map(({ one, other, parting }) => [one?.s, other?.s, parting.one, parting.other]);
  expect(told[0]).toEqual([1, 1, expect.stringMatching(/^a/), expect.stringMatching(/^b/)]);
  expect(told[1]?.slice(0, 2)).toEqual([undefined, 9]);
});

it('the comparison takes a hundred thousand events', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => exited(n, n % 7));
  const { same, differences } = compare(run(...many), run(...many.slice(1)));
  expect(same + differences.length).toBe(100_000);
});
