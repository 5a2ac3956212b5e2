import type { Row } from '../../machines/trace/row.ts';
import { describe, expect, it } from 'vitest';
import { clockAt, Lists, traceUntil, traceUpTo } from './trace-lines.ts';

const line = (row: object): string => JSON.stringify(row);
const head = { s: 0, t: 0, k: 'head', format: 'a2c-trace/2', next: 1 };
const inner = { s: 1, t: 1, k: 'list', h: 'aa', v: ['a', 'b'] };
const outer = { s: 2, t: 1, k: 'list', h: 'bb', v: [{ $list: 'aa' }, 'c'] };
const ctx = { tools: { $list: 'bb' }, own: { $esc: { $list: 'aa' } } };
const step = { s: 3, t: 1, k: 'step', a: 'x#1', ctx };
const file = [head, inner, outer, step];
const readAll = (lists: Lists): Row[] => file.map((row) => lists.read(line(row)));

describe('a list that stands once in a trace', () => {
  it('is put where it is meant, also inside another; what only looks like a reference stays as it is', () => {
    expect(readAll(new Lists())[3]).toMatchObject({
      ctx: { tools: [['a', 'b'], 'c'], own: { $esc: { $list: 'aa' } } },
    });
  });
  it('stays a reference when it was not seen', () => {
    expect(new Lists().read(line(step))).toMatchObject({ ctx: { tools: { $list: 'bb' } } });
  });
  it('is saved as it was written', () => {
    expect(traceUpTo(readAll(new Lists()), 3)).toBe(file.map((row) => `${line(row)}\n`).join(''));
  });
  it('says in its head that a person chose its end, unless its host was killed there', () => {
    const rows = [...readAll(new Lists()), { ...inner, s: 4, k: 'tail' }];
    const isCut = (all: readonly Row[], at: number): boolean => traceUpTo(all, at).includes('"cut":true');
    expect([isCut(rows, 4), isCut(rows, 2), isCut(rows.slice(0, 4), 3)]).toEqual([true, true, false]);
  });
});

it('a trace of a host ends at the moment that is shown, by the wall clock of both', () => {
  const later = { ...step, k: 'out', w: 90 };
  const rows = [head, { ...inner, k: 'in', w: 70 }, { ...outer, k: 'step' }, later] as Row[];
  expect([0, 1, 2, 3].map((at) => clockAt(rows, at))).toEqual([undefined, 70, 70, 90]);
  const lines = [
    '{"s":0,"t":0,"k":"head"}',
    '{"s":1,"t":0,"w":70,"k":"in"}',
    '{"s":2,"t":0,"k":"list","v":["\\"w\\":99"]}',
  ];
  const trace = `${[...lines, '{"s":3,"t":0,"w":71,"k":"out"}', '{"s":4,"t":0,"k":"tail"}'].join('\n')}\n`;
  // The head has `cut`, because a file without an end is otherwise one of a killed host.
  expect(traceUntil(trace, 70)).toBe(`${lines.join('\n').replace('"head"}', '"head","cut":true}')}\n`);
  expect(traceUntil(trace, 71)).toBe(trace);
});
