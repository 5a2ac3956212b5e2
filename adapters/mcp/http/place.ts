import { BlockList, isIP } from 'node:net';

/**
 * Address ranges that an unknown server must not make this host connect to: loopback, private, link-local, shared,
 * unspecified, multicast, and IPv6 forms that lead to IPv4 addresses.
 */
const inside = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 32],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  inside.addSubnet(net, bits, 'ipv6');
/** Tells whether an IP address is in a private range; IPv4 written as IPv6 is judged as IPv4. */
export const isInside = (address: string): boolean =>
  inside.check(address.replace(/%.*/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Place of a server: whether every connection to it went to an address in a private network. False for good as soon as its name
 * has had another address, or a proxy resolved the name; undefined before the first connection.
 */
export interface Place {
  isInside?: boolean;
}
