/** The revision of A2C-SMCP that we speak: the 0.2.0 draft with Finder. It stands here and nowhere else. */
export const PROTOCOL_VERSION = '0.2.0';

/** Name of our peers in the query of their connection (`a2c_client`), an extension of ours. */
export const OUR_CLIENT = 'a2c-actors';

/** Minors of 0.x whose peers an office lets in, and whose offices our peers enter. */
export const spoken = { minors: [1, 4] } as const;

/** Whether we speak a version; `unreadable`: it has not the form `1.2.3`. */
export function isSpoken(version: string): boolean | 'unreadable' {
  const parts = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(version);
  if (!parts) return 'unreadable';
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  return major === 0 && minor >= spoken.minors[0] && minor <= spoken.minors[1];
}

/** The Socket.IO namespace of every event. The HTTP path is no part of the protocol (default `/socket.io`). */
export const NAMESPACE = '/smcp';

const mebibyte = 1024 * 1024;

/**
 * One chain, each link smaller than the one that carries it, so that a result that is too large fails its call
 * and never closes a connection: what a call may answer < what an office carries < one message over stdio.
 */
export const sizes = {
  /** The JSON of one result, by default; a larger one is cut, and the whole is kept for `cachedResult`. */
  resultBytes: 7 * mebibyte,
  /** One message through an office, which ends the connection of a peer that sends a larger one. */
  officePayloadBytes: 8 * mebibyte,
  /** One message of a server over stdio; a larger one fails its question with 413. */
  stdioMessageBytes: 10 * mebibyte,
} as const;

/** Size from which the bytes of a message are told: a rule about size need not look at its content. */
export const manyBytes = 256;

/** Questions that one agent may have on their way through an office. */
export const mostInFlight = 16_384;

/** The longest time-out that we keep, 24 days: a timer of 2^31 ms or more would fire at once. */
export const longestTimeoutMs = 2_147_000_000;

/** Seconds of the wire → milliseconds; 0 stays 0 and means without limit. */
export const toTimeoutMs = (seconds: number): number => Math.min(seconds * 1000, longestTimeoutMs);
