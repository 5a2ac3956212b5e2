import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { servedUrl } from '../../../scenarios/fixtures/local-server.ts';
import { httpTo, never } from '../../../scenarios/contracts/logins/login-authority.ts';
import { guardedFetch } from '../../oauth/guarded-fetch.ts';
import { isInside, type Place } from './place.ts';

const real = dns.lookup;
afterEach(() => {
  dns.lookup = real;
  syncBuiltinESMExports();
});
/** Names of a strange owner: each look-up has the next addresses, the last ones for ever. */
function names(answers: readonly (readonly string[])[]): void {
  const left = [...answers];
  const lookup = (host: string, _: object, done: (error: null, all: object[]) => void): void => {
    if (!host.endsWith('.test')) return (real as unknown as typeof lookup)(host, _, done);
    const all = (left.length > 1 ? left.shift() : left[0]) ?? [];
    done(
      null,
      all.map((address) => ({ address, family: 4 })),
    );
  };
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
}
const port = async (): Promise<string> => new URL(await servedUrl((_, response) => response.end('{}'))).port;
const [inner, outer] = ['127.0.0.1', '203.0.113.7'];

describe('the addresses that a login may have', () => {
  it.each<[string, readonly (readonly string[])[], boolean]>([
    ['inside', [[inner]], true],
    ['outside and inside', [[outer, inner]], false],
    ['inside and outside', [[inner, outer]], false],
    ['outside first and inside later', [[outer], [inner]], false],
  ])(
    'may be inside or not for a server whose name is %s',
    async (_, answers, isAllowed) => {
      names(answers);
      const at = await port();
      const place: Place = {};
      const http = httpTo(`http://evil.test:${at}/mcp`, place);
      // Connects as MCP does; an address outside is not reached here.
      for (const _each of answers)
        await http.send({ method: 'GET', headers: {} }).answer.then(
          (answer) => answer.resume(),
          () => {},
        );
      const asked = guardedFetch(http, never)(`http://127.0.0.1:${at}/latest/meta-data`);
      if (isAllowed) expect((await asked).status).toBe(200);
      else await expect(asked).rejects.toThrow('in a private network');
      expect(place.isInside).toBe(isAllowed);
      http.close();
    },
    30_000,
  );
  it('are only those outside for a name that has both', async () => {
    names([[inner, outer]]);
    const http = httpTo('http://192.0.2.1/mcp');
    const asked = guardedFetch(http, never, { timeoutMs: 500 })(`http://mixed.test:${await port()}/token`);
    await expect(asked).rejects.toThrow(/cannot be reached|no answer in time/);
  });
  it('are not inside when a server is reached by a proxy that resolves its name', async () => {
    const http = httpTo('http://evil.test/mcp', { isInside: false });
    await expect(guardedFetch(http, never)('http://10.0.0.1/x')).rejects.toThrow('in a private network');
  });
  it.each([
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    'fe80::1%eth0',
  ])('count as inside in a form of IPv6: %s', (address) => expect(isInside(address)).toBe(true));
});
