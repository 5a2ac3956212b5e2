import { describe, expect, it } from 'vitest';
import { traceFormat, isReadable, upcast, type Upcaster } from './format.ts';

type Line = { readonly k?: string; readonly ev?: { readonly type: string } };
/** Upcaster from one format to the next that renames one event type. */
const renamed = (from: string, to: string, old: string, word: string): Upcaster => ({
  from,
  to,
  line: (line) => {
    const { ev, ...rest } = line as Line;
    return ev?.type === old ? { ...rest, ev: { ...ev, type: word } } : line;
  },
});
const table = [
  renamed('a2c-trace/0', 'a2c-trace/1', 'invoke', 'call'),
  renamed('a2c-trace/1', traceFormat, 'call', 'callTool'),
];
const said = (type: string): Line => ({ k: 'in', ev: { type } });

describe('a line of an older format', () => {
  it('comes out in the words of today', () => {
    expect(upcast(said('call'), 'a2c-trace/1', table)).toEqual(said('callTool'));
    expect(upcast(said('close'), 'a2c-trace/1', table)).toEqual(said('close'));
  });
  it('comes through every version after it, and through none before', () => {
    expect(upcast(said('invoke'), 'a2c-trace/0', table)).toEqual(said('callTool'));
    expect(upcast(said('invoke'), 'a2c-trace/1', table)).toEqual(said('invoke'));
  });
  it('stays as it is when it is of this format', () => {
    const line = said('call');
    expect(upcast(line, traceFormat, table)).toBe(line);
  });
});

it('a format is read when it is that of today, or something makes it so', () => {
  expect(isReadable(traceFormat)).toBe(true);
  expect(['a2c-trace/0', 'a2c-trace/1', 'a2c-trace/9'].map((format) => isReadable(format, table))).toEqual([
    ...[true, true, false],
  ]);
  // The format a2c-trace/1 was never published, so it cannot be read.
  expect(isReadable('a2c-trace/1')).toBe(false);
});
