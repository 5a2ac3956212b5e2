import type { ErrorObject } from 'ajv';
import { describe, expect, it } from 'vitest';
import { problemsOf } from './problems.ts';

const long = 'x'.repeat(200_000);
const error = (more: Partial<ErrorObject>): ErrorObject => ({
  ...{ instancePath: '/a', schemaPath: '#', keyword: 'minimum', params: {}, message: 'must be >= 1' },
  ...more,
});
const errors = (count: number, of: (n: number) => Partial<ErrorObject>): ErrorObject[] =>
  Array.from({ length: count }, (_, n) => error(of(n)));
function looksAt(count: number, instancePath: (n: number) => string): number {
  let looks = 0;
  const params = (): object => ({
    get allowedValues() {
      looks += 1;
      return [looks];
    },
  });
  problemsOf(errors(count, (n) => ({ instancePath: instancePath(n), keyword: 'enum', params: params() })));
  return looks;
}

describe('the problems of a value', () => {
  it('are looked for no longer among a hundred thousand mistakes than among some', () => {
    for (const path of [(n: number) => `/a/${n}`, () => '/a']) {
      expect(looksAt(10, path)).toBeGreaterThan(0);
      expect(looksAt(100_000, path)).toBe(looksAt(5_000, path));
    }
  });
  it.each([
    ['enum', { allowedValues: [long] }, /^a.0: must be one of "x+…$/],
    ['enum', { allowedValues: [{ long }] }, /^a.0: must be one of {"long":"x+…$/],
    ['enum', { allowedValues: Array.from({ length: 100_000 }, () => 1) }, /^a.0: must be one of 1, 1, .*…$/],
    ['const', { allowedValue: long }, /^a.0: must be "x+…$/],
    ['const', { allowedValue: { long } }, /^a.0: must be {"long":"x+…$/],
    ['required', { missingProperty: long }, /^a.0.x+…: is missing$/],
    ['additionalProperties', { additionalProperty: `${long}\n` }, /^a.0.x+…: is not a property that it may/],
  ])('are one short line each when they quote what is long: %s %#', (keyword, params, line) => {
    const many = errors(20_000, (n) => ({ instancePath: `/a/${n}`, keyword, params }));
    const lines = problemsOf(many);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(line);
    for (const { length } of lines) expect(length).toBeLessThanOrEqual(200);
  });
  it('are one short line each when their place or text is long', () => {
    const places = [`/${long}`, '/a/b'.repeat(50_000)];
    const [named = '', deep = ''] = places.flatMap((instancePath) =>
      problemsOf(errors(10_000, () => ({ instancePath, message: long }))),
    );
    expect(named).toMatch(/^x{59}…: x+…$/);
    expect(deep).toMatch(/^a\.b\..*…$/);
    expect([named.length, deep.length]).toEqual([200, 200]);
  });
  it('are those of all fields where a choice has many branches', () => {
    const fields = ['b', 'c', 'd', 'e'].flatMap((field) => [
      ...errors(150, (n) => ({
        ...{ instancePath: `/${field}`, keyword: 'const' },
        ...{ params: { allowedValue: n } },
      })),
      error({ instancePath: `/${field}`, keyword: 'anyOf', message: 'must match a schema in anyOf' }),
    ]);
    const lines = problemsOf(fields);
    expect(lines.map((line) => line.slice(0, 24))).toEqual(
      ['b', 'c', 'd', 'e'].map((field) => `${field}: must be 0 or must be `),
    );
  });
});
