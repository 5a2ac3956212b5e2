import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFramer, Inbox } from './framing.ts';
import { cut, foreignTexts } from '../../../scenarios/fixtures/foreign-texts.ts';

type Line =
  | { readonly message: unknown; readonly bytes: number }
  | { readonly garbage: string; readonly bytes: number }
  | { readonly head: string; readonly tail: string; readonly bytes: number };

function frames(chunks: readonly Buffer[], limit?: number): Line[] {
  const lines: Line[] = [];
  const framer = createFramer(
    {
      message: (message, bytes) => lines.push({ message, bytes }),
      garbage: (garbage, bytes) => lines.push({ garbage, bytes }),
      overlong: (head, tail, bytes) => lines.push({ head, tail, bytes }),
    },
    limit,
  );
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return lines;
}
const message = fc.oneof(
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
  fc.array(fc.jsonValue()),
);
const places = fc.array(fc.nat(), { maxLength: 30 });

describe('framing', () => {
  it('finds the same messages however the bytes are cut, and whatever ends a line', () => {
    fc.assert(
      fc.property(fc.array(message), fc.constantFrom('\n', '\r\n'), places, (messages, lineEnd, at) => {
        const texts = messages.map((each) => JSON.stringify(each));
        const bytes = Buffer.from(texts.map((text) => text + lineEnd).join(''));
        const expected = texts.map((text) => ({ message: JSON.parse(text), bytes: Buffer.byteLength(text) }));
        expect(frames(cut(bytes, at))).toEqual(expected);
      }),
    );
  });

  it('tells the same of any bytes however they are cut', () => {
    const anything = fc.array(fc.oneof(fc.constantFrom('\n', '\r', '{}', '"', 'é€😀'), fc.string()));
    fc.assert(
      fc.property(anything, places, fc.integer({ min: 1, max: 40 }), (texts, at, limit) => {
        const bytes = Buffer.from(texts.join(''));
        expect(frames(cut(bytes, at), limit)).toEqual(frames([bytes], limit));
      }),
    );
  });

  it('passes over empty lines, and over no other', () => {
    expect(frames([Buffer.from('\n\r\n{}\nhello\n42\nnull\n{"a":\n')])).toEqual([
      { message: {}, bytes: 2 },
      { garbage: 'hello', bytes: 5 },
      { garbage: '42', bytes: 2 },
      { garbage: 'null', bytes: 4 },
      { garbage: '{"a":', bytes: 5 },
    ]);
  });

  it.each([
    ['before the first message', '\uFEFF{"a":1}\n{"b":2}\n'],
    ['before each message', '\uFEFF{"a":1}\n\uFEFF{"b":2}\n'],
    ['on a line of its own', '\uFEFF\n{"a":1}\r\n\uFEFF\r\n{"b":2}\n'],
  ])('passes over a byte order mark %s', (_where, text) => {
    const lines = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    expect(frames(lines)).toMatchObject([{ message: { a: 1 } }, { message: { b: 2 } }]);
    expect(frames([Buffer.from(text)])).toMatchObject([{ message: { a: 1 } }, { message: { b: 2 } }]);
  });

  it('takes what stands after the last line break when the stream ends', () => {
    expect(frames([Buffer.from('{"a":1}\n{"b":2}')])).toMatchObject([
      { message: { a: 1 } },
      { message: { b: 2 } },
    ]);
  });

  it('keeps of a line over the limit its ends and its length, and reads on', () => {
    const long = `{"id":1,"text":"${'x'.repeat(200_000)}","last":2}`;
    const chunks = cut(Buffer.from(`{}\n${long}\n{}\n`), [70_000, 140_000]);
    const lines = frames(chunks, 1_000);
    expect(lines).toEqual([
      { message: {}, bytes: 2 },
      { head: long.slice(0, 4096), tail: long.slice(-4096), bytes: long.length },
      { message: {}, bytes: 2 },
    ]);
  });

  it('takes a line of exactly the limit', () => {
    expect(frames([Buffer.from('{"a":1}\n')], 7)).toEqual([{ message: { a: 1 }, bytes: 7 }]);
    expect(frames([Buffer.from('{"a":1}\n')], 6)).toMatchObject([{ bytes: 7, head: '{"a":1}' }]);
  });
});

it('a line is read with a picture of 6.4 MB, whose base64 has 16 digits in a row', () => {
  const data = foreignTexts['base64']?.(8_500_000);
  const delivered: unknown[] = [];
  const inbox = new Inbox({ resultBytes: 1e8, notice: () => {} }, (message) => delivered.push(message));
  createFramer(inbox).push(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { data } })}\n`));
  expect(delivered).toMatchObject([{ id: 1, result: { data } }]);
});
