import { expect, it } from 'vitest';
import { peerAddress } from './address.ts';

it.each<[what: string, forwarded: string | string[] | undefined, proxies: number, address: string]>([
  ['without a proxy the header counts for nothing', '6.6.6.6', 0, '10.0.0.1'],
  ['behind one the last of it', '6.6.6.6, 1.1.1.1', 1, '1.1.1.1'],
  ['behind two the last but one', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2, '1.1.1.1'],
  ['several headers are one', ['6.6.6.6', '1.1.1.1'], 1, '1.1.1.1'],
  ['too few of them give the first', '1.1.1.1', 3, '1.1.1.1'],
  ['none, or an empty one, gives the remote address', undefined, 1, '10.0.0.1'],
  ['none, or an empty one, gives the remote address', ' , ', 1, '10.0.0.1'],
])('the address of a peer: %s', (_, forwarded, proxies, address) => {
  expect(peerAddress('10.0.0.1', forwarded, proxies)).toBe(address);
});
