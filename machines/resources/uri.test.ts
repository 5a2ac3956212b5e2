import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHost,
  decodePart,
  encodeHost,
  encodePart,
  isWithin,
  wholeNumberIn,
  splitUri,
  valueIn,
} from './uri.ts';

const wellFormed = fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Surrogate}/u.test(text));

describe('percent-encoding', () => {
  it('gives back every text that has UTF-8, and leaves nothing in it that could end a part', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const written = encodePart(text) ?? '';
        expect(written).toMatch(/^([\w.~-]|%[\dA-F]{2})*$/);
        expect(decodePart(written)).toBe(text);
      }),
    );
  });
  it('gives back every host in lower case, and leaves ports and brackets readable', () => {
    fc.assert(
      fc.property(wellFormed, (host) => {
        const written = encodeHost(host) ?? '';
        expect(written).not.toMatch(/[/?#%](?![\dA-F]{2})/);
        expect(decodeHost(written)).toBe(host.toLowerCase());
      }),
    );
    expect([encodeHost('H:80'), encodeHost('[::1]'), encodeHost('a/b c')]).toEqual([
      'h:80',
      '[::1]',
      'a%2Fb%20c',
    ]);
  });
  it('takes nothing for an error of the platform: what has no UTF-8 is undefined', () => {
    expect([encodePart('\ud800'), encodeHost('\udc00')]).toEqual([undefined, undefined]);
    for (const text of ['%', '%z1', '%ff', 'a%', 'a\ud800', '\udc00%41'])
      expect(decodePart(text)).toBe(undefined);
    expect(decodePart('\ud83d\ude00')).toBe('😀');
  });
});

describe('a URI taken apart', () => {
  it.each([
    ['window://Host/a/b?x=1#y', { scheme: 'window', host: 'Host', path: '/a/b', query: 'x=1' }],
    ['DPE://h', { scheme: 'dpe', host: 'h', path: '', query: '' }],
    ['a://?', { scheme: 'a', host: '', path: '', query: '' }],
    ['a://h?x/y', { scheme: 'a', host: 'h', path: '', query: 'x/y' }],
    ['a:///p#q?r', { scheme: 'a', host: '', path: '/p', query: '' }],
    ['a://h/\n', { scheme: 'a', host: 'h', path: '/\n', query: '' }],
  ])('has its parts as written: %j', (raw, parts) => expect(splitUri(raw)).toEqual(parts));
  it.each(['', 'dpe', 'dpe:', 'dpe:/h', '://h', ' dpe://h', '1a://h', '/a://h'])(
    'does not exist for %j',
    (raw) => {
      expect(splitUri(raw)).toBe(undefined);
    },
  );
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
  ])('has in the query %j for %s the value %j', (query, key, value) =>
    expect(valueIn(query, key)).toBe(value),
  );
  it('may be any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (raw, key) => {
        const parts = splitUri(raw);
        expect(typeof valueIn(parts?.query ?? raw, key)).toMatch(/string|undefined/);
      }),
    );
  });
});

describe('a number in a URI', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    [' 5 ', 5],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('is read from %j as %d', (text, value) => expect(wholeNumberIn(text)).toBe(value));
  it.each(['', ' ', '-1', '+5', '1_0', '1.0', '1e3', '0x1', '٣', '9007199254740993'])(
    'is not read from %j',
    (text) => expect(wholeNumberIn(text)).toBe(undefined),
  );
  it('is within its limits with them', () => {
    expect([0, 1, 100, 101, 1.5, Number.NaN, Infinity].map((n) => isWithin(n, 1, 100))).toEqual([
      ...[false, true, true],
      ...[false, false, false, false],
    ]);
  });
});
