import { expect, it } from 'vitest';
import { durationText, stateText, visible } from './values.ts';

it('a state has one text in every form', () => {
  expect(stateText('idle')).toBe('idle');
  expect(stateText({ connected: { ready: 'steady' } })).toBe('connected.ready.steady');
  expect(stateText({ a: 'b', c: 'd' })).toBe('a.b + c.d');
  expect(stateText(undefined)).toBe('');
});

it('a duration has a unit that fits', () => {
  const texts = [0.002, 3.2, 140, 3_200, 90_000, 7_200_000, -3_200].map(durationText);
  expect(texts).toEqual(['2 µs', '3.2 ms', '140 ms', '3.2 s', '1.5 min', '2.0 h', '−3.2 s']);
});

it('characters that nobody sees, or that turn a text around, are shown as their codes', () => {
  expect(visible('a\u202Eb\u0007c\u200Bd\ne')).toBe(String.raw`a\u202eb\u0007c\u200bd` + '\ne');
});
