import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { httpTo } from '../../scenarios/contracts/logins/login-authority.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';

const serve = (encoding: string, body: Buffer, length = body.length): Promise<string> =>
  servedUrl((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': String(length) });
    response.write(body, () => (length === body.length ? response.end() : response.destroy()));
  });
const asked = (url: string): Promise<Response> =>
  guardedFetch(httpTo(url), new AbortController().signal)(url);
const metadata = Buffer.from(JSON.stringify({ issuer: 'https://far.test' }));

describe('a packed answer in a login', () => {
  it.each([
    ['gzip', gzipSync(metadata)],
    ['deflate', deflateSync(metadata)],
    ['br', brotliCompressSync(metadata)],
    ['identity', metadata],
  ])('is unpacked: %s', async (encoding, body) => {
    expect(await (await asked(await serve(encoding, body))).json()).toEqual({ issuer: 'https://far.test' });
  });
  it('is read up to the same size as any other', async () => {
    await expect(asked(await serve('gzip', gzipSync(Buffer.alloc(5_000_000))))).rejects.toThrow(
      'larger than',
    );
  });
  it.each([
    ['zstd', '"zstd"'],
    ['gzip, br', '"gzip, br"'],
    ['gzip', '"gzip"'],
  ])('is named when it cannot be unpacked: %s', async (encoding, named) => {
    await expect(asked(await serve(encoding, metadata))).rejects.toThrow(named);
  });
  it('fails when it is cut off', async () => {
    await expect(asked(await serve('gzip', gzipSync(metadata), 10_000))).rejects.toThrow('broken off');
  });
});
