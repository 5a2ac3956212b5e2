/**
 * Version and names of the connection between the inspector page and its host. This file imports no packages,
 * because the page includes it too.
 */

export const inspectionProtocol = 1;
/**
 * WebSocket subprotocol. The page offers it together with the token; the host selects this one and so never
 * repeats the token.
 */
export const subprotocol = `a2c-inspect.${inspectionProtocol}`;
export const tokenSubprotocol = (token: string): string => `token.${token}`;
export const attachPath = '/attach';
/** Path at which a page of several hosts attaches to one of them, by its index. */
export const hostPath = (index: number): string => `${attachPath}/${index}`;

/** Largest message of a page in bytes, because its questions are short; a larger one closes its connection. */
export const mostPageBytes = 64 * 1024;
/** Name of the caller of calls that the inspector page makes. Traces show it, and `allowForSession` of a person holds for it. */
export const pageCaller = 'a2c inspector page';

/**
 * Ids of the data blocks in a page saved as a single file. Each `<` in their JSON is written as `\u003c`. In a page of
 * several traces the first three have the index of their trace at the end: `a2c-trace-0`.
 */
export const embedded = {
  /** Block of type `application/json`: a `welcome` message with empty `lines`. */
  welcome: 'a2c-welcome',
  /** Block of type `text/plain`: the trace, compressed with gzip, in base64. */
  trace: 'a2c-trace',
  /** Block of type `application/json`: the `Checks` of the trace. */
  checks: 'a2c-checks',
  /** Block of type `text/plain`: the script of the worker that computes the layout of charts, packed like the trace. */
  elk: 'a2c-elk',
} as const;
