import { describe, expect, it } from 'vitest';
import { failureIn, handTimers, openIn, refusalOf } from '../session/session.probe.ts';
import { observed } from '../session/session.harness.ts';
import type { SeenRequest } from '../../fixtures/http-server.ts';
import { bodies, httpWorlds, inCall, methodOf, refuse, refusing, type BodyKind } from './http-worlds.ts';

const worldOf = httpWorlds();
const kinds = Object.keys(bodies) as BodyKind[];
const jsonRpc: readonly BodyKind[] = ['own', 'own after a byte order mark', 'id null'];

type Row = readonly [status: number, means: object];
const atInitialize: readonly Row[] = [
  [400, { code: 4003, details: { http_status: 400 } }],
  [401, { code: 'Unauthorized', details: { http_status: 401 } }],
  [403, { code: 'AccessDenied', details: { http_status: 403 } }],
  [404, { code: 4003, details: { http_status: 404 } }],
  [405, { code: 4003, details: { http_status: 405 } }],
  [408, { code: 4003, details: { http_status: 408 } }],
  [429, { code: 429, details: { http_status: 429, retry_after: 120 } }],
  [502, { code: 4003, details: { http_status: 502 } }],
  [503, { code: 4003, details: { http_status: 503, retry_after: 120 } }],
  [504, { code: 4003, details: { http_status: 504 } }],
];
interface Outcome {
  readonly sent: boolean;
  readonly lost?: boolean;
  readonly ends?: object;
}
const ofCalls: readonly (readonly [status: number, failure: object, outcome: Outcome])[] = [
  [401, { code: 'Unauthorized' }, { sent: false, ends: { wantsLogin: true } }],
  [403, { code: 'AccessDenied' }, { sent: false }],
  [404, { code: 'ServerLost', details: { http_status: 404 } }, { sent: false, ends: { isExpired: true } }],
  [408, { code: 4003, details: { http_status: 408 } }, { sent: true }],
  [410, { code: 4003, details: { http_status: 410 } }, { sent: true }],
  [429, { code: 429, details: { http_status: 429, retry_after: 7 } }, { sent: true }],
  [502, { code: 4003, details: { http_status: 502 } }, { sent: true, lost: true }],
  [503, { code: 4003, details: { http_status: 503, retry_after: 7 } }, { sent: true }],
  [504, { code: 4003, details: { http_status: 504 } }, { sent: true, lost: true }],
  [524, { code: 4003, details: { http_status: 524 } }, { sent: true, lost: true }],
];
const crossed = <T extends readonly unknown[]>(rows: readonly T[]) =>
  rows.flatMap((row) => kinds.map((kind) => [kind, ...row] as const));
const headers = { 'retry-after': '7' };
const late = { 'retry-after': '120' };

describe('a status', () => {
  it.each(crossed(atInitialize))(
    'means at initialize what HTTP says, with a body of the kind %s: %i',
    async (kind, status, means) => {
      const world = await worldOf('streamable', { serves: refusing({ status, kind, headers: late }) });
      const failure = await failureIn(world);
      expect(failure).toMatchObject(means);
      // Words of the server are kept where they say more than the status does.
      const says = ['Unauthorized', 'AccessDenied'].includes(String(failure.code)) ? '' : 'nope';
      if (kind !== 'empty') expect(failure.message).toContain(says);
      expect(failure.details?.['code'] === -32001).toBe(jsonRpc.includes(kind));
    },
  );

  it.each(crossed(ofCalls))(
    'means in a call what HTTP says, with a body of the kind %s: %i',
    async (kind, status, means, outcome) => {
      const world = await worldOf('streamable', { serves: refusing({ status, kind, headers }, inCall) });
      const session = await openIn(world);
      const refused = refusalOf(await session.call('echo').answer());
      expect(refused).toMatchObject({ sent: outcome.sent, failure: means });
      expect(refused.lost ?? false).toBe(outcome.lost ?? false);
      if (outcome.ends) {
        await session.next('session.lost');
        expect(session.facts.at(-1)).toMatchObject(outcome.ends);
      } else expect(await session.request('ping').answer()).toMatchObject({ type: 'ask.answered' });
    },
  );

  it.each([400, 409, 422, 500])('may carry the answer to a call when it is %i', async (status) => {
    const world = await worldOf('streamable', { serves: refusing({ status, kind: 'own' }, inCall) });
    const session = await openIn(world);
    expect(refusalOf(await session.call('echo').answer())).toMatchObject({
      sent: true,
      failure: { code: 4003, message: 'nope', details: { code: -32001 } },
    });
  });
});

