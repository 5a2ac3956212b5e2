import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from './index.ts';

const utc = (text: string): number => Date.parse(text);

describe('an ISO 8601 time', () => {
  it.each([
    ['2026-02-14', '2026-02-14T00:00:00Z'],
    ['20260214', '2026-02-14T00:00:00Z'],
    ['2026-02-14T10:30', '2026-02-14T10:30:00Z'],
    ['2026-02-14 10:30:01', '2026-02-14T10:30:01Z'],
    ['2026-02-14t10:30:01z', '2026-02-14T10:30:01Z'],
    ['20260214T103001Z', '2026-02-14T10:30:01Z'],
    ['2026-02-14T10+01', '2026-02-14T09:00:00Z'],
    ['2026-02-14T10:30:01+05:30', '2026-02-14T05:00:01Z'],
    ['2026-02-14T10:30:01-0530', '2026-02-14T16:00:01Z'],
    ['2026-02-14T24:00:00Z', '2026-02-15T00:00:00Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
  ])('%s is %s: without a zone it is UTC', (text, instant) => expect(instantOf(text)).toBe(utc(instant)));

  it('has microseconds, which order what one millisecond holds', () => {
    const [a = 0, b = 0, c = 0] = ['.123', '.123001', ',1235'].map((part) =>
      instantOf(`2026-02-14T10:30:01${part}Z`),
    );
    expect([b - a, c - b].map((each) => each > 0 && each < 1)).toEqual([true, true]);
  });

  it.each([
    ...['', 'never', '14.02.2026', 'Feb 14 2026', '1739529001', '2026', '2026-02', '2026-W07-6'],
    ...['2026-13-01', '2026-00-01', '2026-02-29', '1900-02-29', '2026-04-31', '2026-02-00'],
    ...['2026-02-14T', '2026-02-14T25:00', '2026-02-14T24:01', '2026-02-14T10:60', '2026-02-14T10:30:61'],
    ...[
      '2026-02-14Z',
      '2026-02-14T10:30+24:00',
      '2026-02-14T10:30+1',
      ' 2026-02-14',
      '2026-02-14T10:30:01.Z',
    ],
  ])('%j is none', (text) => expect(instantOf(text)).toBe(undefined));

  it('is the same as everybody else reads it', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (each) => {
        expect(instantOf(each.toISOString())).toBe(each.getTime());
      }),
    );
  });
});
