import { describe, expect, it } from 'vitest';
import { readBase64 } from './text.ts';

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
