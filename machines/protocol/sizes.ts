const mebibyte = 1024 * 1024;

/**
 * Size limits in bytes, each smaller than the next, so that an oversized result fails its own call and never closes a
 * connection: one result < one message through an office < one message over stdio.
 */
export const sizes = {
  /** Largest JSON of one result, by default; a larger one is cut, and the full result is kept for `cachedResult`. */
  resultBytes: 7 * mebibyte,
  /** Largest message through an office, which disconnects a peer that sends a larger one. */
  officePayloadBytes: 8 * mebibyte,
  /** Largest message of a server over stdio; a larger one fails its question with `TooLarge`. */
  stdioMessageBytes: 10 * mebibyte,
} as const;
