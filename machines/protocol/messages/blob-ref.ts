import { isObject, type Fields } from '../json.ts';

/** Handle of a content that is not in its result, with the facts that its computer gives about it. */
export interface BlobRef {
  readonly handle: string;
  readonly totalBytes?: number;
  readonly sha256?: string;
}
export const handleKeys = ['a2c_blob_handle', 'a2c_total_size', 'a2c_sha256'] as const;
/** Undefined when the item has its content itself. */
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
