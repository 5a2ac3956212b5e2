import { describe, expect, it } from 'vitest';
import { toWireError, type Failure } from '../../protocol/failure.ts';
import { readAnswer } from '../../protocol/reading.ts';
import {
  claimOf,
  documentNotFound,
  elementNotFound,
  hostNotFound,
  invalidDpeUri,
  pageOutOfRange,
  parseDpeUri,
  readRefusal,
  routeOf,
  type Claim,
  type DpeUri,
} from './index.ts';

const uriOf = (raw: string): DpeUri => {
  const parsed = parseDpeUri(raw);
  return parsed.ok ? parsed.uri : { level: 0, host: 'wrong' };
};

describe('the failures of Finder', () => {
  it.each([
    [documentNotFound('d'), 4201, { doc_ref: 'd' }],
    [hostNotFound('h'), 4201, { host: 'h' }],
    [pageOutOfRange(99, 12), 4202, { page_index: 99, page_count: 12 }],
    [elementNotFound('e'), 4203, { element_id: 'e' }],
    [invalidDpeUri('scheme', 'x://h'), 4204, { uri: 'x://h', rule: 'scheme' }],
  ])('%j come to an agent as they are', (failure, code, details) => {
    const error = toWireError(failure);
    expect(error).toEqual({ code, message: failure.message, details });
    expect(readAnswer({ error })).toEqual({ ok: false, failure });
  });
});

describe('an error of the server that was asked', () => {
  const refused = (code: number, data?: unknown): Failure => ({
    code: 4003,
    message: 'said the server',
    details: { code, ...(data !== undefined && { data }) },
  });
  it.each([
    [refused(4202, { page_index: 9, page_count: 2 }), 4202, { page_index: 9, page_count: 2 }],
    [refused(4201, { details: { doc_ref: 'd' } }), 4201, { doc_ref: 'd' }],
    [refused(-32_000, { code: 4203, element_id: 'e' }), 4203, { element_id: 'e' }],
    [refused(-32_602, { code: 4202, message: 'm', details: { page_count: 2 } }), 4202, { page_count: 2 }],
    [refused(-32_002, { uri: 'dpe://h/d/pages/7' }), 4201, { doc_ref: 'd' }],
  ])('%j passes with its code and its details', (failure, code, details) => {
    expect(readRefusal(failure, uriOf('dpe://h/d/pages/7'))).toEqual({
      code,
      message: 'said the server',
      details,
    });
  });
  it('without details says what was asked for', () => {
    expect(
      [
        readRefusal(refused(4201), uriOf('dpe://h/a%2Fb')),
        readRefusal(refused(4202), uriOf('dpe://h/d/pages/7')),
        readRefusal(refused(4203), uriOf('dpe://h/d/elements/e')),
        readRefusal(refused(4202), uriOf('dpe://h/d')),
        readRefusal(refused(-32_002), uriOf('dpe://h')),
      ].map(({ details }) => details),
    ).toEqual([{ doc_ref: 'a/b' }, { page_index: 7 }, { element_id: 'e' }, { doc_ref: 'd' }, { host: 'h' }]);
  });
  it.each([refused(-32_603), refused(4204), refused(-32_602, { code: 4204 }), refused(1, 'text')])(
    '%j is 500 with its text',
    (failure) => {
      expect(readRefusal(failure, uriOf('dpe://h/d'))).toEqual({
        code: 500,
        message: 'said the server',
        details: { code: failure.details?.['code'] },
      });
    },
  );
  it('stays what it is when the server did not say it', () => {
    for (const failure of [
      { code: 'ServerLost', message: 'gone' },
      { code: 413, message: 'too large', details: { bytes: 9, limit: 8 } },
    ] as const)
      expect(readRefusal(failure, uriOf('dpe://h/d'))).toBe(failure);
  });
});

describe('who is asked for a document', () => {
  const ask = (raw: string, claims: readonly Claim[], ...called: readonly string[]) =>
    routeOf(
      raw,
      uriOf(raw),
      claims,
      called.map((server) => ({ server })),
    );
  const [a, b, c] = [
    claimOf('A', ['dpe://one/x', 'dpe://One/y', 'dpe://two/x']),
    claimOf('B', ['dpe://one/z', 'dpe://one/z/pages/1']),
    claimOf('C', ['dpe://three']),
  ];
  it('is the server that has its host, whatever the level', () => {
    expect(a.hosts).toEqual(['one', 'two']);
    for (const raw of ['dpe://two', 'dpe://TWO/any', 'dpe://two/x/pages/1'])
      expect(ask(raw, [a, b, c])).toEqual({ server: 'A', rivals: [] });
    expect(ask('dpe://three/d', [a, b, c])?.server).toBe('C');
  });
  it('is nobody where no server has its host', () => {
    expect(ask('dpe://four/d', [a, b, c])).toBe(undefined);
    expect(ask('dpe://one/d', [])).toBe(undefined);
  });
  it('is of two the one that lists the URI, or its document, and the other is named', () => {
    expect(ask('dpe://one/z/pages/1', [a, b], 'A')).toEqual({ server: 'B', rivals: ['A'] });
    expect(ask('dpe://one/x/elements/e', [a, b], 'B')).toEqual({ server: 'A', rivals: ['B'] });
  });
  it('is else the one whose tool was called last, then the first by name', () => {
    expect(ask('dpe://one/new', [b, a], 'A', 'B')).toEqual({ server: 'B', rivals: ['A'] });
    expect(ask('dpe://one', [b, a])).toEqual({ server: 'A', rivals: ['B'] });
  });
});
