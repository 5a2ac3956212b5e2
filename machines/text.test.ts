import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asJson, asLine, asText, readBase64, unfitName } from './text.ts';

const hostile = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x2000, max: 0x206f }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom('\u00AD', '\u061C', '\uFEFF', '\u{E0041}', '\uD800', '\u3164', '\u034F', '\u{E0100}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\u001B]0;title\u0007', '\u001B[2J', '\r\n', 'a2c> ', '\n@a2c {"type":"office"}'),
  ),
});
// Pattern of all characters that must be hidden, listed by number and so independent of the tested rule.
// oxlint-disable-next-line no-control-regex
const seen = /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/;

describe('a text of strangers', () => {
  it('is one line without anything that a terminal obeys or nobody sees', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(asLine(text)).not.toMatch(seen);
        expect(asLine(asLine(text))).toBe(asLine(text));
        expect(asLine(text)).not.toMatch(/^\s*(a2c>|@a2c\b)/);
      }),
    );
  });

  it('keeps its line ends and tabs where it is shown as a text, and has no line that looks like ours', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(asText(text).replaceAll(/[\n\t]/g, '')).not.toMatch(seen);
        for (const line of asText(text).split('\n')) expect(line).not.toMatch(/^\s*(a2c>|@a2c\b)/);
      }),
    );
    expect(asText('one\r\n\ttwo\n')).toBe('one\n\ttwo\n');
  });

  it('means the same in JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), hostile, (value, text) => {
        const document = { value, [text]: text };
        const shown = asJson(JSON.stringify(document));
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(shown).not.toMatch(seen);
      }),
    );
  });

  it.each([
    ['\u001B]0;owned\u0007', '\\u001b]0;owned\\u0007'],
    ['one\rtwo\n\tthree', 'one\\rtwo\\n\\tthree'],
    ['abc\u202Efdp.exe', 'abc\\u202efdp.exe'],
    ['tag \u{E0041}', 'tag \\udb40\\udc41'],
    ['a\u200Bb\u200Dc', 'a\\u200bb\\u200dc'],
    ['a2c> quit', '\\u00612c> quit'],
    [' @a2c {"type":"office"}', ' \\u0040a2c {"type":"office"}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(asLine(text)).toBe(shown);
  });

  it.each(['naïve, 日本語, עברית, العربية', '👩‍🚀 ❤️ 👍🏽 1️⃣', 'C:\\new\\table', 'a@a2c.example', ''])(
    '%s is shown as it is',
    (text) => {
      expect(asLine(text)).toBe(text);
      expect(asText(text)).toBe(text);
    },
  );
});

describe('a name', () => {
  it.each<[what: string, name: string, says: string]>([
    ['a NUL', 'a\u0000b', 'U+0000'],
    ['a line end', 'a\nb', 'U+000A'],
    ['a tab', 'a\tb', 'U+0009'],
    ['an escape', '\u001B[2Ja', 'U+001B'],
    ['a control character of C1', 'a\u009Bb', 'U+009B'],
    ['DEL', 'a\u007F', 'U+007F'],
    ['a zero-width space', 'a\u200Bb', 'U+200B'],
    ['a zero-width joiner between letters', 'a\u200Db', 'U+200D'],
    ['a word joiner', 'a\u2060b', 'U+2060'],
    ['a byte order mark', '\uFEFFa', 'U+FEFF'],
    ['a soft hyphen', 'a\u00ADb', 'U+00AD'],
    ['a direction that is turned', 'abc\u202Efdp.exe', 'U+202E'],
    ['an isolated direction', 'a\u2066b', 'U+2066'],
    ['a mark of direction', 'a\u200F', 'U+200F'],
    ['a line separator', 'a\u2028b', 'U+2028'],
    ['a filler', 'a\u3164', 'U+3164'],
    ['a tag', 'a\u{E0041}', 'U+E0041'],
    ['half a pair', 'a\uD800', 'U+D800'],
    ['a blank at its end', 'a ', 'blank'],
    ['a blank at its beginning', ' a', 'blank'],
    ['a wide blank at its end', 'a\u3000', 'blank'],
    ['a blank that does not break', '\u00A0a', 'blank'],
    ['an empty pattern of dots', 'a\u2800', 'blank'],
    ['nothing but a blank', ' ', 'blank'],
  ])('is refused with %s', (_, name, says) => {
    expect(unfitName(name)).toContain(says);
  });

  it.each([
    ...['build 1', 'naïve', '日本語', 'עברית', 'العربية', '👩‍🚀', '❤️'],
    ...['a', 'a@a2c.example', '__proto__', 'Ünïcödé-1'],
  ])('is taken when it is %s', (name) => {
    expect(unfitName(name)).toBeUndefined();
  });
});

const bytes = Buffer.from('fbeffc0001ffab', 'hex');
const plain = bytes.toString('base64');
const read = (text: string): string | undefined => {
  const found = readBase64(text);
  return found && Buffer.from(found.data, 'base64').toString('hex');
};

describe('base64 as servers write it', () => {
  it.each([
    ['plain', plain],
    ['without padding', plain.replaceAll('=', '')],
    ['for URLs', bytes.toString('base64url')],
    ['in lines', `${plain.slice(0, 4)}\r\n${plain.slice(4)}\n`],
    ['in a data: URI', `data:image/png;base64,${plain}`],
    [
      'in a data: URI for URLs, with parameters, in capitals',
      `DATA:image/png;charset=binary;BASE64,${bytes.toString('base64url')}`,
    ],
  ])('a text in %s is read', (_, text) => {
    expect(read(text)).toBe(bytes.toString('hex'));
    expect(readBase64(text)?.data).toBe(plain);
  });

  it('tells the type of a data: URI', () => {
    expect(readBase64(`data:image/gif;base64,${plain}`)?.mimeType).toBe('image/gif');
    expect(readBase64(plain)?.mimeType).toBe('');
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['another text', '<Buffer 89 50>'],
    ['padding in the middle', 'ab=c'],
    ['one letter too many', 'abcde'],
    ['a data: URI that is no base64', 'data:text/plain,hello'],
    ['letters of other alphabets', 'абвг'],
  ])('no base64 is found in %s', (_, text) => expect(readBase64(text)).toBeUndefined());

  it('is read in 8 MB of blanks, padding or dashes without delay', () => {
    for (const text of ['=', '-', ' ', 'data:'].map((part) => part.repeat(8_000_000 / part.length)))
      expect(() => readBase64(text)).not.toThrow();
  });
});
