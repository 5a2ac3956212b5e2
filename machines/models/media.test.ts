import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai, openaiResponses } from './openai.ts';
import { toResponse } from './present.ts';
import type { ResultOptions } from './format.ts';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const ofText = (text: string): string => Buffer.from(text).toString('base64');
const picture = { type: 'image', mimeType: 'image/png', data: base64(png) };
const sound = { type: 'audio', mimeType: 'audio/x-wav', data: ofText('RIFF\0\0\0\0WAVEfmt ') };
const pdf = {
  type: 'resource',
  resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: ofText('%PDF-1.7 hello') },
};
const text = (said: string) => ({ type: 'text', text: said });
const all = [text('before'), picture, text('after'), sound, pdf];
const response = (content: readonly object[], isError = false) =>
  toResponse('c1', { outcome: isError ? 'failed' : 'succeeded', result: { content, isError } });
const use = { type: 'tool_use', id: 'c1', name: 't' } as const;
const blocksFor = (content: readonly object[], options?: ResultOptions, isError = false) =>
  anthropic.toResult(use, response(content, isError), options).content;
/** Note of an image that Anthropic does not get. */
const noteOf = (item: object, options?: ResultOptions) => blocksFor([item], options);

describe('images, sounds and documents of a result', () => {
  it('stand in their places for Anthropic, as far as it takes them', () => {
    expect(blocksFor(all)).toEqual([
      { type: 'text', text: 'before' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture.data } },
      { type: 'text', text: 'after\n\n[audio audio/x-wav, 16 bytes: left out, not taken by this model]' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf.resource.blob },
      },
    ]);
  });

  it('stand in the output of a call for the Responses API', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 't', arguments: '{}' } as const;
    const file_data = `data:application/pdf;base64,${pdf.resource.blob}`;
    const output = [
      { type: 'input_image', image_url: `data:image/png;base64,${picture.data}`, detail: 'auto' },
      { type: 'input_file', filename: 'document-1.pdf', file_data },
    ];
    expect(openaiResponses.toMessages([{ call, response: response([picture, pdf]) }])).toEqual([
      { type: 'function_call_output', call_id: 'c1', output },
    ]);
  });

  it('stand in a message of their own for Chat Completions, behind all results', () => {
    const results = ['c1', 'c2'].map((id) => ({
      call: { id, function: { name: 't' } },
      response: toResponse(id, { result: { content: [picture] } }),
    }));
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.data}` } };
    const [one, two] = [1, 2].map((n) => `[image image/png, 12 bytes: image ${n} behind the results]`);
    expect(openai.toMessages(results)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: one },
      { role: 'tool', tool_call_id: 'c2', content: two },
      { role: 'user', content: [text('image 1:'), image, text('image 2:'), image] },
    ]);
    const [call] = results;
    const everything = [{ call: call?.call ?? { function: { name: 't' } }, response: response(all) }];
    const [, media] = openai.toMessages(everything, { media: ['audio', 'document'] });
    expect(media).toMatchObject({
      content: [
        { text: 'audio 1:' },
        { type: 'input_audio', input_audio: { data: sound.data, format: 'wav' } },
        { text: 'document 1:' },
        { type: 'file', file: { filename: 'document-1.pdf' } },
      ],
    });
  });

  it('stand behind the results of Gemini, in the same content', () => {
    const content = gemini.toMessages([{ call: { name: 't' }, response: response(all) }]);
    expect(content).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 't', response: { output: expect.any(String) as string } } },
          { text: 'image 1:' },
          { inlineData: { mimeType: 'image/png', data: picture.data } },
          { text: 'audio 1:' },
          { inlineData: { mimeType: 'audio/wav', data: sound.data } },
          { text: 'document 1:' },
          { inlineData: { mimeType: 'application/pdf', data: pdf.resource.blob } },
        ],
      },
    ]);
  });

  it('are only named for Anthropic in an error, which has to be text', () => {
    expect(blocksFor([picture, text('no')], {}, true)).toBe(
      'Error: [image image/png, 12 bytes: left out, an error has text alone]\n\nno',
    );
  });

  it.each<[string, ResultOptions, string]>([
    ['more than may be in a turn', { mediaCount: 0 }, 'more than 0 in one turn'],
    ['too large', { mediaBytes: 11 }, 'more than 11 bytes'],
    ['too large together with others', { mediaTotalBytes: 11 }, 'more than 11 bytes in one turn'],
    ['not wanted', { media: [] }, 'not taken by this model'],
  ])('are left out and named when they are %s', (_, options, reason) => {
    expect(noteOf(picture, options)).toBe(`[image image/png, 12 bytes: left out, ${reason}]`);
  });

  it('are counted through all results of a turn', () => {
    const results = [1, 2].map(() => ({ call: use, response: response([picture]) }));
    const [message] = anthropic.toMessages(results, { mediaCount: 1 });
    expect(message?.content.map(({ content }) => typeof content)).toEqual(['object', 'string']);
  });

  it.each([
    ['no valid Base64', { ...picture, data: 'iVBORw0KGgo*' }],
    ['no valid Base64', { ...picture, data: 'iVBORw0KGgoA=AAA' }],
    ['no valid Base64', { ...picture, data: 'iVBOR' }],
    ['its bytes are of another type', { ...picture, data: ofText('<svg>') }],
    ['not taken by this model', { ...picture, mimeType: 'image/svg+xml', data: ofText('<svg>') }],
  ])('would make the provider refuse all with %s, and are left out', (reason, item) => {
    expect(noteOf(item)).toContain(`: left out, ${reason}]`);
  });

  it('have the type that their bytes show, and lose line breaks', () => {
    const data = picture.data.replace('w', 'w\r\n');
    expect(noteOf({ type: 'image', mimeType: 'image/jpeg', data })).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture.data } },
    ]);
  });

  it('do not lengthen the text beyond its limit', () => {
    const long = blocksFor([text('a'.repeat(90)), picture, text('b'.repeat(90))], { characters: 100 });
    expect(long).toMatchObject([
      { text: 'a'.repeat(90) },
      { type: 'image' },
      { text: `${'b'.repeat(10)}\n\n[cut: 10 of 90 characters shown]` },
    ]);
  });
});
