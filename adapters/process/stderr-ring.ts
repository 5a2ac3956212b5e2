/** How much of what a child said on stderr is kept. */
export const ringBytes = 64 * 1024;

export interface StderrRing {
  push(chunk: Uint8Array): void;
  /** The last bytes as text. Characters that were cut at either end are left out. `recent`: what came within `recentMs` until now. */
  text(which?: 'recent'): string;
}
/** So long before the end of a child its words may explain it. */
export const recentMs = 5_000;
/** Whatever comes within so long counts as one. */
const stepMs = 100;

/** Keeps the last `limit` bytes, and never more memory than that however much and however slowly is said. */
export function createStderrRing(
  limit: number = ringBytes,
  now: () => number = () => performance.now(),
): StderrRing {
  // Most children say nothing: no memory before the first byte.
  let ring: Buffer | undefined;
  let total = 0;
  /** When something came, and how much had come before it: of the last `recentMs` only. */
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
    // Bytes 10xxxxxx at the start belong to a character whose head is not there; there are at most three.
    const most = from + 3;
    if (total > wanted) while (from < most && (bytes[from] ?? 0) >> 6 === 0b10) from += 1;
    // `stream` keeps an unfinished last character back, where it would else become a replacement mark.
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
