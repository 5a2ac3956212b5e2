import { expect, it } from 'vitest';
import { decodePart, encodeHost, encodePart, valueIn } from './uri.ts';

it('a part of a URI without UTF-8 is undefined and no error; ports and brackets of a host stay readable', () => {
  expect([encodePart('\ud800'), encodeHost('\udc00')]).toEqual([undefined, undefined]);
  for (const text of ['%', '%z1', '%ff', 'a%', 'a\ud800', '\udc00%41'])
    expect(decodePart(text)).toBe(undefined);
  expect(decodePart('\ud83d\ude00')).toBe('😀');
  expect([encodeHost('H:80'), encodeHost('[::1]')]).toEqual(['h:80', '[::1]']);
});

it.each([
  ['a=1&b=2', 'b', '2'],
  ['a=1&a=2', 'a', '1'],
  ['a', 'a', ''],
  ['a&b=1', 'a', ''],
  ['a=', 'a', ''],
  ['a=b=c', 'a', 'b=c'],
  ['x=%26a=1', 'a', undefined],
  ['%61=x', 'a', 'x'],
  ['a=%2B+%20', 'a', '+  '],
  ['a=%zz', 'a', '%zz'],
  ['&&a=1', 'a', '1'],
  ['ba=1', 'a', undefined],
  ['', 'a', undefined],
  ['=1', '', '1'],
])('the query %j of a URI has for %s the value %j', (query, key, value) =>
  expect(valueIn(query, key)).toBe(value),
);
