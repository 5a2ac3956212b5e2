import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AskChunk, fillHandles, hasHandles } from './blob-fetch.ts';

const bytes = Buffer.from(Uint8Array.from({ length: 1000 }, (_, i) => i % 251));
const sha256 = createHash('sha256').update(bytes).digest('hex');
const image = (meta: object = {}): object => ({
  type: 'image',
  mimeType: 'image/png',
  data: '',
  _meta: { a2c_blob_handle: 'h', a2c_total_size: 1000, a2c_sha256: sha256, ...meta },
});
/** Answers requests for chunks with at most `size` bytes; `wrong` overwrites fields of the answer. */
const chunked =
  (size: number, wrong: object = {}): AskChunk =>
  (handle, offset, onAnswer) => {
    const chunk = bytes.subarray(offset, offset + size);
    onAnswer({
      blob_handle: handle,
      chunk_offset: offset,
      total_size: bytes.length,
      eof: offset + chunk.length === bytes.length,
      blob: chunk.toString('base64'),
      ...wrong,
    });
  };
function fill(content: readonly unknown[], ask: AskChunk): unknown {
  const result = { content, isError: false };
  let told: unknown;
  if (hasHandles(result)) fillHandles(result, ask, (whole) => (told = whole));
  return told;
}

describe('a result with handles', () => {
  it.each([1000, 999, 300, 10])('is filled from chunks of %i bytes', (size) => {
    const text = { type: 'text', text: 'before' };
    expect(fill([text, image(), image({ theirs: 1 })], chunked(size))).toEqual({
      isError: false,
      content: [
        text,
        { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') },
        { type: 'image', mimeType: 'image/png', data: bytes.toString('base64'), _meta: { theirs: 1 } },
      ],
    });
  });
  it('is filled in an embedded resource', () => {
    const resource = { uri: 'file:///x', mimeType: 'a/b', blob: '' };
    const item = { type: 'resource', resource, _meta: { a2c_blob_handle: 'h' } };
    expect(fill([item], chunked(400))).toMatchObject({
      content: [{ type: 'resource', resource: { uri: 'file:///x', blob: bytes.toString('base64') } }],
    });
  });
  it.each([
    ['the computer says no', () => ({ code: 4018, message: 'Blob expired' }), 'Blob expired'],
    ['the answer is empty', () => undefined, 'does not know the event'],
    ['the answer is no chunk', () => ({}), 'another part'],
    ['it is another part', () => ({ chunk_offset: 5, blob: 'AAAA', eof: true }), 'another part'],
    ['a part is empty', () => ({ chunk_offset: 0, blob: '', eof: false }), 'too small'],
    ['it is not what the sha256 says', () => ({ chunk_offset: 0, blob: 'AAAA', eof: true }), 'sha256'],
    ['it is too large', () => ({ chunk_offset: 0, blob: 'AAAA', total_size: 1e9 }), 'more than'],
  ])('has a sentence in its place where %s', (_, answer, why) => {
    const told = fill([image()], (_handle, _offset, onAnswer) => onAnswer(answer())) as {
      content: { type: string; text: string }[];
    };
    expect(told.content).toHaveLength(1);
    expect(told.content[0]?.type).toBe('text');
    expect(told.content[0]?.text).toContain('image/png of 1000 bytes');
    expect(told.content[0]?.text).toContain(why);
  });
  it('asks a bounded number of times, however small the parts are', () => {
    let asked = 0;
    fill([image()], (handle, offset, onAnswer) => {
      asked++;
      chunked(1)(handle, offset, onAnswer);
    });
    expect(asked).toBe(256);
  });
  it.each([[null], ['text'], [{}], [{ content: 'x' }], [{ content: [null, 1, { _meta: null }] }]])(
    'is not found in %j',
    (result) => {
      expect(hasHandles(result)).toBe(false);
    },
  );
});
