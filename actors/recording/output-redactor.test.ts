import { describe, expect, it } from 'vitest';
import { OutputRedactor } from './output-redactor.ts';

const of = (...secrets: readonly string[]): OutputRedactor => new OutputRedactor(() => secrets);

describe('what a server says about itself', () => {
  it.each([
    ['as it is', 'bad key hunter22!', 'bad key ***!'],
    ['as the base64 of a pair', `Authorization: Basic ${btoa('bob:hunter22')}`, 'Authorization: Basic ***'],
    ['as base64 alone', `data: ${btoa('hunter22')}`, 'data: ***'],
    ['cut at its end', 'the key is hunter2', 'the key is ***'],
    ['cut at its beginning', 'unter22 is the key', '*** is the key'],
    ['not at all', 'connected to the server, 64 bytes', 'connected to the server, 64 bytes'],
  ])('a secret that stands there %s is hidden', (_, text, shown) => {
    expect(of('hunter22').text(text)).toBe(shown);
  });

  it('short ones are hidden in base64, too', () => {
    expect(of('ab1').text(`Basic ${btoa('bob:ab1')}`)).toBe('Basic ***');
  });

  it('of JSON texts, numbers and names of fields are looked at; what is named so is hidden anyway', () => {
    const told = { text: 'x ab1', ab1: 1, pin: 1234, token: 'anything', server_name: 'fs', code: 1 };
    expect(of('ab1', '1234', 'name', '1').value(told)).toEqual({
      ...{ text: 'x ***', '***': 1, pin: '***', token: '***', server_name: 'fs', code: 1 },
    });
  });

  it('of a failure its sentence, its details and its remedy are looked at, and its code stays', () => {
    const failure = { code: 404 as const, message: 'no ab1', details: { data: ['ab1'] }, remedy: 'not ab1' };
    expect(of('ab1', '404').failure(failure)).toEqual({
      ...{ code: 404, message: 'no ***', details: { data: ['***'] }, remedy: 'not ***' },
    });
  });
});
