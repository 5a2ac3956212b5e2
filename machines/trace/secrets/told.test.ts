import { describe, expect, it } from 'vitest';
import { SecretRedactor } from './redaction.ts';
import { SecretIndex } from './secret-index.ts';

describe('what a server says about itself', () => {
  const of = (...secrets: readonly string[]): SecretRedactor =>
    new SecretRedactor({ secrets: new SecretIndex(secrets) });
  it.each([
    ['as it is', 'bad key hunter22!', 'bad key ***!'],
    ['as the base64 of a pair', `Authorization: Basic ${btoa('bob:hunter22')}`, 'Authorization: Basic ***'],
    ['as base64 alone', `data: ${btoa('hunter22')}`, 'data: ***'],
    ['inside of longer base64', `data: ${btoa('{"a":"hunter22"}')}`, 'data: ***'],
    ['cut at its end', 'the key is hunter2', 'the key is ***'],
    ['cut at its beginning', 'unter22 is the key', '*** is the key'],
    [
      'in a URL that has a login of its own',
      'cannot reach pg://u:pw-of-it@db/x',
      'cannot reach pg://u:***@db/x',
    ],
    ['not at all', 'connected to the server, 64 bytes', 'connected to the server, 64 bytes'],
    [
      'by its name alone',
      'missing secret: API_TOKEN, token: expired',
      'missing secret: API_TOKEN, token: expired',
    ],
    ['under a name', 'api_key: x7Yq9-zzz', 'api_key: ***'],
  ])('a secret that stands there %s is hidden', (_, text, shown) => {
    expect(of('hunter22').text(text)).toBe(shown);
  });

  it('long ones are hidden in base64, too', () => {
    const long = Array.from({ length: 200 }, (_, n) => `part-${n}`).join('/');
    expect(of(long).text(`Basic ${btoa(`bob:${long}`)}`)).toBe('Basic ***');
  });

  it('short ones are hidden in base64, too', () => {
    expect(of('ab1').text(`Basic ${btoa('bob:ab1')}`)).toBe('Basic ***');
  });

  it('of JSON texts, numbers and names of fields are looked at; what is named so is hidden anyway', () => {
    const told = { text: 'x ab1', ab1: 1, pin: 1234, token: 'anything', server_name: 'fs', code: 1 };
    const redactor = of('ab1', '1234', 'name', '1');
    expect(redactor.value(told)).toEqual({
      ...{ text: 'x ***', '***': 1, pin: '***', token: '***', server_name: 'fs', code: 1 },
    });
    expect(redactor.details({ token: 'anything', data: ['ab1'] })).toEqual({
      token: 'anything',
      data: ['***'],
    });
  });

  it.each(['YWIx', 'YWIxx', 'aGVsbG8-', 'ab1', 'hunter', 'aHVudGVyMj'])(
    'goes through 4 MiB of %j and does not look twice',
    (piece) => {
      const shown = of('ab1', 'hunter22', 'h'.repeat(100)).text(piece.repeat((4 << 20) / piece.length));
      expect(shown.length).toBeGreaterThan(0);
    },
  );
});
