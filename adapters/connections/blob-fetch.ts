import { createHash } from 'node:crypto';
import { readAnswer } from '../../machines/protocol/reading.ts';
import { sizes } from '../../machines/protocol/sizes.ts';
import { blobRefOf, handleKeys, type BlobRef } from '../../machines/protocol/messages/blob-ref.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

/** Computers replace large contents by handles since 0.2; agents without a version do not know these. */
export type AskChunk = (handle: string, offset: number, onAnswer: (ack: unknown) => void) => void;

/** Largest number of parts of one image; a part usually has 256 KiB, so far fewer are needed. */
const mostChunks = 256;
/** Largest number of bytes of all contents of one result, so that they fit into an answer as base64. */
const mostBytes = Math.floor((sizes.resultBytes * 3) / 4) - 64 * 1024;

const textOf = (...values: readonly unknown[]): string =>
  String(values.find((value) => typeof value === 'string' || typeof value === 'number') ?? '?');

export const hasHandles = (result: unknown): result is Fields & { readonly content: readonly unknown[] } =>
  isObject(result) && Array.isArray(result['content']) && result['content'].some((item) => blobRefOf(item));

/** `isLarge`: the content would not fit into the result. */
type Fetched = { readonly bytes: Buffer } | { readonly why: string; readonly isLarge?: true };

function fetchBlob(
  { handle, totalBytes, sha256: said }: BlobRef,
  most: number,
  ask: AskChunk,
  done: (fetched: Fetched) => void,
): void {
  const large = { why: `it has more than the ${most} bytes that are left`, isLarge: true } as const;
  if (totalBytes !== undefined && totalBytes > most) return done(large);
  const chunks: Buffer[] = [];
  let got = 0;
  const end = (why: string): void => done({ why });
  const take = (ack: unknown): void => {
    const answer = readAnswer(ack);
    if (!answer.ok) return end(answer.failure.message);
    const { blob, chunk_offset: offset, eof, total_size: total } = isObject(answer.body) ? answer.body : {};
    if (typeof blob !== 'string' || offset !== got)
      return end('the computer sent another part than the next');
    const chunk = Buffer.from(blob, 'base64');
    chunks.push(chunk);
    got += chunk.length;
    if (got > most || Number(total) > most) return done(large);
    if (eof !== true && (chunk.length === 0 || chunks.length >= mostChunks))
      return end('the computer sends it in parts that are too small');
    if (eof !== true) return ask(handle, got, take);
    const bytes = Buffer.concat(chunks);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (said !== undefined && said !== sha256) return end('what came is not what its sha256 says');
    done({ bytes });
  };
  ask(handle, 0, take);
}

function filled(item: Fields, meta: Fields, fetched: Fetched, keepsLarge: boolean): Fields {
  if ('why' in fetched) {
    if (fetched.isLarge && keepsLarge) return item;
    const resource = isObject(item['resource']) ? item['resource'] : item;
    const what = `${textOf(resource['mimeType'], item['type'])} of ${textOf(meta['a2c_total_size'])} bytes`;
    return { type: 'text', text: `[${what}, which could not be fetched: ${fetched.why}]`, _meta: meta };
  }
  const kept = Object.fromEntries(
    Object.entries(meta).filter(([key]) => !(handleKeys as readonly string[]).includes(key)),
  );
  const { _meta: _old, meta: _older, ...rest } = item;
  const data = fetched.bytes.toString('base64');
  const body = isObject(item['resource']) ? { resource: { ...item['resource'], blob: data } } : { data };
  return { ...rest, ...body, ...(Object.keys(kept).length > 0 && { _meta: kept }) };
}

/** Calls back once, unless `ask` never answers. `keepsLarge` leaves the handle of a content that does not fit. */
export function fillHandles(
  result: Fields & { readonly content: readonly unknown[] },
  ask: AskChunk,
  done: (result: Fields) => void,
  keepsLarge = false,
): void {
  const content = [...result.content];
  let left = mostBytes;
  const next = (from: number): void => {
    const at = content.findIndex((item, i) => i >= from && blobRefOf(item) !== undefined);
    const ref = blobRefOf(content[at]);
    if (!ref) return done({ ...result, content });
    fetchBlob(ref, left, ask, (fetched) => {
      if ('bytes' in fetched) left -= fetched.bytes.length;
      content[at] = filled(content[at] as Fields, ref.meta, fetched, keepsLarge);
      next(at + 1);
    });
  };
  next(0);
}
