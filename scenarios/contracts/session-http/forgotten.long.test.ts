import { describe, expect, it } from 'vitest';
import type { SeenRequest } from '../../fixtures/http-server.ts';
import { openIn, refusalOf } from '../session/session.probe.ts';
import { bodies, httpWorlds, inCall, methodOf, refusing, timesOf, type BodyKind } from './http-worlds.ts';

const worldOf = httpWorlds();

type Row = readonly [status: number, kind: BodyKind, message: string];
const forgets: readonly Row[] = [
  [404, 'id null', 'Session not found'],
  [404, 'own', 'Session not found'],
  [404, 'text', '<html>404</html>'],
  [404, 'empty', ''],
  [400, 'id null', 'Bad Request: No valid session ID provided'],
  [400, 'own', 'Bad Request: No valid session ID provided'],
  [400, 'text', 'Invalid session ID'],
  [400, 'detail', 'Invalid or expired session'],
  [400, 'id null', 'Bad Request: Server not initialized'],
  [400, 'text', 'Received request before initialization was complete'],
  [401, 'id null', 'Session expired'],
  [401, 'text', 'unknown session'],
  [403, 'own', 'Invalid session'],
  [403, 'detail', 'Session not found'],
  [409, 'own', 'the sessionId is not known'],
  [410, 'detail', 'session gone'],
  [422, 'detail', 'mcp-session-id unknown'],
  [500, 'id null', 'Session terminated'],
  [500, 'own', 'Session terminated'],
  [400, 'text', 'mcp_session_id is not known'],
  [400, 'detail', 'invalid_session'],
  [400, 'own', 'InvalidSession'],
  [400, 'id null', "Server hasn't been initialized"],
  [400, 'text', 'Initialization has not completed'],
  [412, 'detail', 'Client must complete the initialize handshake'],
  [200, 'own', 'Session not found'],
  [200, 'own', 'Server has not been initialized'],
  [200, 'own', 'Invalid request parameters'],
];
const remembers: readonly Row[] = [
  [400, 'id null', 'Bad Request'],
  [403, 'text', 'forbidden'],
  [429, 'own', 'too many sessions'],
  [502, 'text', 'session lost upstream'],
  [503, 'id null', 'no session is free'],
  [500, 'own', 'cannot initialize the database'],
  [500, 'text', 'cannot initialize the database'],
  [400, 'text', 'Browser session 5 not found'],
  [422, 'detail', 'browser session 5 does not exist'],
  [401, 'text', 'the session of this user has ended'],
  [403, 'text', 'Your plan allows 3 concurrent sessions'],
  [409, 'id null', 'another request of this session is running'],
  [413, 'detail', 'too large for this session'],
  [500, 'id null', 'Session manager crashed'],
  [500, 'text', '<html>PHP Warning: session_start()</html>'],
];

