import { describe, expect, it } from 'vitest';
import { withMeta } from '../policy/index.ts';
import { eventOf } from './index.ts';

const transformed = (result: unknown, json: string): unknown =>
  withMeta(result, { a2c_vrl_transformed: json });
const content = [{ type: 'text', text: 'hi', _meta: { a: 1 } }];
const call = { tool: 'look', parameters: { q: 1 } };

describe('the event of a program', () => {
  it('is the result with the name of its tool and the parameters of the call; what a result left out is there', () => {
    expect(eventOf({ ...call, result: { content } })).toEqual({
      ...{ meta: null, content, structuredContent: null, isError: false },
      ...{ tool_name: 'look', parameters: { q: 1 } },
    });
  });
  it('keeps what else the server gave, and its items as they are', () => {
    const result = { content, structuredContent: { n: 1 }, isError: true, nextCursor: 'c' };
    expect(eventOf({ ...call, result })).toMatchObject(result);
  });
  it('has as meta what the server called _meta or meta', () => {
    const metaOf = (result: object): unknown => eventOf({ ...call, result })['meta'];
    expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 });
    expect(metaOf({ meta: { a: 1 } })).toEqual({ a: 1 });
    expect(metaOf({ _meta: { a: 1, b: 1 }, meta: { a: 2 } })).toEqual({ a: 2, b: 1 });
    expect(metaOf({ _meta: null, meta: 'text' })).toBeNull();
    expect(eventOf({ ...call, result: { _meta: { a: 1 } } })).not.toHaveProperty('_meta');
  });
  it('cannot be taken over by a result that has members of those names', () => {
    const result = { content, tool_name: 'other', parameters: 'none' };
    expect(eventOf({ ...call, result })).toMatchObject({ tool_name: 'look', parameters: { q: 1 } });
  });
  it.each([null, undefined, 'text', 7, [1]])('of the result %j is an empty one', (result) => {
    expect(eventOf({ ...call, result })).toMatchObject({ meta: null, content: [], isError: false });
  });
});

describe('a transformed result', () => {
  it('has the text in meta.a2c_vrl_transformed, and everything else as it was', () => {
    const result = { content, structuredContent: { n: 1 } };
    const meta = { a2c_vrl_transformed: '{"a":"ü"}' };
    expect(transformed(result, '{"a":"ü"}')).toEqual({ ...result, meta });
  });
  it('keeps what meta held, under one name that all readers heed (X14)', () => {
    const after = transformed({ content, _meta: { a: 1 }, meta: { b: 2 } }, '1');
    expect(after).toEqual({ content, meta: { a: 1, b: 2, a2c_vrl_transformed: '1' } });
  });
  it('is another one: what was given is not touched', () => {
    const result = Object.freeze({ content, _meta: Object.freeze({ a: 1 }) });
    const before = structuredClone(result);
    expect(transformed(result, '1')).not.toBe(result);
    expect(result).toEqual(before);
  });
  it.each([null, undefined, 'text', [1]])('is %j where that is what the server gave', (result) => {
    expect(transformed(result, '1')).toBe(result);
  });
});
