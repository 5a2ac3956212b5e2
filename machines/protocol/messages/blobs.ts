/** Messages about large contents (blobs), which travel in parts; terms of 0.2 and later. */
import { z } from 'zod';
import { wireCodes, type Failure } from '../failure.ts';
import { computerQuestion, replyFields, wholeNumber } from './messages.ts';

/** Sizes in bytes of blobs, before base64. */
export const blobSizes = {
  /** Largest binary content that is given in a result itself; a larger one is given as a handle. */
  inlineBytes: 32 * 1024,
  /** Largest part in bytes that a computer sends, so that every office passes it on: offices of the Python SDK carry 1,000,000. */
  partBytes: 256 * 1024,
  /**
   * Largest part in bytes that an agent of ours asks for, and (`putBytes`) sends. As base64 in JSON both are texts below
   * 128 KiB: V8 collects a larger text late, and nodes of an office pass it on in several steps. Sending a part costs an
   * agent more than asking for one.
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
  ...computerQuestion,
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
  ...replyFields,
});
export type GetBlobReply = z.infer<typeof getBlobReply>;
/** `blob` is a number of bytes; they stay with the connection, so that nothing remembers a content. */
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

/** Limits of uploads. */
export const uploadLimits = {
  /** Largest part in bytes before base64 that a computer of ours takes. */
  mostPartBytes: 1024 * 1024,
  /** Largest number of uploads that a computer of ours takes at once. */
  atOnce: 4,
  /** Largest number of parts of one upload that are not written yet; further ones are refused. */
  waitingParts: 8,
} as const;

/**
 * Question `client:put_blob` with a part of a file, answered with `PutBlobReply`. The first part has no `upload_id`,
 * and declares `total_size` in bytes, `sha256` (hexadecimal) and perhaps a name; later parts declare nothing. Parts
 * come in order: `chunk_offset` counts the bytes before the part. `eof` marks the last one, `blob` is base64. `resume`
 * is an extension of ours: a first part goes on with an upload of the same declaration, where there is one.
 */
export const putBlob = z.looseObject({
  ...computerQuestion,
  upload_id: z.string().max(200).nullish(),
  chunk_offset: wholeNumber,
  eof: z.boolean(),
  blob: z.string(),
  total_size: wholeNumber.nullish(),
  sha256: z.string().nullish(),
  name_hint: z.string().nullish(),
  resume: z.boolean().nullish(),
});
export type PutBlob = z.infer<typeof putBlob>;

/**
 * Reply to `client:put_blob`. Only the reply to the last part has `landing_path`, the whole path of the file on the
 * computer, with its `total_size` and `sha256`. `received` is an extension of ours: the bytes that the computer has.
 */
export const putBlobReply = z.looseObject({
  upload_id: z.string(),
  chunk_offset: z.int().nonnegative(),
  landing_path: z.string().nullish(),
  total_size: z.int().nullish(),
  sha256: z.string().nullish(),
  received: z.int().nonnegative().nullish(),
  ...replyFields,
});
export type PutBlobReply = z.infer<typeof putBlobReply>;

/** Reason why a part cannot be written, a word of the protocol (`details.reason` of 4019). */
export type UploadRefusal =
  | 'invalid_upload'
  | 'invalid_declaration'
  | 'range'
  | 'too_large'
  | 'busy'
  | 'forbidden'
  | 'integrity'
  | 'io_error';
const remedies: Readonly<Record<UploadRefusal, string>> = {
  invalid_upload: 'Begin the upload again, with its declaration',
  invalid_declaration: 'Send total_size and sha256 with the first part, and with no other',
  range: 'Go on where the computer is: details.received has the bytes that it has',
  too_large: 'Send a smaller file, or raise the limit in a2c.landing of the config of the computer',
  busy: 'Wait until another upload has ended, and begin again',
  forbidden: 'Set a2c.landing in the config of the computer, and allow the upload there',
  integrity: 'Send the file again, while nothing changes it',
  io_error: 'Look at the disk of the landing folder, and begin again',
};
export const uploadRefused = (reason: UploadRefusal, message: string, details: object = {}): Failure => ({
  code: wireCodes.blobNotWritten,
  message,
  details: { reason, ...details },
  remedy: remedies[reason],
});

export interface Declared {
  readonly bytes: number;
  readonly sha256: string;
  /** Anything may be in it. */
  readonly name?: string;
}
export interface UploadPart {
  readonly upload: string;
  readonly offset: number;
  readonly bytes: number;
  readonly isLast: boolean;
  /** Absent in all parts but the first. */
  readonly declared?: Declared;
  /** A first part asks to continue an earlier upload that declared the same file, if there is one. */
  readonly resumes?: true;
}
/** From the length of the text; undefined for a length that base64 cannot have. */
function bytesIn(base64: string): number | undefined {
  const { length } = base64;
  const end = base64.indexOf('=', length - 3);
  const padding = end === -1 ? 0 : length - end;
  if (length % 4 !== 0 || padding > 2 || (padding === 2 && !base64.endsWith('='))) return undefined;
  return (length / 4) * 3 - padding;
}
const hasDeclared = ({ total_size, sha256, name_hint }: PutBlob): boolean =>
  typeof total_size === 'number' || typeof sha256 === 'string' || typeof name_hint === 'string';
/** Refused when `decoded` is less than promised: a decoder skips characters that are not base64. */
export function partIn(question: PutBlob, decoded: number, newId: () => string): UploadPart | Failure {
  const {
    upload_id: known,
    chunk_offset: offset,
    eof: isLast,
    blob,
    total_size,
    sha256,
    name_hint,
  } = question;
  const bytes = bytesIn(blob);
  if (bytes === undefined || bytes !== decoded)
    return uploadRefused('invalid_declaration', 'blob is not base64');
  if (bytes > uploadLimits.mostPartBytes)
    return uploadRefused(
      'invalid_declaration',
      `A part may have ${uploadLimits.mostPartBytes} bytes at most`,
    );
  if (typeof known === 'string') {
    if (hasDeclared(question))
      return uploadRefused('invalid_declaration', 'Only the first part has a declaration');
    return { upload: known, offset, bytes, isLast };
  }
  const declared = {
    bytes: total_size ?? 0,
    sha256: (sha256 ?? '').toLowerCase(),
    ...(typeof name_hint === 'string' && { name: name_hint.slice(0, longestName) }),
  };
  if (declared.bytes < 1) return uploadRefused('invalid_declaration', 'total_size must be at least 1');
  if (!/^[0-9a-f]{64}$/.test(declared.sha256))
    return uploadRefused('invalid_declaration', 'sha256 must have 64 hexadecimal digits');
  const part = { upload: newId(), offset, bytes, isLast, declared };
  return question.resume === true ? { ...part, resumes: true } : part;
}
const longestName = 256;
