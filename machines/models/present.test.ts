import { describe, expect, it } from 'vitest';
import { mostCharacters, textOf, toResponse } from './present.ts';

const content = [
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
  { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4096) },
  { type: 'resource', resource: { uri: 'file:///t', mimeType: 'text/plain', text: 'in it' } },
  { type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/pdf', blob: 'AAAA' } },
  { type: 'unheard', x: 1 },
];
const told = (result: unknown, most?: number): string =>
  textOf(toResponse('c', { outcome: 'succeeded', result, failure: null }), most);

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

  it('has all of an error', () => {
    const failed = (items: object[]) =>
      textOf(
        toResponse('c', { outcome: 'failed', result: { isError: true, content: items }, failure: null }),
      );
    expect(
      failed([
        { type: 'text', text: 'no' },
        { type: 'text', text: 'because' },
      ]),
    ).toBe('Error: no\n\nbecause');
    expect(
      failed([
        { type: 'image', mimeType: 'image/png' },
        { type: 'text', text: 'no' },
      ]),
    ).toBe('Error: [image image/png]\n\nno');
    expect(failed([{ type: 'text', text: 'Error: said already' }])).toBe('Error: said already');
  });

  it('has the reason in words for an error that is an image alone', () => {
    const result = { isError: true, content: [{ type: 'image', mimeType: 'image/png' }] };
    const response = toResponse('c', { outcome: 'failed', result, failure: { message: 'The tool failed' } });
    expect(textOf(response)).toBe('Error: The tool failed\n\n[image image/png]');
  });

  it('is a text as it is, and nothing of nothing', () => {
    expect([told({ content: 'str' }), told('str'), told({ content: [] }), told(null)]).toEqual([
      'str',
      'str',
      '',
      '',
    ]);
  });

  it('is the structured content where there is no other', () => {
    expect(told({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
  });

  it('is the beginning of 40 MiB, and says how much there was', () => {
    const text = told({ content: [{ type: 'text', text: 'x'.repeat(40 * 1024 * 1024) }] });
    expect(text.length).toBeLessThan(mostCharacters + 100);
    expect(text.endsWith(`\n\n[cut: ${mostCharacters} of 41943040 characters shown]`)).toBe(true);
  });

  it('is cut behind whole characters, as long as a host wants', () => {
    const items = [
      { type: 'text', text: 'ab' },
      { type: 'text', text: '👍👍' },
      { type: 'text', text: 'z' },
    ];
    expect(told({ content: items }, 5)).toBe('ab\n\n\n\n[cut: 4 of 11 characters shown]');
    expect(told({ content: items }, 7)).toBe('ab\n\n👍\n\n[cut: 6 of 11 characters shown]');
    expect(told({ content: items }, 11)).toBe('ab\n\n👍👍\n\nz');
  });
});

describe('the response to a call', () => {
  it('has the id of the call and all that came, whether it succeeded or not', () => {
    expect(toResponse('c1', { outcome: 'succeeded', result: { content }, failure: null })).toEqual({
      toolCallId: 'c1',
      content,
      isError: false,
    });
    expect(
      toResponse('c2', { outcome: 'failed', result: { content, isError: true }, failure: null }),
    ).toEqual({
      toolCallId: 'c2',
      content,
      isError: true,
    });
  });

  it('says why a call never came to a result', () => {
    expect(
      toResponse('c', { outcome: 'failed', result: null, failure: { message: 'Server x is down' } }),
    ).toEqual({
      toolCallId: 'c',
      content: [{ type: 'text', text: 'Server x is down' }],
      isError: true,
    });
  });

  it('warns a model of a call that may have taken effect, whatever came of it', () => {
    const notice = 'It is not known whether the call took effect: look before you try it again.';
    const ended = (result: unknown): string =>
      textOf(toResponse('c', { outcome: 'unknown', result, failure: { message: 'No answer' } }));
    expect(ended(null)).toBe(`Error: No answer\n\n${notice}`);
    // An agent receives the words of the computer as the result of the call.
    const content = [{ type: 'text', text: 'Execution timed out' }];
    expect(ended({ isError: true, content })).toBe(`Error: ${notice}\n\nExecution timed out`);
    expect(ended('Execution timed out')).toBe(`Error: ${notice}\n\nExecution timed out`);
  });

  it('warns a model once, where the words of the failure do it themselves', () => {
    for (const message of [
      'No answer; whether it took effect is unknown',
      'Lost; whether the call took effect is unknown',
    ]) {
      const failure = { message };
      const content = [{ type: 'text', text: message }];
      expect(textOf(toResponse('c', { outcome: 'unknown', result: null, failure }))).toBe(
        `Error: ${message}`,
      );
      expect(textOf(toResponse('c', { outcome: 'unknown', result: { content }, failure }))).toBe(
        `Error: ${message}`,
      );
    }
  });

  it('says why a call failed where its result has no words: an empty text and bytes are none', () => {
    const told = (item: object): string =>
      textOf(
        toResponse('c', {
          outcome: 'failed',
          result: { isError: true, content: [item] },
          failure: { message: 'boom' },
        }),
      );
    expect(told({ type: 'text', text: '' })).toBe('Error: boom');
    expect(told({ type: 'resource', resource: { uri: 'x:y', blob: 'AAAA' } })).toBe(
      'Error: boom\n\n[resource x:y, 3 bytes]',
    );
    expect(told({ type: 'resource', resource: { uri: 'x:y', text: 'said' } })).toBe(
      'Error: [resource x:y]\nsaid',
    );
  });

  it('is text whatever a server says', () => {
    for (const result of [7, true, {}, { content: [null, 7, 'bare', [1]] }, { content: {} }, []])
      expect(typeof told(result)).toBe('string');
    expect(told({ content: ['bare', 7] })).toBe('bare\n\n7');
  });
});

describe('the random id of a call', () => {
  const id = crypto.randomUUID();
  const shown = (message: string, result: unknown): string =>
    textOf(toResponse('c', { outcome: 'failed', result, failure: { message } }));
  it.each([
    [`Call '${id}' was cancelled: enough`, 'Error: The call was cancelled: enough'],
    [
      `Tool 'x' was not sent within 5 ms (call '${id}'): late`,
      "Error: Tool 'x' was not sent within 5 ms: late",
    ],
  ])('is not shown to a model: %s', (message, told) => {
    expect(shown(message, null)).toBe(told);
    expect(shown(message, { isError: true, content: [{ type: 'text', text: message }] })).toBe(told);
  });
  it('stays in what a tool says', () => {
    const text = `Error: Call '${id}' is on hold`;
    expect(shown('another', { isError: true, content: [{ type: 'text', text }] })).toBe(text);
  });
});
