import { describe, expect, it } from 'vitest';
import { httpWorlds } from '../session-http/http-worlds.ts';
import { callsSeen, handTimers, openIn, refusalOf, seenBy, typesOf } from './session.probe.ts';
import type { HttpWorld } from './session.world.ts';

const worldOf = httpWorlds();
const changed = (list: string) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });

describe('an event stream that breaks', () => {
  it('is taken up where it broke in the midst of an answer, when its events have names', async () => {
    const world = await worldOf('streamable', {
      serves: {
        eventIds: true,
        // No other stream can bring it.
        instead: ({ method, headers }, response) =>
          method === 'GET' && !headers['last-event-id'] && !!response.writeHead(405).end(),
      },
    });
    const session = await openHalf(world);
    const slow = session.call('slow', { ms: 30 });
    await world.until(() => callsSeen(world, 'slow') === 1);
    world.server.cut();
    expect(await slow.answer()).toMatchObject({ type: 'ask.answered' });
    expect(callsSeen(world, 'slow'), 'the call itself is never sent again').toBe(1);
    expect(typesOf(session.facts)).toEqual(['session.opened']);
  });

  it('costs the answer in whose midst it breaks, when its events have no names, and the session lives', async () => {
    const world = await worldOf('streamable');
    const session = await openIn(world);
    const hang = session.call('hang', { label: 'a' });
    await world.until(() => callsSeen(world, 'hang') === 1);
    world.server.cut();
    expect(await hang.answer()).toMatchObject({
      sent: true,
      lost: true,
      alone: true,
      failure: { code: 'ServerLost', details: { cause: expect.any(String), phase: 'session' } },
    });
    expect(await session.text('echo', { text: 'alive' })).toBe('alive');
    expect(typesOf(session.facts)).toEqual(['session.opened']);
  });

  it('is opened again when it is one with news, brings what was missed, and the session lives', async () => {
    const world = await worldOf('streamable', { serves: { eventIds: true } });
    const session = await openIn(world);
    world.server.announce(changed('tools'));
    await world.until(() => session.facts.length === 2);
    world.server.cut();
    await world.until(() => world.server.listening === 0);
    world.server.announce(changed('prompts'));
    await world.until(() => session.facts.length === 3);
    expect(session.facts.slice(1)).toEqual([
      { type: 'list.changed', list: 'tools' },
      { type: 'list.changed', list: 'prompts' },
    ]);
    // The first event was the answer to initialize.
    expect(seenBy(world, 'GET').at(-1)?.headers['last-event-id']).toBe('2');
  });

  it('is given up when it always brings nothing, and the session lives', async () => {
    const world = await worldOf('streamable', {
      serves: {
        instead: ({ method }, response) =>
          method === 'GET' && !!response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      },
    });
    const session = await openHalf(world);
    await world.until(() => world.notices.length > 0);
    expect(seenBy(world, 'GET')).toHaveLength(3);
    expect(await session.text('echo', { text: 'alive' })).toBe('alive');
    expect(typesOf(session.facts)).toEqual(['session.opened']);
  });

  it('is the end of the session when it finds nobody any more', async () => {
    const world = await worldOf('streamable');
    const session = await openIn(world);
    await world.server.stop();
    await session.next('session.lost');
    expect(session.facts.at(-1)).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
    expect(session.facts.at(-1)).not.toHaveProperty('isExpired');
  });

  it('is not asked for again when the server does not have it', async () => {
    const world = await worldOf('streamable', {
      serves: { instead: ({ method }, response) => method === 'GET' && !!response.writeHead(405).end() },
    });
    const session = await openHalf(world);
    await session.text('echo', { text: 'alive' });
    expect(seenBy(world, 'GET')).toHaveLength(1);
    expect(world.notices).toEqual([]);
  });

  it('is the end of the session over SSE', async () => {
    const world = await worldOf('sse');
    const session = await openIn(world);
    world.server.cut();
    await session.next('session.lost');
    expect(typesOf(session.facts)).toEqual(['session.opened', 'session.lost']);
  });
});
/** Without waiting for a stream that does not come. */
const openHalf = (world: HttpWorld) => {
  Object.assign(world, { ready: undefined });
  return openIn(world);
};

