export const ringBytes = 64 * 1024;

interface StderrRing {
  push(chunk: Uint8Array): void;
  /** Without characters cut off at either end; `recent` gives only the output of the last `recentMs`. */
  text(which?: 'recent'): string;
}
/** Time in ms before the end of a child in which its stderr output may explain the end. */
export const recentMs = 5_000;
/** Output within this many ms is recorded as one mark, so that frequent writes take little memory. */
const stepMs = 100;

export function createStderrRing(
  limit: number = ringBytes,
  now: () => number = () => performance.now(),
): StderrRing {
  // Allocated with the first byte, because most children write nothing to stderr.
  let ring: Buffer | undefined;
  let total = 0;
  const marks: { readonly at: number; readonly before: number }[] = [];
  const forget = (at: number): void => {
    while (marks[0] && marks[0].at < at - recentMs) marks.shift();
  };
  const text = (which?: 'recent'): string => {
    if (!ring) return '';
    forget(now());
    const at = total % limit;
    const bytes =
      total < limit ? ring.subarray(0, total) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    const wanted = which === 'recent' ? total - (marks[0]?.before ?? total) : bytes.length;
    let from = Math.max(0, bytes.length - wanted);
    // Skips continuation bytes (10xxxxxx) at the start, whose character begins before the kept bytes; there are at most three.
    const most = from + 3;
    if (total > wanted) while (from < most && (bytes[from] ?? 0) >> 6 === 0b10) from += 1;
    // Drops an incomplete last character, which would otherwise become a replacement mark, by decoding with `stream`.
    return new TextDecoder().decode(bytes.subarray(from), { stream: true });
  };
  return {
    push: (chunk) => {
      ring ??= Buffer.allocUnsafe(limit);
      const at = now();
      forget(at);
      if (at >= (marks.at(-1)?.at ?? -Infinity) + stepMs) marks.push({ at, before: total });
      const kept = chunk.length > limit ? chunk.subarray(chunk.length - limit) : chunk;
      const to = (total + chunk.length - kept.length) % limit;
      const first = kept.subarray(0, limit - to);
      ring.set(first, to);
      ring.set(kept.subarray(first.length), 0);
      total += chunk.length;
    },
    text,
  };
}
