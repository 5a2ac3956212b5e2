import { describe, expect, it } from 'vitest';
import { SecretIndex } from '../../../machines/secrets/secret-index.ts';
import { secretsIn } from '../../../machines/secrets/secret-rules.ts';
import { SecretRedactor } from '../../../machines/secrets/redaction.ts';
import { observed } from './session.harness.ts';
import { failureIn, handTimers, openIn, refusalOf, seenBy } from './session.probe.ts';
import { httpWorlds } from '../session-http/http-worlds.ts';
import { createLinkedWorld, type HttpWorld, type HttpWorldOptions } from './session.world.ts';

const worldOf = httpWorlds();
const streamable = (options?: HttpWorldOptions): Promise<HttpWorld> => worldOf('streamable', options);
const sse = (options?: HttpWorldOptions): Promise<HttpWorld> => worldOf('sse', options);

describe('headers over HTTP', () => {
  const headers = {
    authorization: 'Basic dTpw',
    'X-API-Key': 'k-1',
    'x-Mixed-CASE': 'Ä'.normalize('NFD')[0] ?? '',
  };
  it.each(['streamable', 'sse'] as const)(
    'are sent as they are, name and value, with every request: %s',
    async (kind) => {
      const world = await (kind === 'sse' ? sse : streamable)({ spec: { headers } });
      const session = await openIn(world);
      await session.text('echo', { text: 'hi' });
      session.close();
      await world.port.closed();
      const methods = new Set(world.server.seen.map(({ method }) => method));
      expect([...methods].toSorted()).toEqual(kind === 'sse' ? ['GET', 'POST'] : ['DELETE', 'GET', 'POST']);
      for (const { rawHeaders } of world.server.seen)
        for (const [name, value] of Object.entries(headers))
          expect(rawHeaders[rawHeaders.indexOf(name) + 1], name).toBe(value);
    },
  );

  it('say who asks, and that nothing may be packed, unless the config says otherwise', async () => {
    const world = await streamable({ spec: { headers: { 'User-Agent': 'mine' } } });
    await openIn(world);
    expect(world.server.seen[0]?.headers).toMatchObject({
      'user-agent': 'mine',
      'accept-encoding': 'identity',
    });
    const plain = await streamable();
    await openIn(plain);
    expect(plain.server.seen[0]?.headers['user-agent']).toBe('contract/0.0.0');
  });

  it('name the session and the revision as soon as there are such, and those of the protocol are ours', async () => {
    const world = await streamable({ spec: { headers: { ACCEPT: 'text/html', 'Mcp-Session-Id': 'mine' } } });
    const session = await openIn(world);
    await session.text('echo', { text: 'hi' });
    const [first, ...others] = world.server.seen;
    // The one that a server assumes without the header.
    expect(first?.headers['mcp-protocol-version']).toBe('2025-03-26');
    for (const one of others) {
      expect(one.headers['mcp-session-id']).toBe('session-1');
      expect(one.headers['mcp-protocol-version']).toBe('2025-06-18');
      expect(one.headers.accept).toContain('text/event-stream');
    }
  });

  it('go along to another path of the same origin, and to no other origin', async () => {
    const other = await streamable();
    const moved = await streamable({
      serves: {
        instead: ({ path }, response) => {
          if (path === '/full') response.writeHead(307, { location: '/echo' }).end();
          else if (path === '/pages') response.writeHead(307, { location: `${other.server.url}/echo` }).end();
          else return false;
          return true;
        },
      },
      spec: { headers: { authorization: 'Bearer abc' } },
    });
    const session = await openIn(moved, 'full');
    expect(await session.text('echo', { text: 'there' })).toBe('there');
    expect(await failureIn(moved, 'pages')).toMatchObject({
      code: 'NotStartable',
      details: { http_status: 307 },
    });
    expect(other.server.seen).toEqual([]);
  });
});

