import type { IncomingMessage } from 'node:http';
import { PassThrough, Transform, type Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';

/** More codings over each other than anybody needs. */
const mostCodings = 4;
/** A body that is cut off gives what came of it, as it would unpacked: who reads it looks for its end. */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const makers: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(lenient),
  'x-gzip': () => createGunzip(lenient),
  deflate: () => new Deflated(),
  br: () => createBrotliDecompress(brotli),
};
const named = (coding: string): string => JSON.stringify(coding.slice(0, 40));

/** A body that cannot be unpacked, in words that follow "the answer". */
export class Unpackable extends Error {
  override readonly name = 'Unpackable';
}

/**
 * The body of an answer as it was before it was packed (`Content-Encoding`: gzip, deflate, br, also over each other). Without one it
 * is the answer itself. Fails with `Unpackable`. The reader counts what comes out, and destroys the stream when that is too much:
 * nothing is unpacked ahead of it. It ends with the answer.
 */
export function unpacked(answer: IncomingMessage): Readable {
  const codings = codingsOf(answer);
  if (codings.length === 0) return answer;
  const out = new PassThrough();
  // Told by its end.
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
  // Cut off, it has no end of its own.
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

/** `deflate` is the zlib format (RFC 9110 §8.4.1.2); some servers leave out its frame. */
class Deflated extends Transform {
  #inner: Inflate | InflateRaw | undefined;
  override _transform(chunk: Buffer, _: unknown, done: () => void): void {
    this.#inner ??= this.#made(chunk);
    this.#inner.write(chunk, done);
  }
  override _flush(done: () => void): void {
    if (this.#inner) this.#inner.once('end', done).end();
    else done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }
  #made([first = 0]: Buffer): Inflate | InflateRaw {
    const isFramed = (first & 0x0f) === 8;
    const made = isFramed ? createInflate(lenient) : createInflateRaw(lenient);
    made.on('data', (part) => this.push(part)).on('error', (error) => this.destroy(error));
    return made;
  }
}
