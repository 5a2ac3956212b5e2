import { describe, expect, it } from 'vitest';
import { failureIn, openIn } from '../session/session.probe.ts';
import { httpWorlds, methodOf } from './http-worlds.ts';

const worldOf = httpWorlds();

describe('a server that gets too many requests', () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ 'retry-after': '3' }, { retry_after: 3 }],
    [
      { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' },
      { retry_after: 4 },
    ],
  ])(
    'is asked once for a session, which fails with the pause that it wants: %o',
    async (headers, details) => {
      const world = await worldOf('streamable', {
        spec: { fallbackToSse: true },
        serves: { instead: (_, response) => !!response.writeHead(429, { ...headers }).end('busy') },
      });
      expect(await failureIn(world)).toMatchObject({ code: 429, details });
      expect(world.server.seen.map((one) => methodOf(one))).toEqual(['initialize']);
    },
  );
  it('keeps its session when it refuses a list', async () => {
    let left = 1;
    const world = await worldOf('streamable', {
      serves: {
        instead: (seen, response) =>
          methodOf(seen) === 'tools/list' && (left -= 1) >= 0 && !!response.writeHead(429).end('busy'),
      },
    });
    const session = await openIn(world);
    expect(await session.request('tools/list').answer()).toMatchObject({ failure: { code: 429 } });
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.answered' });
  });
});

describe('a balancer that knows its node by a cookie', () => {
  it.each(['streamable', 'sse'] as const)('gets it back with each request: %s', async (kind) => {
    const world = await worldOf(kind, {
      spec: { headers: { Cookie: 'mine=1' } },
      serves: {
        instead: (_, response) => {
          response.setHeader('set-cookie', ['NODE=node-0123456789; Path=/', 'S=1; Secure']);
          return false;
        },
      },
    });
    const session = await openIn(world);
    expect(await session.text('echo', { text: 'hi' })).toBe('hi');
    session.close();
    await world.port.closed();
    const [first, ...others] = world.server.seen.map(({ headers }) => headers.cookie);
    expect(first).toBe('mine=1');
    expect(new Set(others)).toEqual(new Set(['mine=1; NODE=node-0123456789']));
  });
});
