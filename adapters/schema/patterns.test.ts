import { describe, expect, it } from 'vitest';
import { readPattern } from './validate.ts';

/** Row of the test table: a pattern, texts that match, and texts that do not. */
type Row = readonly [pattern: string, fits: readonly string[], fails: readonly string[]];
const read: readonly Row[] = [
  ['^[[:alpha:]]+$', ['abc'], ['a1', ':']],
  ['^[^[:space:][:digit:]_-]+$', ['a.b'], ['a b', 'a1', 'a_']],
  ['^[[:upper:]][[:alnum:]_.-]*$', ['A_b.1'], ['a', 'A b']],
  ['^[[:punct:]]$', ['!', ']', '~', '/'], ['a', ' ']],
  ['(?i)^abc\\Z', ['ABC', 'abc\n'], ['abcd']],
  ['(?is)^a.c$', ['A\nC'], ['ac']],
  ['(?m)^b$', ['a\nb'], ['ab']],
  ['\\Aab\\z', ['ab'], ['xab', 'ab\n']],
  ['^(?P<year>\\d{4})-(?P=year)$', ['2024-2024'], ['2024-2025']],
  ['^a++b*+c?+$', ['aabc', 'a'], ['b']],
  ['^(?>ab|a)c$', ['abc', 'ac'], ['bc']],
  ['^a{2}+$', ['aa'], ['a']],
  ['^a(?#a note)b$', ['ab'], ['a']],
  ['^\\pL+\\x{1F600}$', ['äß😀'], ['1😀']],
  ['^\\e\\a$', ['\u001b\u0007'], ['ea']],
  ['^[]a]+$', [']a'], ['b']],
  ['^[^]a]+$', ['bc'], [']', 'a']],
  ['^[\\w-.]+$', ['a-b.c'], ['a b']],
  ["^\\'\\_\\-x$", ["'_-x"], ['x']],
  ['^[[]$', ['['], ['x']],
  ['^[^]$', ['x', '\n'], ['']],
  ['^\\p{Lu}$', ['Ä'], ['ä']],
];
const unread: readonly string[] = [
  ...['^\\h+$', '^\\R$', '^\\Qa.b\\E$', '^\\G', '^\\K', '^\\X$', '^\\H', '^a(?i)b$', '(?x) a b', '^a{,5}$'],
  ...[
    '^[a-z&&[^b]]$',
    '^[a[b]]$',
    '^[[=a=]]$',
    '^[[.a.]]$',
    '^[[:^alpha:]]$',
    '^[[:wide:]]$',
    '^(?|a|b)$',
    '^(?R)$',
    '^(?!a++b)',
    '(',
    '[a',
  ],
];

describe('a pattern of a schema', () => {
  it.each(read)('%s is read as it is meant', (pattern, fits, fails) => {
    const found = readPattern(pattern);
    expect(fits.map((text) => found?.test(text))).toEqual(fits.map(() => true));
    expect(fails.map((text) => found?.test(text))).toEqual(fails.map(() => false));
  });
  it.each(unread)('%s is not read where it may mean something else', (pattern) => {
    expect(readPattern(pattern)).toBeUndefined();
  });
});
