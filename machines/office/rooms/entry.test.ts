import { describe, expect, it } from 'vitest';
import { denies, peerAddress } from './entry.ts';

const bodyOf = (version: string | undefined, isRequired = false): unknown =>
  JSON.parse(denies(version, isRequired)?.body ?? 'null');

const remedy =
  'Give a2c_version=MAJOR.MINOR.PATCH, the version of the protocol, in the query of the first request';
describe('the version of a connection', () => {
  it.each(['0.1.0', '0.2.0', '0.2.999', '0.3.1', '0.4.0'])('%s is spoken', (version) => {
    for (const isRequired of [false, true]) expect(denies(version, isRequired)).toBeUndefined();
  });
  it('may be missing, unless it is required', () => {
    expect(denies(undefined, false)).toBeUndefined();
    expect(denies(undefined, true)?.status).toBe(400);
    expect(bodyOf(undefined, true)).toEqual({
      code: 400,
      message: 'Missing a2c_version query parameter',
      remedy,
    });
  });
  it.each(['', 'x', '0.2', '0.2.0.0', '-0.2.0', ' 0.2.0', '0.2.0-rc1'])('%j cannot be read', (version) => {
    expect(bodyOf(version)).toEqual({ code: 400, message: `Invalid a2c_version: ${version}`, remedy });
  });
  it.each(['0.0.9', '0.5.0', '1.0.0', '1.2.0'])('%s is another protocol', (version) => {
    expect(denies(version, false)?.headers).toMatchObject({ 'X-A2C-Error-Code': '4008' });
    expect(bodyOf(version)).toEqual({
      code: 4008,
      message: `Protocol version mismatch: this office lets in 0.1 to 0.4, not ${version}`,
      remedy:
        version === '0.0.9' ? 'Update the peer' : 'Update this office, or use a peer that speaks 0.1 to 0.4',
      server_version: '0.2.0',
      client_version: version,
      min_supported: '0.1.0',
      max_supported: '0.4.999',
    });
  });
});

it.each<[what: string, forwarded: string | string[] | undefined, proxies: number, address: string]>([
  ['without a proxy the header counts for nothing', '6.6.6.6', 0, '10.0.0.1'],
  ['behind one the last of it', '6.6.6.6, 1.1.1.1', 1, '1.1.1.1'],
  ['behind two the last but one', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2, '1.1.1.1'],
  ['several headers are one', ['6.6.6.6', '1.1.1.1'], 1, '1.1.1.1'],
  ['too few of them give the first', '1.1.1.1', 3, '1.1.1.1'],
  ['none, or an empty one, gives the remote address', undefined, 1, '10.0.0.1'],
  ['none, or an empty one, gives the remote address', ' , ', 1, '10.0.0.1'],
])('the address of a peer is found: %s', (_, forwarded, proxies, address) => {
  expect(peerAddress('10.0.0.1', forwarded, proxies)).toBe(address);
});
