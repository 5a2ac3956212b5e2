/** Revision of A2C-SMCP that we speak: the 0.2.0 draft with Finder. Defined only here. */
export const PROTOCOL_VERSION = '0.2.0';

/**
 * Name by which our peers identify themselves in the query of their connection (`a2c_client`): an extension of ours.
 */
export const OUR_CLIENT = 'a2c-actors';

/** Range of minor versions (0.x) that an office accepts, and that our peers accept from an office. */
export const spoken = { minors: [1, 4] } as const;

/** Tells whether we speak a version; `unreadable` when it does not have the form `1.2.3`. */
export function isSpoken(version: string): boolean | 'unreadable' {
  const parts = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(version);
  if (!parts) return 'unreadable';
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  return major === 0 && minor >= spoken.minors[0] && minor <= spoken.minors[1];
}

/** Socket.IO namespace of every event. The HTTP path is not part of the protocol (default `/socket.io`). */
export const NAMESPACE = '/smcp';

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
  /** Largest message of a server over stdio; a larger one fails its question with code 413. */
  stdioMessageBytes: 10 * mebibyte,
} as const;

/**
 * Size in bytes from which the size of a message is reported, so that rules about size need not measure its content.
 */
export const manyBytes = 256;

/** Largest number of questions that one agent may have in flight through an office. */
export const mostInFlight = 16_384;

/** Longest time-out that is kept, about 24 days in milliseconds: a timer of 2^31 ms or more would fire at once. */
export const longestTimeoutMs = 2_147_000_000;

/** Converts seconds of the wire to milliseconds; 0 stays 0 and means no limit. */
export const toTimeoutMs = (seconds: number): number => Math.min(seconds * 1000, longestTimeoutMs);