describe('a server that has forgotten the session', () => {
  const worldThat = async (kind: 'streamable' | 'sse', [status, body, message]: Row, when = inPost) => {
    let isForgotten = false;
    const refusal = { status, kind: body, message };
    const serves = refusing(refusal, (seen) => isForgotten && when(seen));
    return { world: await worldOf(kind, { serves }), forget: (is = true) => (isForgotten = is) };
  };
  const inPost = ({ method }: SeenRequest): boolean => method === 'POST';

  it.each(forgets)('is known in a call: %i %s %j', async (...row) => {
    const { world, forget } = await worldThat('streamable', row);
    const session = await openIn(world);
    forget();
    const refused = refusalOf(await session.call('echo').answer());
    expect(refused.lost ?? false, 'its outcome is known').toBe(false);
    await session.next('session.lost');
    expect(session.facts.at(-1)).toMatchObject({
      isExpired: true,
      reason: expect.stringMatching(/^the server has forgotten this session/),
    });
  });

  const asked = forgets.flatMap((row) => [
    ['tools/list', ...row] as const,
    ...(row[2] === 'Invalid request parameters' ? [] : [['ping', ...row] as const]),
  ]);
  it.each(asked)(
    'a session that its server has forgotten is known by the answer to %s: %i %s %j',
    async (method, ...row) => {
      const { world, forget } = await worldThat('streamable', row);
      const session = await openIn(world);
      await session.request(method).answer();
      forget();
      expect(await session.request(method).answer()).toMatchObject({ type: 'ask.refused' });
      await session.next('session.lost');
      expect(session.facts.at(-1)).toMatchObject({ isExpired: true });
    },
  );

  it.each(remembers)('is not one that says something else: %i %s %j', async (status, kind, message) => {
    const world = await worldOf('streamable', { serves: refusing({ status, kind, message }, inCall) });
    const session = await openIn(world);
    await session.call('echo').answer();
    expect(await session.request('ping').answer()).toMatchObject({ type: 'ask.answered' });
    expect(session.facts.map(({ type }) => type)).toEqual(['session.opened']);
  });

  it('is not one that refuses one call with words of a session while another one runs', async () => {
    const refusal = { status: 400, kind: 'text', message: 'Browser session 5 not found' } as const;
    const isEcho = ({ body }: SeenRequest): boolean =>
      (body?.['params'] as { name?: string } | undefined)?.name === 'echo';
    const world = await worldOf('streamable', { serves: refusing(refusal, isEcho) });
    const session = await openIn(world);
    const other = session.call('slow', { ms: 30 });
    await session.call('echo').answer();
    expect(await other.answer()).toMatchObject({ type: 'ask.answered' });
    expect(timesOf(world, 'initialize')).toBe(1);
  });

  it.each([
    [401, 'Unauthorized'],
    [403, 'AccessDenied'],
  ])('is not one that asks for a login: %i with WWW-Authenticate', async (status, code) => {
    const refusal = { status, kind: 'own', message: 'Session expired' } as const;
    const headers = { 'www-authenticate': 'Bearer' };
    const world = await worldOf('streamable', { serves: refusing({ ...refusal, headers }, inCall) });
    const session = await openIn(world);
    expect(refusalOf(await session.call('echo').answer()).failure.code).toBe(code);
    expect(session.facts.every((fact) => !('isExpired' in fact))).toBe(true);
  });

  it('is not one whose tool speaks of sessions of its own: a ping is answered', async () => {
    const refusal = { status: 200, kind: 'own', message: 'browser session not found' } as const;
    const world = await worldOf('streamable', { serves: refusing(refusal, inCall) });
    const session = await openIn(world);
    for (let n = 0; n < 3; n += 1) await session.call('echo').answer();
    await world.until(() => timesOf(world, 'ping') > 0);
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.answered' });
    expect(session.facts.map(({ type }) => type)).toEqual(['session.opened']);
  });

  it('is not one whose ping never worked, and whose prompts never did', async () => {
    const words = { ping: 'no ping', 'prompts/list': 'no session for prompts' };
    const odd = new Map(
      Object.entries(words).map(([method, message]) => [
        method,
        refusing({ status: 200, kind: 'own', message }),
      ]),
    );
    const world = await worldOf('streamable', {
      serves: { instead: (seen, response) => odd.get(methodOf(seen))?.instead(seen, response) ?? false },
    });
    const session = await openIn(world, 'full');
    await session.request('prompts/list').answer();
    await session.request('ping').answer();
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.answered' });
    expect(session.facts.map(({ type }) => type)).toEqual(['session.opened']);
  });

  it.each([
    ['that session', true],
    ['a browser session', false],
  ])('is asked for by a ping over SSE where a refusal speaks of %s', async (_, isForgotten) => {
    const row = [400, 'text', 'session 5 not found'] as const;
    const { world, forget } = await worldThat('sse', row, isForgotten ? inPost : inCall);
    const session = await openIn(world);
    forget();
    await session.call('echo').answer();
    if (isForgotten) await session.next('session.lost');
    forget(false);
    expect(session.facts.some((fact) => 'isExpired' in fact && fact.isExpired)).toBe(isForgotten);
  });

  it.each(Object.keys(bodies) as BodyKind[])('is known over SSE by 404: %s', async (kind) => {
    const { world, forget } = await worldThat('sse', [404, kind, 'Could not find session']);
    const session = await openIn(world);
    forget();
    expect(await session.call('echo').answer()).toMatchObject({ sent: false });
    await session.next('session.lost');
    expect(session.facts.at(-1)).toMatchObject({ isExpired: true });
  });
});
