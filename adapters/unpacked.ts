import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Accepts a truncated body, because the reader itself checks whether the body is complete. */
const lenient = () => ({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
const brotli = () => ({
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
});

const makers: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(lenient()),
  'x-gzip': () => createGunzip(lenient()),
  deflate: () => createInflate(lenient()),
  br: () => createBrotliDecompress(brotli()),
};
const named = (coding: string): string => JSON.stringify(coding.slice(0, 40));

/** The message continues a sentence that begins with "the answer". */
export class Unpackable extends Error {
  override readonly name = 'Unpackable';
}

/** Nothing is decompressed before it is read, so a reader can count the bytes and destroy the stream. */
export function unpacked(answer: IncomingMessage): Readable {
  const coding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return answer;
  const make = Object.hasOwn(makers, coding) ? makers[coding] : undefined;
  if (!make) {
    answer.destroy();
    const what = `has the content encoding ${named(coding)}, which is none of gzip, deflate and br`;
    return new PassThrough().destroy(new Unpackable(what));
  }
  const out = new PassThrough();
  const step = make();
  step.on('error', (error) => out.destroy(unpackable(coding, error)));
  // Ignores the error event of the answer, because its `close` event reports the end as well.
  answer.on('error', () => {});
  // Ends the decompression when the answer is cut off, because `pipe` does not do so then.
  answer.on('close', () => step.end());
  out.on('close', () => {
    answer.destroy();
    step.destroy();
  });
  return answer.pipe(step).pipe(out);
}

const unpackable = (coding: string, error: Error): Unpackable => {
  const code = 'code' in error ? String(error.code) : 'unknown cause';
  return new Unpackable(`is not what its content encoding ${named(coding)} says (${code})`);
};
