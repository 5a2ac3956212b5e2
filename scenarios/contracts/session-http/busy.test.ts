import { describe, expect, it } from 'vitest';
import { failureIn, openIn } from '../session/session.probe.ts';
import { httpWorlds, methodOf } from './http-worlds.ts';

const worldOf = httpWorlds();
type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

function eagerTimers() {
  const waited: number[] = [];
  return {
    waited,
    timers: {
      setTimeout: (fire: () => void, ms: number): unknown => {
        waited.push(ms);
        // Only pauses pass at once: the limits of requests must not.
        return ms % 1_000 === 0 && ms < 60_000 && ms !== 5_000 ? setTimeout(fire, 0) : undefined; // real time: at once
      },
      clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
    },
  };
}
const posts = (seen: readonly Parameters<typeof methodOf>[0][]): (string | undefined)[] =>
  seen.filter(({ method }) => method === 'POST').map((one) => methodOf(one));

describe('a server that gets too many requests', () => {
  it.each<[string, Answer, number]>([
    ['initialize', { status: 429 }, 1_000],
    ['initialize', { status: 429, headers: { 'retry-after': '3' } }, 3_000],
    ['initialize', { status: 503, headers: { 'retry-after': '3' } }, 3_000],
    ['notifications/initialized', { status: 429 }, 1_000],
    [
      'notifications/initialized',
      {
        status: 429,
        headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' },
      },
      4_000,
    ],
    ['tools/list', { status: 429, headers: { 'retry-after': 'soon' } }, 1_000],
    ['tools/list', { status: 429, headers: { 'retry-after': '2' } }, 2_000],
  ])('gets %s again in the same session after its pause: %o', async (method, { status, headers }, ms) => {
    const { timers, waited } = eagerTimers();
    let left = 1;
    const world = await worldOf('streamable', {
      timers,
      serves: {
        instead: (seen, response) =>
          methodOf(seen) === method && (left -= 1) >= 0 && !!response.writeHead(status, headers).end('busy'),
      },
    });
    const session = await openIn(world);
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.answered' });
    expect(waited).toContain(ms);
    const asked = posts(world.server.seen);
    expect(asked.filter((one) => one === method)).toHaveLength(2);
    expect(asked.filter((one) => one === 'initialize')).toHaveLength(method === 'initialize' ? 2 : 1);
    expect(asked).not.toContain('server/discover');
  });
  it('is asked for nothing else when it goes on refusing', async () => {
    const { timers, waited } = eagerTimers();
    const world = await worldOf('streamable', {
      timers,
      spec: { fallbackToSse: true },
      serves: { instead: (_, response) => !!response.writeHead(429).end('busy') },
    });
    expect(await failureIn(world)).toMatchObject({ code: 429 });
    expect(new Set(world.server.seen.map((one) => methodOf(one)))).toEqual(new Set(['initialize']));
    expect(waited.filter((ms) => [1_000, 2_000, 4_000, 8_000, 16_000].includes(ms)).length).toBeGreaterThan(
      4,
    );
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
