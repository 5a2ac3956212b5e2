import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';

export interface BlobSource {
  readonly bytes: number;
  readonly sha256: string;
  /** Undefined for a content in memory. */
  readonly name: string | undefined;
  /** Reads the bytes from an offset on, `most` at most; fewer only at the end. */
  readonly read: (offset: number, most: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}
const hashBytes = 1024 * 1024;

export async function openBlobSource(source: string | Uint8Array, signal?: AbortSignal): Promise<BlobSource> {
  if (typeof source !== 'string') {
    const all = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    return {
      bytes: all.length,
      sha256: createHash('sha256').update(all).digest('hex'),
      name: undefined,
      read: async (offset, most) => all.subarray(offset, offset + most),
      close: async () => {},
    };
  }
  const file = await open(source, 'r');
  const read = async (offset: number, most: number): Promise<Buffer> => {
    const part = Buffer.allocUnsafe(most);
    let got = 0;
    while (got < most) {
      const { bytesRead } = await file.read(part, got, most - got, offset + got);
      if (bytesRead === 0) break;
      got += bytesRead;
    }
    return part.subarray(0, got);
  };
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (;;) {
      signal?.throwIfAborted();
      const part = await read(bytes, hashBytes);
      if (part.length === 0) break;
      hash.update(part);
      bytes += part.length;
    }
    return { bytes, sha256: hash.digest('hex'), name: basename(source), read, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}
