import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPath, isSkipped, isBinary, sizeText, limits, patternTest } from './document-files.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('paths', () => {
  it.each([
    ['', '.'],
    ['.', '.'],
    ['./a//b/', 'a/b'],
    ['a/../b', 'b'],
    ['a/..', '.'],
    ['..a/b..', '..a/b..'],
    ['~/x', '~/x'],
  ])('%j is the path %s', (raw, path) => expect(checkPath(raw)).toEqual({ ok: true, path }));

  it.each([
    ...['..', '../a', 'a/../../b', '/etc/passwd', '//a'],
    ...['C:\\x', 'c:/x', '\\\\host\\x', 'file:///etc', 'a\0b'],
  ])('%j is refused', (raw) => expect(checkPath(raw).ok).toBe(false));

  it('never hold a step back or begin at the top once they pass', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '...'), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const checked = checkPath(parts.join('/'));
        return !checked.ok || (!checked.path.split('/').includes('..') && !checked.path.startsWith('/'));
      }),
    );
  });

  it('are left out of walks where they are hidden or bulky', () => {
    expect(['.git', '.env', 'node_modules', 'dist'].every((name) => isSkipped(name, true))).toBe(true);
    expect(isSkipped('dist', false) || isSkipped('src', true)).toBe(false);
  });
});

describe('patterns', () => {
  it.each([
    ['*.md', 'a/b.md', true],
    ['*.md', 'a.mdx', false],
    ['?.md', 'ab.md', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/b/*', 'a/b/c', true],
    ['**/b/**/d/*', 'b/d/b/x/d/e', true],
    ['./src/*', 'src/a', true],
    ['*.{ts,js}', 'a.js', true],
    ['{a,b}/{c,d}', 'b/c', true],
    ['{a}', '{a}', true],
    ['[a].md', 'a.md', false],
    ['a.b', 'axb', false],
  ])('match as meant: %s on %s is %s', (pattern, path, expected) =>
    expect(patternTest(pattern)(path)).toBe(expected),
  );

  it('agree with a plain recursive definition', () => {
    const plain = (form: string, name: string): boolean => {
      if (form === '') return name === '';
      if (form.startsWith('*'))
        return plain(form.slice(1), name) || (name !== '' && plain(form, name.slice(1)));
      return name !== '' && (form[0] === '?' || form[0] === name[0]) && plain(form.slice(1), name.slice(1));
    };
    const letters = (alphabet: string) =>
      fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: 1, maxLength: 8 });
    fc.assert(
      // Within one name `**` means the same as `*`; as a whole part of a path it has a meaning of its own.
      fc.property(
        letters('ab*?'),
        letters('ab'),
        (form, name) => patternTest(form)(name) === plain(form, name),
      ),
      { numRuns: 2000 },
    );
  });

  it('cost little when they are hostile', () => {
    expect(patternTest(`${'*a'.repeat(200)}b`)('a'.repeat(4000))).toBe(false);
    expect(patternTest(`${'**/a/'.repeat(90)}b`)(`${'a/'.repeat(1000)}c`)).toBe(false);
    expect(patternTest('{a,b}'.repeat(90))('a')).toBe(false);
  });
});

describe('text', () => {
  it('is told from other bytes', () => {
    expect(isBinary(bytes('plain ü\n\t\u001b[1m'))).toBe(false);
    expect(isBinary(new Uint8Array())).toBe(false);
    expect(isBinary(Uint8Array.of(0xff, 0xfe, 0x41, 0xc3))).toBe(false);
    expect(isBinary(bytes('a\0b'))).toBe(true);
    expect(isBinary(bytes('%PDF-1.7 all text at first'))).toBe(true);
    expect(isBinary(Uint8Array.of(1, 2, 3, 65, 66))).toBe(true);
    expect(isBinary(bytes(`${'a'.repeat(limits.sniffBytes)}\0`))).toBe(false);
  });

  it('says sizes as people do', () => {
    expect([0, 1023, 1536, 1024 ** 2, 5.25 * 1024 ** 3].map(sizeText)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.5 KiB',
      '1 MiB',
      '5.3 GiB',
    ]);
  });
});