describe('the end of a session over HTTP', () => {
  const used = async (options?: HttpWorldOptions): Promise<HttpWorld> => {
    const world = await streamable(options);
    (await openIn(world)).close();
    await world.port.closed();
    return world;
  };
  it('is said with DELETE, and leaves no connection', async () => {
    const world = await used();
    expect(seenBy(world, 'DELETE').map((one) => one.headers['mcp-session-id'])).toEqual(['session-1']);
    expect(world.server.sessions).toBe(0);
    await world.until(() => world.server.connections === 0);
  });

  it('is not said where the config does not want it', async () => {
    expect(seenBy(await used({ spec: { terminateOnClose: false } }), 'DELETE')).toEqual([]);
  });

  it('waits two seconds for who does not answer, and no longer', async () => {
    const hand = handTimers();
    const world = await streamable({
      timers: hand.timers,
      serves: { instead: ({ method }) => method === 'DELETE' },
    });
    const session = await openIn(world);
    session.close();
    await world.until(() => seenBy(world, 'DELETE').length > 0);
    hand.pass(2_000);
    await world.port.closed();
    expect(hand.waitsFor(2_000)).toBe(false);
  });

  it('has come when nobody listens there any more, unless a stream says otherwise', async () => {
    const world = await streamable({
      serves: { instead: ({ method }, response) => method === 'GET' && !!response.writeHead(405).end() },
    });
    const session = observed(world, (emit) => world.open('echo', emit));
    await session.first();
    await world.server.stop();
    // A connection that was kept may be found cut only when it is used.
    let refused = refusalOf(await session.call('echo').answer());
    if (refused.lost) refused = refusalOf(await session.call('echo').answer());
    expect(refused).toMatchObject({
      sent: false,
      failure: { code: 'ServerLost', details: { cause: 'ECONNREFUSED', phase: 'session' } },
    });
    await session.next('session.lost');
  });
});

describe('a refusal over HTTP', () => {
  it.each([401, 403])('comes with %i before any time-out, and nothing is asked again', async (status) => {
    const hand = handTimers();
    const world = await streamable({ timers: hand.timers });
    world.remote?.reject(status as 401 | 403);
    const failure = await failureIn(world);
    expect(failure).toMatchObject({ details: { http_status: status }, remedy: expect.any(String) });
    await world.port.closed();
    expect(world.server.seen).toHaveLength(1);
  });

  it('never tells a secret: not those of the URL, not those of headers, not where the server is', async () => {
    const secrets = ['s3cret-pass', 's3cret-query', 's3cret-token', '127.0.0.1'];
    const headers = { authorization: 'Bearer s3cret-token' };
    const known = secretsIn(headers, ['http://s3cret-user:s3cret-pass@h/echo?key=s3cret-query']);
    const redactor = new SecretRedactor({ secrets: new SecretIndex(known) });
    const texts: string[] = [];
    for (const status of [400, 401, 403, 404, 418, 429, 500, 302, 200]) {
      const world = await streamable({
        redact: (text) => redactor.text(text),
        spec: { headers },
        serves: {
          instead: (_seen, response) => {
            const message = 'no s3cret-token and no s3cret-user:s3cret-pass?key=s3cret-query';
            const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } });
            response.writeHead(status, {
              location: 'http://s3cret-user@other/',
              'retry-after': '120',
              'content-type': 'text/plain',
            });
            response.end(body);
            return true;
          },
        },
        remoteOf: () => ({
          kind: 'streamable',
          url: world.server.url.replace('//', '//s3cret-user:s3cret-pass@') + '/echo?key=s3cret-query',
          headers,
          timeoutMs: 5_000,
          sseReadTimeoutMs: 0,
          terminateOnClose: true,
        }),
      });
      texts.push(JSON.stringify(await failureIn(world)));
    }
    const nowhere = await streamable({ spec: { headers } });
    await nowhere.server.stop();
    texts.push(JSON.stringify(await failureIn(nowhere)));
    expect(texts).toHaveLength(10);
    for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('comes before any network use where there is no usable URL, and no server of this name inside', async () => {
    for (const url of ['', 'not a url', 'ftp://host/', 'file:///etc/passwd']) {
      const world = await streamable({ spec: { url } });
      expect(await failureIn(world), url).toMatchObject({ code: 'NotStartable', remedy: expect.any(String) });
      expect(world.server.seen).toEqual([]);
    }
    const inside = createLinkedWorld({ remoteOf: () => undefined });
    expect(await failureIn(inside)).toMatchObject({ code: 'NotStartable' });
    const broken = createLinkedWorld({
      remoteOf: () => ({ kind: 'inmemory', connect: () => Promise.reject(new Error('no such server')) }),
    });
    expect(await failureIn(broken)).toMatchObject({ code: 'NotStartable' });
  });
});
