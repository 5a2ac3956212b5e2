import { describe, expect, it } from 'vitest';
import { mostCharacters, textOf, toResponse } from './present.ts';

const text = (said: string) => ({ type: 'text', text: said });
const content = [
  text('a'),
  text('b'),
  { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4096) },
  { type: 'resource', resource: { uri: 'file:///t', mimeType: 'text/plain', text: 'in it' } },
  { type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/pdf', blob: 'AAAA' } },
  { type: 'unheard', x: 1 },
];
const told = (result: unknown, most?: number): string => textOf(toResponse('c', { result }), most);
const failed = (message: string, ...items: readonly object[]): string =>
  textOf(
    toResponse('c', { outcome: 'failed', result: { isError: true, content: items }, failure: { message } }),
  );

describe('a result as text for a model', () => {
  it('has its texts, and placeholders for the rest, with blank lines in between', () => {
    expect(told({ content }).split('\n\n')).toEqual([
      'a',
      'b',
      '[image image/png, 3 KiB]',
      '[resource file:///t]\nin it',
      '[resource file:///b application/pdf, 3 bytes]',
      '{"type":"unheard","x":1}',
    ]);
  });

  it('has placeholders for sounds and links, too', () => {
    const items = [
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///l', name: 'l', description: 'a link' },
    ];
    expect(told({ content: items })).toBe('[audio audio/wav, 3 bytes]\n\n[link file:///l] l a link');
  });

  it.each([
    [[text('no'), text('because')], 'Error: no\n\nbecause'],
    [[{ type: 'image', mimeType: 'image/png' }, text('no')], 'Error: [image image/png]\n\nno'],
    [[text('Error: said already')], 'Error: said already'],
    [[{ type: 'image', mimeType: 'image/png' }], 'Error: boom\n\n[image image/png]'],
    [[text('')], 'Error: boom'],
    [
      [{ type: 'resource', resource: { uri: 'x:y', blob: 'AAAA' } }],
      'Error: boom\n\n[resource x:y, 3 bytes]',
    ],
    [[{ type: 'resource', resource: { uri: 'x:y', text: 'said' } }], 'Error: [resource x:y]\nsaid'],
  ])('has all of an error, and the reason of the failure where that has no words: %j', (items, said) => {
    expect(failed('boom', ...items)).toBe(said);
  });

  it('is a text as it is, and nothing of nothing', () => {
    const results = [{ content: 'str' }, 'str', { content: [] }, null];
    expect(results.map((each) => told(each))).toEqual(['str', 'str', '', '']);
  });

  it('is the structured content where there is no other', () => {
    expect(told({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
  });

  it('is the beginning of 40 MiB, and says how much there was', () => {
    const shown = told({ content: [text('x'.repeat(40 * 1024 * 1024))] });
    expect(shown.length).toBeLessThan(mostCharacters + 100);
    expect(shown.endsWith(`\n\n[cut: ${mostCharacters} of 41943040 characters shown]`)).toBe(true);
  });

  it('is cut behind whole characters, as long as a host wants', () => {
    const items = ['ab', '👍👍', 'z'].map(text);
    expect(told({ content: items }, 5)).toBe('ab\n\n\n\n[cut: 4 of 11 characters shown]');
    expect(told({ content: items }, 7)).toBe('ab\n\n👍\n\n[cut: 6 of 11 characters shown]');
    expect(told({ content: items }, 11)).toBe('ab\n\n👍👍\n\nz');
  });
});

describe('the response to a call', () => {
  it('has the id of the call and all that came, whether it succeeded or not', () => {
    for (const isError of [false, true]) {
      const outcome = isError ? 'failed' : 'succeeded';
      const response = { toolCallId: 'c1', content, isError };
      expect(toResponse('c1', { outcome, result: { content, isError }, failure: null })).toEqual(response);
    }
  });

  it('says why a call never came to a result', () => {
    const failure = { message: 'Server x is down' };
    const response = { toolCallId: 'c', content: [text(failure.message)], isError: true };
    expect(toResponse('c', { outcome: 'failed', result: null, failure })).toEqual(response);
  });

  it('warns a model of a call that may have taken effect, whatever came of it', () => {
    const notice = 'It is not known whether the call took effect: look before you try it again.';
    const ended = (result: unknown): string =>
      textOf(toResponse('c', { outcome: 'unknown', result, failure: { message: 'No answer' } }));
    expect(ended(null)).toBe(`Error: No answer\n\n${notice}`);
    // An agent receives the words of the computer as the result of the call.
    const content = [text('Execution timed out')];
    expect(ended({ isError: true, content })).toBe(`Error: ${notice}\n\nExecution timed out`);
    expect(ended('Execution timed out')).toBe(`Error: ${notice}\n\nExecution timed out`);
  });

  it('warns a model once, where the words of the failure do it themselves', () => {
    for (const message of [
      'No answer; whether it took effect is unknown',
      'Lost; whether the call took effect is unknown',
    ]) {
      const failure = { message };
      for (const result of [null, { content: [text(message)] }])
        expect(textOf(toResponse('c', { outcome: 'unknown', result, failure }))).toBe(`Error: ${message}`);
    }
  });

  it('is text whatever a server says', () => {
    for (const result of [7, true, {}, { content: [null, 7, 'bare', [1]] }, { content: {} }, []])
      expect(typeof told(result)).toBe('string');
    expect(told({ content: ['bare', 7] })).toBe('bare\n\n7');
  });
});
