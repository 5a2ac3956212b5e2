import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { merging } from './shapes.ts';

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    '10',
    '2',
    '',
    'constructor',
    'toString',
    '__proto__',
    'with "quotes"\n\u2028',
  ),
  fc.string({ maxLength: 3 }),
);
const fields = fc.dictionary(name, fc.anything({ maxDepth: 1 }), { maxKeys: 6, noNullPrototype: true });
const pairs = fc.array(fc.tuple(fields, fields), { minLength: 1, maxLength: 60 });
const left = ['a', '10'];
const without = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !left.includes(key)));

/** The names in their order, too. */
const shown = (object: object): unknown => [Object.keys(object), object];
const law = fc.property(pairs, (all) => {
  const [merge, leave] = [merging(), merging('a', '10')];
  for (const [base, more] of [...all, ...all]) {
    expect(shown(merge(base, more))).toEqual(shown({ ...base, ...more }));
    expect(shown(leave(base, more))).toEqual(shown({ ...without(base), ...more }));
  }
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test('two objects of any names are merged as a spread merges them, and neither is changed', () => {
  fc.assert(law);
});

test('where code from strings is not allowed they are merged as well', () => {
  const refuse = (): never => {
    throw new EvalError('Code generation from strings disallowed for this context');
  };
  vi.stubGlobal('Function', refuse);
  fc.assert(law, { numRuns: 20 });
});