describe('the time of HTTP', () => {
  it('is not limited for a question, whatever the config says of connecting', async () => {
    const hand = handTimers();
    const world = await worldOf('streamable', { timers: hand.timers, serves: { json: true } });
    const session = await openIn(world);
    const hang = session.call('hang', { label: 'a' });
    await world.until(() => callsSeen(world, 'hang') === 1);
    hand.pass(1_000_000_000);
    expect(await session.text('echo', { text: 'alive' })).toBe('alive');
    expect(hang.facts).toEqual([]);
  });

  it('is limited for the handshake as the config says', async () => {
    const hand = handTimers();
    const world = await worldOf('streamable', { timers: hand.timers, spec: { timeoutMs: 700 } });
    const facts: unknown[] = [];
    world.open('mute', (fact) => facts.push(fact));
    await world.until(() => world.server.seen.length === 1);
    hand.pass(700);
    await world.until(() => facts.length > 0);
    expect(facts).toMatchObject([
      { type: 'session.failed', failure: { details: { cause: 'ETIMEDOUT', phase: 'initialize' } } },
    ]);
  });

  it('makes a stream with news be opened again after a silence', async () => {
    const hand = handTimers();
    const world = await worldOf('streamable', { timers: hand.timers, spec: { sseReadTimeoutMs: 900 } });
    const session = await openIn(world);
    await hand.awaited(900);
    hand.pass(900);
    // The delay before it is tried again.
    await hand.awaited(5);
    hand.pass(5);
    await world.until(() => seenBy(world, 'GET').length === 2);
    expect(typesOf(session.facts)).toEqual(['session.opened']);
  });

  it('makes us ask for a sign of life after a silence over SSE; the session ends when none comes', async () => {
    const hand = handTimers();
    const world = await worldOf('sse', {
      timers: hand.timers,
      spec: { sseReadTimeoutMs: 900, timeoutMs: 300 },
    });
    const session = await openIn(world);
    const pings = (): number =>
      seenBy(world, 'POST').filter(({ body }) => body?.['method'] === 'ping').length;
    await hand.awaited(900);
    hand.pass(900);
    await world.until(() => pings() === 1);
    // An answer was heard, so silence begins again.
    await hand.awaited(900);
    expect(world.notices, 'its answer is nobody’s').toEqual([]);
    world.refuse = (response) => response.writeHead(202).end();
    hand.pass(900);
    await world.until(() => pings() === 2);
    await hand.awaited(300);
    hand.pass(300);
    await session.next('session.lost');
    expect(session.facts.at(-1)).toMatchObject({ reason: 'the event stream fell silent' });
  });
});

describe('a message over the limit in HTTP', () => {
  const small = { resultBytes: 20_000, messageBytes: 30_000 };
  it.each([
    ['streamable', false],
    ['streamable', true],
    ['sse', false],
  ] as const)('is not kept, fails its question, and no other: %s, as JSON: %s', async (kind, json) => {
    const world = await worldOf(kind, { ...small, serves: { json } });
    const session = await openIn(world);
    const innocent = session.text('echo', { text: 'still here' });
    for (const bytes of [25_000, 300_000])
      expect(refusalOf(await session.call('big', { bytes }).answer())).toMatchObject({
        sent: true,
        failure: { code: 413, details: { limit: 20_000 } },
      });
    expect(await innocent).toBe('still here');
    expect(await session.text('big', { bytes: 10_000 })).toHaveLength(10_000);
  });
});

describe('an answer that is no MCP', () => {
  it.each([
    ['text/html', '<html>'],
    ['application/json', '"a text"'],
    ['application/json', '{"jsonrpc":"2.0","id":"somebody else","result":{}}'],
    ['application/json', '{broken'],
  ])('fails the question it answers, and no other: %s %s', async (type, body) => {
    const world = await worldOf('streamable');
    const session = await openIn(world);
    world.refuse = (response) => response.writeHead(200, { 'content-type': type }).end(body);
    const refused = refusalOf(await session.call('echo').answer());
    expect(refused).toMatchObject({ sent: true, failure: { code: 500 } });
    world.refuse = undefined;
    expect(await session.text('echo', { text: 'alive' })).toBe('alive');
  });
});
