/** How much of what a child said on stderr is kept. */
export const ringBytes = 64 * 1024;

export interface StderrRing {
  push(chunk: Uint8Array): void;
  /** The last bytes as text. Characters that were cut at either end are left out. */
  text(): string;
}

/** Keeps the last `limit` bytes, and never more memory than that however much and however slowly is said. */
export function createStderrRing(limit: number = ringBytes): StderrRing {
  // Most children say nothing: no memory before the first byte.
  let ring: Buffer | undefined;
  let total = 0;
  const text = (): string => {
    if (!ring) return '';
    const at = total % limit;
    const bytes =
      total < limit ? ring.subarray(0, total) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    let from = 0;
    // Bytes 10xxxxxx at the start belong to a character whose head was overwritten; there are at most three.
    if (total > limit) while (from < 3 && (bytes[from] ?? 0) >> 6 === 0b10) from += 1;
    // `stream` keeps an unfinished last character back, where it would else become a replacement mark.
    return new TextDecoder().decode(bytes.subarray(from), { stream: true });
  };
  return {
    push: (chunk) => {
      ring ??= Buffer.allocUnsafe(limit);
      const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      const at = (total + chunk.length - kept.length) % limit;
      const first = kept.subarray(0, limit - at);
      ring.set(first, at);
      ring.set(kept.subarray(first.length), 0);
      total += chunk.length;
    },
    text,
  };
}