describe('Retry-After', () => {
  const inMs = (ms: number) => new Date(Date.UTC(2030, 0, 1) + ms).toUTCString();
  it.each([
    ['7', undefined, 7],
    ['1.5', undefined, 2],
    ['0', undefined, 0],
    [inMs(90_000), inMs(0), 90],
    [inMs(-90_000), inMs(0), 0],
    ['soon', undefined, undefined],
    ['soon 2', undefined, undefined],
    ['-5', undefined, undefined],
  ])('is told in seconds for %s', async (value, date, seconds) => {
    const told = { 'retry-after': value, ...(date !== undefined && { date }) };
    const serves = refusing({ status: 503, kind: 'own', headers: told }, inCall);
    const world = await worldOf('streamable', { serves });
    const { failure } = refusalOf(await (await openIn(world)).call('echo').answer());
    expect(failure.details?.['retry_after']).toBe(seconds);
  });
  it.each([429, 503])('counts for the stream with news, too: %i', async (status) => {
    const hand = handTimers();
    const serves = refusing({ status, kind: 'empty', headers }, ({ method }) => method === 'GET');
    const world = await worldOf('streamable', { timers: hand.timers, serves });
    const session = observed(world, (emit) => world.open('echo', emit));
    expect(await session.first()).toMatchObject({ type: 'session.opened' });
    await hand.awaited(7_000);
    hand.pass(7_000);
    await world.until(() => world.server.seen.filter(({ method }) => method === 'GET').length === 2);
  });
});

describe('a URL without a type', () => {
  const untold = { kind: 'streamable', fallbackToSse: true };
  it.each([400, 404, 405, 406, 415].flatMap((status) => kinds.map((kind) => [status, kind] as const)))(
    'is tried as SSE when the first POST is refused with %i, with a body of the kind %s',
    async (status, kind) => {
      const isFirst = ({ method, path }: SeenRequest): boolean =>
        method === 'POST' && !path.includes('sessionId');
      const serves = refusing({ status, kind, message: 'Method not allowed' }, isFirst);
      const world = await worldOf('sse', { spec: untold, serves });
      const session = await openIn(world);
      expect(await session.text('echo', { text: 'hi' })).toBe('hi');
      expect(world.server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
    },
  );
  it.each(kinds)('is refused in the words of its first answer when it is no SSE either: %s', async (kind) => {
    const [page, post] = [
      refusing({ status: 404, kind: 'text', message: 'no page' }),
      refusing({ status: 400, kind, message: 'the first words' }),
    ];
    const world = await worldOf('streamable', {
      spec: untold,
      serves: { instead: (seen, response) => (seen.method === 'GET' ? page : post).instead(seen, response) },
    });
    const { message, details } = await failureIn(world);
    expect(details).toMatchObject({ http_status: 400 });
    expect(message.includes('the first words')).toBe(kind !== 'empty');
  });
  it('says so when its stream wants a login', async () => {
    const world = await worldOf('sse', {
      spec: untold,
      serves: {
        instead: (seen, response) =>
          refuse(response, seen, { status: seen.method === 'GET' ? 401 : 405, kind: 'empty' }),
      },
    });
    expect(await failureIn(world)).toMatchObject({ code: 'Unauthorized' });
  });
});

describe('a redirect of a POST', () => {
  const elsewhere = 'https://elsewhere.test';
  it.each([
    [301, '/mcp/', '/mcp/'],
    [302, '/login?next=s3cret', '/login'],
    [303, `${elsewhere}/mcp#x`, `${elsewhere}/mcp`],
    [301, `https://s3cret:s3cret@elsewhere.test/a?key=s3cret`, `${elsewhere}/a`],
    [307, `${elsewhere}/mcp`, `${elsewhere}/mcp`],
    [308, 'ftp://elsewhere.test/x', 'ftp://elsewhere.test/x'],
    [302, '', 'does not say where'],
  ])('is named when it is %i to %j, and nothing is sent there', async (status, location, named) => {
    const world = await worldOf('streamable', {
      serves: {
        instead: (_, response) => !!response.writeHead(status, location === '' ? {} : { location }).end(),
      },
    });
    const failure = await failureIn(world);
    expect(failure).toMatchObject({ code: 'NotStartable', details: { http_status: status } });
    expect(failure.message).toContain(named);
    expect(JSON.stringify(failure)).not.toContain('s3cret');
    expect(world.server.seen).toHaveLength(1);
  });

  it('to itself by 307 ends after five, and its reason names no other', async () => {
    const world = await worldOf('streamable', {
      serves: {
        instead: ({ path }, response) => !!response.writeHead(307, { location: path }).end(),
      },
    });
    const { message } = await failureIn(world);
    expect(message).toMatch(/^the server sends us to .+ \(HTTP 307\), and we follow it no further$/);
    expect(world.server.seen).toHaveLength(6);
  });
});

describe('notifications/initialized', () => {
  const statuses = [400, 403, 404, 405, 415, 422, 500, 501, 503];
  it.each(
    statuses.flatMap((status) => (['streamable', 'sse'] as const).map((kind) => [kind, status] as const)),
  )('may be refused, and the server is used: %s, %i', async (kind, status) => {
    const notices: string[] = [];
    const serves = refusing(
      { status, kind: 'id null', message: 'Session not found' },
      (seen) => methodOf(seen) === 'notifications/initialized',
    );
    const world = await worldOf(kind, { notice: (_, { text }) => notices.push(text), serves });
    const session = await openIn(world);
    expect(await session.text('echo', { text: 'alive' })).toBe('alive');
    expect(notices).toEqual([expect.stringMatching(/^notifications\/initialized: .*\bHTTP \d/)]);
  });
});
