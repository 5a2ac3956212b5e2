/**
 * Who of the servers of one computer may connect now. So many connect at the same time; and those that come back
 * after a failure take a token each, so that thirty of them do not come back in the same second. No limiter as calls
 * have it: permits are memory of the machine, so that they are recorded and replayed, and p-queue's would be in promises.
 */
export interface ConnectPermits {
  readonly running: readonly string[];
  readonly waiting: readonly { readonly server: string; readonly again: boolean }[];
  readonly tokens: number;
}

export const parallel = 16;
export const burst = 5;
export const noPermits: ConnectPermits = { running: [], waiting: [], tokens: burst };

const without = <T>(list: readonly T[], isOut: (item: T) => boolean): readonly T[] =>
  list.some(isOut) ? list.filter((item) => !isOut(item)) : list;

/** It has its permit no more, and wants none. */
export const over = (permits: ConnectPermits, server: string): ConnectPermits => ({
  ...permits,
  running: without(permits.running, (name) => name === server),
  waiting: without(permits.waiting, (each) => each.server === server),
});
/** At the end of those who wait; what it had before is over. */
export function want(permits: ConnectPermits, server: string, again: boolean): ConnectPermits {
  const rest = over(permits, server);
  return { ...rest, waiting: [...rest.waiting, { server, again }] };
}
export const refilled = (permits: ConnectPermits): ConnectPermits => ({
  ...permits,
  tokens: Math.min(burst, permits.tokens + 1),
});
export const isFull = (permits: ConnectPermits): boolean => permits.tokens >= burst;

/** In the order in which they came; who needs a token that is not there lets the others pass. */
export function granted(permits: ConnectPermits): {
  readonly permits: ConnectPermits;
  readonly servers: readonly string[];
} {
  const servers: string[] = [];
  let { tokens } = permits;
  const waiting = permits.waiting.filter(({ server, again }) => {
    if (permits.running.length + servers.length >= parallel || (again && tokens === 0)) return true;
    if (again) tokens -= 1;
    servers.push(server);
    return false;
  });
  if (servers.length === 0) return { permits, servers };
  return { permits: { running: [...permits.running, ...servers], waiting, tokens }, servers };
}
