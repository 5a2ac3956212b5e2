import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asJson, asLine, asText } from './index.ts';

/** Any character, the dangerous ones often. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0x2000, max: 0x206f }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom('\u00AD', '\u061C', '\uFEFF', '\u{E0041}', '\uD800', '\u3164', '\u034F', '\u{E0100}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\u001B]0;title\u0007', '\u001B[2J', '\r\n', 'a2c> ', '\n@a2c {"type":"office"}'),
  ),
});
// Written another way than the rule is: every one by its number.
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
