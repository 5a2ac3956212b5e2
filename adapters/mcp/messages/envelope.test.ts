import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMethod, idIn } from './envelope.ts';

const kept = 64;
const found = (text: string): unknown => {
  const [head, tail] = [text.slice(0, kept), text.slice(-kept)];
  return hasMethod(head, tail) ? undefined : idIn(head, tail);
};
const large = { text: 'x'.repeat(500) };

describe('the id of a response of which only the ends are known', () => {
  it.each([
    ['first', { jsonrpc: '2.0', id: 7, result: large }],
    ['before anything else', { id: 7, result: large }],
    ['last', { result: large, id: 7 }],
    ['last but one', { result: large, id: 7, jsonrpc: '2.0' }],
  ])('is found when it stands %s', (_where, response) => {
    expect(found(JSON.stringify(response))).toBe(7);
    expect(found(JSON.stringify({ ...response, id: 'ab' }))).toBe('ab');
  });

  it.each([
    ['it belongs to a nested object', { result: { id: 1, ...large, last: { id: 2 } } }],
    ['it is the last member of a nested object', { result: { ...large, id: 2 } }],
    ['it is in the middle', { a: large, id: 7, b: large }],
    ['it is written inside a text', { result: { text: `${'x'.repeat(500)},"id":7}` } }],
    ['it is null', { id: null, result: large }],
    ['it is of a request', { id: 7, method: 'sampling/createMessage', params: large }],
    ['it is of a request that ends with its method', { params: large, id: 7, method: 'ping' }],
  ])('is unknown when %s', (_why, line) => {
    expect(found(JSON.stringify(line))).toBeUndefined();
  });

  it('is never wrong, and no text is too strange to look at', () => {
    const response = fc.record({
      a: fc.jsonValue(),
      id: fc.oneof(fc.integer(), fc.string()),
      z: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        response,
        fc.shuffledSubarray(['a', 'id', 'z'] as const),
        fc.string(),
        (members, names, noise) => {
          const line = Object.fromEntries(names.map((name) => [name, members[name]]));
          const id = found(JSON.stringify(line));
          if (id !== undefined) expect(id).toEqual(names.includes('id') ? members.id : undefined);
          found(noise + JSON.stringify(line) + noise);
        },
      ),
    );
  });
});
