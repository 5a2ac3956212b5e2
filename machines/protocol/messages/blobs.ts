/** Messages about large contents (blobs), which travel in parts; terms of 0.2 and later. */
import { z } from 'zod';
import { wireCodes, type Failure } from '../failure.ts';
import { isObject, type Fields } from '../json.ts';
import { answered, asked, wholeNumber } from './messages.ts';

/** Sizes in bytes of blobs, before base64. */
export const blobSizes = {
  /** Largest binary content that is given in a result itself; a larger one is given as a handle. */
  inlineBytes: 32 * 1024,
  /** Largest part of an answer of a computer, so that it passes every office: the Python SDK's carry at most 1,000,000 bytes. */
  partBytes: 256 * 1024,
  /**
   * Largest parts that an agent of ours asks for, and puts. As base64 in JSON each is a text below 128 KiB: V8 collects a larger
   * one late, and nodes of an office pass a larger one on in several steps. A part that is put costs its agent more than one that is asked for.
   */
  askedBytes: 47 * 1024,
  putBytes: 90 * 1024,
} as const;

/**
 * Question `client:get_blob` for a part of a large content, answered with `GetBlobReply`. `blob_handle` came with a
 * result or a file of a skill. `chunk_offset` counts the bytes before the part (default 0), `max_chunk_bytes` limits
 * it; the computer may send less.
 */
export const getBlob = z.looseObject({
  ...asked,
  blob_handle: z.string(),
  chunk_offset: wholeNumber.nullish(),
  max_chunk_bytes: wholeNumber.nullish(),
});
export type GetBlob = z.infer<typeof getBlob>;

/**
 * Reply to `client:get_blob`: `blob` is the part as base64. `total_size` in bytes and `sha256` (hexadecimal) are those
 * of the whole content; `eof` tells that the part is the last one.
 */
export const getBlobReply = z.looseObject({
  blob_handle: z.string(),
  mime_type: z.string(),
  total_size: z.int().nonnegative(),
  sha256: z.string(),
  chunk_offset: z.int().nonnegative(),
  eof: z.boolean(),
  blob: z.string(),
  ...answered,
});
export type GetBlobReply = z.infer<typeof getBlobReply>;
/**
 * Reply to `client:get_blob` as machines and traces know it: `blob` is the number of bytes of the part. The bytes stay
 * with the connection, so that nothing remembers a content that was read.
 */
export const heldBlobReply = getBlobReply.extend({ blob: z.int().nonnegative() });
export type HeldBlobReply = z.infer<typeof heldBlobReply>;

/** Reason why a part of a blob cannot be read, a word of the protocol (`details.reason` of 4018). */
export type BlobRefusal = 'invalid_handle' | 'forbidden' | 'gone' | 'range';
const refusals: Readonly<Record<BlobRefusal, readonly [message: string, remedy: string]>> = {
  invalid_handle: ['This is no handle of a content of this computer', 'Take the handle as it came'],
  forbidden: ['This content was given to another agent', 'Make the call again as this agent'],
  gone: ['The computer no longer keeps this content', 'Make the call again, and read its content sooner'],
  range: ['The part begins outside of the content', 'Begin at 0, or where the last part ended'],
};
export const blobRefused = (reason: BlobRefusal): Failure => ({
  code: wireCodes.blobNotAccessible,
  message: refusals[reason][0],
  details: { reason },
  remedy: refusals[reason][1],
});

/** Handle of a content that is not in its result, with the facts that its computer tells of it. */
export interface BlobRef {
  readonly handle: string;
  readonly totalBytes?: number;
  readonly sha256?: string;
}
/** Names under which a handle and its facts are in the `_meta` of a content item. */
export const handleKeys = ['a2c_blob_handle', 'a2c_total_size', 'a2c_sha256'] as const;
/** Finds the handle of a content item; undefined when the item has its content itself. */
export function blobRefOf(item: unknown): (BlobRef & { readonly meta: Fields }) | undefined {
  const meta = isObject(item) ? (item['_meta'] ?? item['meta']) : undefined;
  if (!isObject(meta) || typeof meta['a2c_blob_handle'] !== 'string') return undefined;
  const { a2c_blob_handle: handle, a2c_total_size: total, a2c_sha256: sha256 } = meta;
  return {
    handle,
    meta,
    ...(typeof total === 'number' && { totalBytes: total }),
    ...(typeof sha256 === 'string' && { sha256 }),
  };
}
