import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut } from '../../../scenarios/fixtures/foreign-texts.ts';
import { createEventReader } from './event-stream.ts';

type Found = readonly [what: string, ...unknown[]];
function read(chunks: readonly Buffer[], limit?: number): Found[] {
  const found: Found[] = [];
  const reader = createEventReader(
    {
      event: (...said) => found.push(['event', ...said]),
      overlong: (...said) => found.push(['overlong', ...said]),
      id: (id) => found.push(['id', id]),
      retry: (ms) => found.push(['retry', ms]),
    },
    limit,
  );
  for (const chunk of chunks) reader.push(chunk);
  return found;
}
const readText = (text: string, limit?: number): Found[] => read([Buffer.from(text)], limit);
const piece = fc.constantFrom(
  'data',
  'data:',
  'data: ',
  'event: x',
  'id: 7',
  'retry: 5',
  ': said to nobody',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  'é€😀',
  '{"a":1}',
);

describe('an event stream', () => {
  it('tells the same of any bytes however they are cut, and under any limit', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 60 }),
        (pieces, at, limit) => {
          const bytes = Buffer.from(pieces.join(''));
          expect(read(cut(bytes, at), limit)).toEqual(read([bytes], limit));
          expect(read(cut(bytes, at))).toEqual(read([bytes]));
        },
      ),
    );
  });

  it('tells the same whatever ends its lines', () => {
    const lines = ['id: 1', 'event: hello', 'data: one', 'data: two', '', 'data: three', ''];
    const expected = [
      ['id', '1'],
      ['event', 'hello', 'one\ntwo', 7],
      ['event', 'message', 'three', 5],
    ];
    for (const end of ['\n', '\r\n'])
      expect(readText(lines.map((line) => line + end).join(''))).toEqual(expected);
  });

  it('drops what no empty line finished, and comments, and fields that it does not know', () => {
    expect(readText(': keep-alive\n\nunknown: 1\ndata\n\ndata: half')).toEqual([]);
  });

  it('names a place to go on from even without data, but none with a NUL', () => {
    expect(readText('id: 5\ndata:\n\nid: \0\ndata: x\n\n')).toEqual([
      ['id', '5'],
      ['event', 'message', 'x', 1],
    ]);
  });

  it('says how long to wait, if that is a number', () => {
    expect(readText('retry: 250\nretry: soon\n\n')).toEqual([['retry', 250]]);
  });

  it('keeps of data over the limit only the ends, on one line or on many', () => {
    const long = 'x'.repeat(10_000);
    const [what, head, tail, bytes] = readText(`data: {"id":1,"${long}"}\n\n`, 1_000)[0] ?? [];
    expect(what).toBe('overlong');
    expect(String(head).trimStart().startsWith('{"id":1,')).toBe(true);
    expect(String(head).length + String(tail).length).toBeLessThanOrEqual(8_192);
    expect(String(tail).endsWith('"}')).toBe(true);
    expect(bytes).toBeGreaterThan(10_000);
    const many = readText(`${`data: ${'y'.repeat(400)}\n`.repeat(5)}\ndata: next\n\n`, 1_000);
    expect(many.map(([each]) => each)).toEqual(['overlong', 'event']);
    expect(readText(`${'data:\n'.repeat(2_000)}\n`, 1_000).map(([each]) => each)).toEqual(['overlong']);
  });
});
