import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { RemoteSpec } from '../../adapters/mcp/index.ts';
import { openIn, typesOf } from './session.probe.ts';
import { createLinkedWorld, type RealSessionWorld } from './session.world.ts';

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
/** The host's own kind: here one that is again inside, to see that it is asked. */
const own = (): RemoteSpec => ({ kind: 'own:echo', name: 'sdk' });

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
  it('is carried by what the host gives for it, and by nothing else', async () => {
    const failing = createLinkedWorld({ remoteOf: own });
    const facts: unknown[] = [];
    failing.open('echo', (fact) => facts.push(fact));
    await failing.until(() => facts.length > 0);
    expect(facts).toMatchObject([{ type: 'session.failed', failure: { code: 'NotStartable' } }]);
    const specs: unknown[] = [];
    const world = createLinkedWorld({
      remoteOf: own,
      carriers: {
        'own:echo': (spec) => {
          specs.push(spec['name']);
          const [ours, its] = InMemoryTransport.createLinkedPair();
          void mcpServer().connect(its);
          return Object.assign(ours, { lostBecause: undefined });
        },
      },
    });
    closers.push(() => world.dispose());
    const session = await openIn(world);
    expect(await session.request('tools/call', { name: 'greet' }).answer()).toMatchObject({
      type: 'ask.answered',
    });
    expect(specs).toEqual(['sdk']);
  });
});
