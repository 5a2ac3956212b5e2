import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merged, replacedIn, SecretIndex } from './secret-index.ts';

const hidden = (text: string, ...secrets: readonly string[]): string =>
  replacedIn(text, new SecretIndex(secrets).spansIn(text), () => '***');

describe('a secret in a text', () => {
  it.each([
    ['a long one inside a word', 'xhunter22x', ['hunter22'], 'x***x'],
    ['a short one that is no word, anywhere', 'xab1x', ['ab1'], 'x***x'],
    ['a word that stands alone', 'dev=dev; develop', ['dev'], '***=***; develop'],
    ['a word beside digits and signs', 'dev1 _dev_ (dev)', ['dev'], '***1 _***_ (***)'],
    ['a number that stands alone', 'pin1234, port 31234', ['1234'], 'pin***, port 31234'],
    ['one character as a whole text', 'x', ['x'], '***'],
    [
      'one or two characters in the words of another',
      'x: no must be on',
      ['x', 'no', 'on'],
      'x: no must be on',
    ],
    ['a sign', 'a#b', ['#'], 'a#b'],
    ['two that overlap', 'abcdefgh', ['abcdef', 'cdefgh'], '***'],
    [
      'one in JSON within JSON',
      JSON.stringify({ t: '{"p":"a\\"b\\\\c"}' }),
      ['a"b\\c'],
      '{"t":"{\\"p\\":\\"***\\"}"}',
    ],
    ['one in JSON', JSON.stringify({ p: 'a"b\\c' }), ['a"b\\c'], '{"p":"***"}'],
    ['one in a URL', 'https://h/?p=a%2Fb%20c', ['a/b c'], 'https://h/?p=***'],
    ['one in a URL in small letters', 'p=a%2fb', ['a/b'], 'p=***'],
    ['one in a form', 'p=a%2Fb+c', ['a/b c'], 'p=***'],
    ['nothing to look for', 'a  b', ['', ' '], 'a  b'],
  ] as const)('is found as it should be: %s', (_, text, secrets, shown) => {
    expect(hidden(text, ...secrets)).toBe(shown);
  });

  it('is hidden from three characters on wherever it is told between other words', () => {
    const secret = fc.string({ minLength: 3, maxLength: 12 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(secret, fc.constantFrom(' ', '=', '"', '\n', ': '), (text, beside) => {
        const told = `the key${beside}${text}${beside}was refused`;
        // A very short secret also hides other places of the text that contain the same letter.
        expect(hidden(told, text).split('***').length).toBeGreaterThan(1);
        expect(hidden(told, text)).not.toContain(`${beside}${text}${beside}`);
      }),
    );
  });

  it('is found beside any others, as it is alone', () => {
    const secret = fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom('a', 'b', '1', '-', 'é') });
    fc.assert(
      fc.property(
        fc.array(secret, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', 'é') }),
        (all, text) => {
          const together = new SecretIndex(all).spansIn(text);
          const alone = all.flatMap((one) => [...new SecretIndex([one]).spansIn(text)]);
          expect(merged(together)).toEqual(merged(alone));
        },
      ),
    );
  });
});
