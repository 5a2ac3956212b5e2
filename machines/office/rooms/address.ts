/**
 * The address that a peer comes from, when so many proxies stand before the office: each of them adds the address that it was
 * asked from to the end of `X-Forwarded-For`. What stands before those was written by the peer itself, and is not believed.
 */
export function peerAddress(
  remote: string,
  forwarded: string | readonly string[] | undefined,
  proxies: number,
): string {
  if (proxies === 0 || forwarded === undefined) return remote;
  const hops = [forwarded]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
  return hops.at(-proxies)?.slice(0, 100) ?? hops[0]?.slice(0, 100) ?? remote;
}
