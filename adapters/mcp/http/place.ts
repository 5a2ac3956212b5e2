import { BlockList, isIP } from 'node:net';

/** Ranges that an unknown server must not make this host connect to, with IPv6 forms that lead to IPv4. */
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
/** IPv4 written as IPv6 is judged as IPv4. */
export const isInside = (address: string): boolean =>
  inside.check(address.replace(/%.*/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** False for good after another address, or when a proxy resolved the name; undefined before any connection. */
export interface Place {
  isInside?: boolean;
}
