import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { RemoteSpec } from '../../../adapters/mcp/http/remote.ts';
import { failureIn, handTimers, openIn, typesOf } from './session.probe.ts';
import type { RealSessionWorld, WorldOptions } from './session.port.ts';
import { createLinkedWorld } from './session.world.ts';

// The servers that most people run are made with the SDK; ours by hand might share a mistake with our client.

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function mcpServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('greet', { description: 'greets' }, async (extra) => {
    const { progressToken } = extra._meta ?? {};
    if (progressToken !== undefined)
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 1 },
      });
    return { content: [{ type: 'text', text: 'hello' }] };
  });
  let grown = 0;
  server.registerTool('grow', { description: 'has another tool then' }, () => {
    server.registerTool(`grown-${(grown += 1)}`, {}, () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  server.registerResource('note', 'note://1', {}, () => ({
    contents: [{ uri: 'note://1', text: 'a note' }],
  }));
  closers.push(() => server.close());
  return server;
}
async function listen(http: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}
const web = { headers: {}, timeoutMs: 5_000, sseReadTimeoutMs: 60_000 };

async function streamable(enableJsonResponse: boolean): Promise<RemoteSpec> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer((request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return void known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    void mcpServer()
      .connect(transport as never)
      .then(() => transport.handleRequest(request, response));
  });
  return { kind: 'streamable', url: await listen(http), ...web, terminateOnClose: true };
}
async function sse(): Promise<RemoteSpec> {
  const sessions = new Map<string, SSEServerTransport>();
  const http = createServer((request, response) => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      return void mcpServer().connect(transport);
    }
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId');
    return void sessions.get(id ?? '')?.handlePostMessage(request, response);
  });
  return { kind: 'sse', url: await listen(http), ...web };
}
const inside = (): RemoteSpec => ({
  kind: 'inmemory',
  connect: async () => {
    const [ours, its] = InMemoryTransport.createLinkedPair();
    await mcpServer().connect(its);
    return ours;
  },
});
const kinds: Readonly<Record<string, () => RemoteSpec | Promise<RemoteSpec>>> = {
  'streamable HTTP': () => streamable(false),
  'streamable HTTP that answers as JSON': () => streamable(true),
  'HTTP and SSE': sse,
  'a server of this process': inside,
};

describe.each(Object.keys(kinds))('a server made with the SDK, over %s', (kind) => {
  const opened = async () => {
    const spec = await (kinds[kind] ?? inside)();
    const world: RealSessionWorld = createLinkedWorld({ remoteOf: () => spec });
    closers.push(() => world.dispose());
    return { world, session: await openIn(world) };
  };

  it('answers all that it offers, and says when its tools have changed', async () => {
    const { world, session } = await opened();
    const call = session.request('tools/call', { name: 'greet', arguments: {} });
    expect(await call.answer()).toMatchObject({ result: { content: [{ text: 'hello' }] } });
    expect(await session.request('resources/read', { uri: 'note://1' }).answer()).toMatchObject({
      result: { contents: [{ text: 'a note' }] },
    });
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.answered' });
    // The stream with its news may open later than the session.
    while (session.facts.length === 1)
      await session.request('tools/call', { name: 'grow', arguments: {} }).answer();
    expect(JSON.stringify(await session.request('tools/list').answer())).toContain('grown');
    session.close();
    await world.port.closed();
    expect(new Set(typesOf(session.facts))).toEqual(new Set(['session.opened', 'list.changed']));
  });
});

describe('a kind of the host’s own', () => {
  type Connect = Extract<RemoteSpec, { kind: 'own' }>['connect'];
  const reached = (connect: Connect, options: WorldOptions = {}): RealSessionWorld => {
    const world = createLinkedWorld({ remoteOf: () => ({ kind: 'own', connect }), ...options });
    closers.push(() => world.dispose());
    return world;
  };
  const pair = (): readonly [InMemoryTransport, InMemoryTransport] => InMemoryTransport.createLinkedPair();

  it('cannot be reached when it has no connection now, in one line of the words of its host', async () => {
    const world = reached(() => Promise.reject(new Error('no tunnel\n    at somewhere (file.ts:1)')));
    expect(await failureIn(world)).toEqual({
      code: 'ServerLost',
      message: 'the server cannot be reached: no tunnel',
      remedy: expect.any(String),
    });
    const [ours] = pair();
    const late = Object.assign(ours, { start: () => Promise.reject(new Error('hung up')) });
    expect(await failureIn(reached(() => late))).toMatchObject({ code: 'ServerLost' });
  });

  it('is not startable when it never has a connection as it is configured', async () => {
    const world = reached(() => {
      throw Object.assign(new Error('no such tunnel'), { isFinal: true });
    });
    expect(await failureIn(world)).toMatchObject({
      code: 'NotStartable',
      message: 'the server cannot be reached: no such tunnel',
    });
  });

  it('hears when nobody wants its connection any more, and one that comes all the same is closed', async () => {
    const [ours, its] = pair();
    let emit = (_: InMemoryTransport): void => {};
    const signals: AbortSignal[] = [];
    const world = reached((signal) => {
      signals.push(signal);
      return new Promise((resolve) => (emit = resolve));
    });
    world.open('echo', () => {}).close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    const closed = new Promise<void>((resolve) => (its.onclose = resolve));
    emit(ours);
    await closed;
    const connected = reached(async (signal) => {
      signals.push(signal);
      const [end, other] = pair();
      await mcpServer().connect(other);
      return end;
    });
    (await openIn(connected)).close();
    await connected.port.closed();
    expect(signals[1]?.aborted, 'it is there: it is closed, and may still say what was to be said').toBe(
      false,
    );
  });

  it('is waited for two seconds, and no longer, when it never says that its end is closed', async () => {
    const hand = handTimers();
    const [ours, its] = pair();
    await mcpServer().connect(its);
    const close = ours.close.bind(ours);
    closers.push(() => (ours.close = close));
    const deaf = Object.assign(ours, { close: () => new Promise<never>(() => {}) });
    const world = reached(() => deaf, { timers: hand.timers });
    (await openIn(world)).close();
    expect(hand.waitsFor(2_000)).toBe(true);
    hand.pass(2_000);
    await world.port.closed();
    expect(hand.waitsFor(2_000)).toBe(false);
  });
});
