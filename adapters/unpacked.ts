import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const mostCodings = 4;
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
  const codings = codingsOf(answer);
  if (codings.length === 0) return answer;
  const out = new PassThrough();
  // Ignores the error event of the answer, because its `close` event reports the end as well.
  answer.on('error', () => {});
  const foreign = codings.find((coding) => !Object.hasOwn(makers, coding));
  if (foreign !== undefined || codings.length > mostCodings) {
    const what =
      foreign === undefined
        ? `is packed ${codings.length} times`
        : `has the content encoding ${named(foreign)}, which is none of gzip, deflate and br`;
    answer.destroy();
    return out.destroy(new Unpackable(what));
  }
  const steps = codings.toReversed().map((coding) => (makers[coding] as () => Transform)());
  let last: Readable = answer;
  for (const step of steps) {
    step.on('error', (error) => out.destroy(unpackable(answer, error)));
    last = last.pipe(step);
  }
  last.pipe(out);
  // Ends the decompression when the answer is cut off, because `pipe` does not do so then.
  answer.on('close', () => steps[0]?.end());
  out.on('close', () => {
    answer.destroy();
    for (const step of steps) step.destroy();
  });
  return out;
}

const codingsOf = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['content-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

const unpackable = ({ headers }: IncomingMessage, error: Error): Unpackable => {
  const code = 'code' in error ? String(error.code) : 'unknown cause';
  return new Unpackable(
    `is not what its content encoding ${named(headers['content-encoding'] ?? '')} says (${code})`,
  );
};
