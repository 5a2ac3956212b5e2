import { readBase64 } from '../text.ts';
import { kindOf, type Address, type AddressFor, post, type Post } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { isObject, type Fields } from '../protocol/json.ts';
import { blobRefused, blobSizes, type BlobRefusal, type HeldBlobReply } from '../protocol/messages/blobs.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

export const readerOf = (link: { readonly url: string; readonly office: string }, agent: string): string =>
  JSON.stringify([link.url, link.office, agent]);

/** The handle is the sha256, so that equal contents are kept once. */
export interface BlobFacts {
  readonly handle: string;
  readonly mimeType: string;
  readonly bytes: number;
}
export interface BlobRead {
  /** Ticket of the question, under which the connection keeps the bytes of the answer. */
  readonly ticket: string;
  readonly handle: string;
  readonly offset: number;
  readonly maxBytes: number;
  readonly reader: string;
}
/** The bytes stay with the connection. */
export type BlobPart =
  | (BlobFacts & {
      readonly kind: 'part';
      readonly offset: number;
      readonly partBytes: number;
      readonly eof: boolean;
    })
  | { readonly kind: 'refused'; readonly reason: BlobRefusal };

export interface BlobsStart {
  /** Largest number of parts that are read at once; more are refused, because their agent asks too fast. */
  readonly most: number;
  readonly timing: TimingOf<'blobs'>;
}
export interface BlobWanted extends BlobRead {
  readonly type: 'blob.wanted';
  readonly reqId: string;
  readonly replyTo: AddressFor<BlobShown>;
}
export type ShownPart = Omit<HeldBlobReply, 'req_id'>;
export interface BlobShown {
  readonly type: 'blob.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly part: ShownPart | null;
  readonly failure: Failure | null;
}
export type BlobsOrder =
  | BlobWanted
  | { readonly type: 'blob.overdue'; readonly ticket: string }
  | { readonly type: 'close' };
export const blobsKind = kindOf<BlobsStart, BlobsOrder>('blobs');
export type BlobsInput = BlobsStart & { readonly self: Address; readonly owner: Address };
export interface BlobsContext extends BlobsInput {
  readonly reading: Readonly<Record<string, BlobWanted>>;
}

export const mostReads = 64;
export const isBusy = ({ reading, most }: BlobsContext): boolean => Object.keys(reading).length >= most;

const shown = (
  { ticket, reqId, replyTo }: BlobWanted,
  part: ShownPart | null,
  failure: Failure | null,
): Post => post(replyTo, { type: 'blob.shown', ticket, reqId, part, failure }, { optional: true });
export const refused = (wanted: BlobWanted, failure: Failure): Post => shown(wanted, null, failure);
export const busy = ({ most }: BlobsContext): Failure => ({
  code: wireCodes.tooMany,
  message: `At most ${most} parts are read at once`,
  remedy: 'Ask for the part again when others have come',
});
export const slowDisk: Failure = {
  code: wireCodes.noAnswer,
  message: 'The part could not be read in time',
  remedy: 'Look at the disk of the computer, and ask again',
};
export const closing: Failure = {
  ...blobRefused('gone'),
  message: 'The computer gives no parts any more: it is closing, or what keeps them has failed too often',
};
export function answered(wanted: BlobWanted, read: BlobPart): Post {
  if (read.kind === 'refused') return refused(wanted, blobRefused(read.reason));
  const { handle, mimeType, bytes, offset, eof, partBytes } = read;
  const facts = { blob_handle: handle, mime_type: mimeType, total_size: bytes, sha256: handle };
  return shown(wanted, { ...facts, chunk_offset: offset, eof, blob: partBytes }, null);
}

export interface Binary {
  readonly at: number;
  readonly base64: string;
  readonly mimeType: string;
}
const binaryIn = (item: unknown): Omit<Binary, 'at'> | undefined => {
  if (!isObject(item)) return undefined;
  const { data, resource, mimeType } = item;
  const held: Fields = isObject(resource) ? resource : {};
  const base64 = data ?? held['blob'];
  const type = held['mimeType'] ?? mimeType;
  return typeof base64 === 'string'
    ? { base64, mimeType: typeof type === 'string' ? type : 'application/octet-stream' }
    : undefined;
};
const leastText = (blobSizes.inlineBytes * 4) / 3;
export function largeContents(result: unknown): readonly Binary[] {
  const content = isObject(result) ? result['content'] : undefined;
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((item, at) => {
    const found = binaryIn(item);
    if (!found || found.base64.length <= leastText) return [];
    return [{ at, ...found, base64: readBase64(found.base64)?.data ?? found.base64 }];
  });
}
export function withHandle(item: unknown, { handle, bytes }: BlobFacts): unknown {
  const { resource, _meta, ...rest } = item as Fields;
  const meta = {
    ...(isObject(_meta) && _meta),
    a2c_blob_handle: handle,
    a2c_total_size: bytes,
    a2c_sha256: handle,
  };
  return isObject(resource)
    ? { ...rest, resource: { ...resource, blob: '' }, _meta: meta }
    : { ...rest, data: '', _meta: meta };
}
