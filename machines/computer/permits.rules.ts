/** Permits to connect: some servers at a time, and reconnects one after the other. */

/** In memory, so that a trace can replay them; tokens keep failed servers from reconnecting all at once. */
export interface ConnectPermits {
  readonly running: readonly string[];
  readonly waiting: readonly { readonly server: string; readonly again: boolean }[];
  readonly tokens: number;
}

const parallelConnects = 16;
export const connectBurst = 5;
export const noPermits: ConnectPermits = { running: [], waiting: [], tokens: connectBurst };

const withoutEach = <T>(list: readonly T[], isOut: (item: T) => boolean): readonly T[] =>
  list.some(isOut) ? list.filter((item) => !isOut(item)) : list;

export const withoutPermit = (permits: ConnectPermits, server: string): ConnectPermits => ({
  ...permits,
  running: withoutEach(permits.running, (name) => name === server),
  waiting: withoutEach(permits.waiting, (each) => each.server === server),
});
export function withWantedPermit(permits: ConnectPermits, server: string, again: boolean): ConnectPermits {
  const rest = withoutPermit(permits, server);
  return { ...rest, waiting: [...rest.waiting, { server, again }] };
}
export const withToken = (permits: ConnectPermits): ConnectPermits => ({
  ...permits,
  tokens: Math.min(connectBurst, permits.tokens + 1),
});
export const hasAllTokens = (permits: ConnectPermits): boolean => permits.tokens >= connectBurst;

/** In order of arrival; a reconnect while no token is left lets other servers go first. */
export function grantedPermits(permits: ConnectPermits): {
  readonly permits: ConnectPermits;
  readonly servers: readonly string[];
} {
  const servers: string[] = [];
  let { tokens } = permits;
  const waiting = permits.waiting.filter(({ server, again }) => {
    if (permits.running.length + servers.length >= parallelConnects || (again && tokens === 0)) return true;
    if (again) tokens -= 1;
    servers.push(server);
    return false;
  });
  if (servers.length === 0) return { permits, servers };
  return { permits: { running: [...permits.running, ...servers], waiting, tokens }, servers };
}
