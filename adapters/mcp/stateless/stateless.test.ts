import { describe, expect, it } from 'vitest';
import { waitingTimers } from '../../clock.ts';
import type { McpTransport } from '../transport.ts';
import { statelessRevision, type Request } from './revision.ts';
import { StatelessTransport } from './stateless.ts';

function server(revision: string) {
  const asked: string[] = [];
  const refused = { code: -32_601, message: 'Method not found' };
  const results: Readonly<Record<string, object>> =
    revision === statelessRevision
      ? { 'server/discover': { supportedVersions: [revision], capabilities: {}, serverInfo: {} } }
      : { initialize: { protocolVersion: revision, capabilities: {}, serverInfo: {} } };
  const transport: McpTransport = {
    lost: undefined,
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      const { id, method } = message as Request;
      asked.push(method);
      if (method === 'tools/call' || method.startsWith('notifications/')) return Promise.resolve();
      const result = results[method];
      const answer = { jsonrpc: '2.0', id, ...(result ? { result } : { error: refused }) };
      queueMicrotask(() => transport.onmessage?.(answer as never));
      return Promise.resolve();
    },
  };
  return { transport, asked };
}
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
} as const;

it.each([
  [statelessRevision, ['initialize', 'server/discover']],
  ['2025-11-25', ['initialize']],
])('a server of %s is opened by %j', async (revision, methods) => {
  const { transport, asked } = server(revision);
  const spoken = new StatelessTransport(transport, { timers: waitingTimers, notice: () => {} });
  const answered = new Promise<unknown>((resolve) => (spoken.onmessage = resolve));
  await spoken.start();
  await spoken.send(initialize);
  expect(await answered).toMatchObject({ id: 1, result: { capabilities: {} } });
  await spoken.close();
  expect(asked).toEqual(methods);
});

describe('a cancel', () => {
  it.each([
    ['is a notification over stdio', false],
    ['closes the stream of its request over HTTP, and nothing is sent', true],
  ])('%s', async (_, isHttp) => {
    const { transport, asked } = server(statelessRevision);
    const aborted: unknown[] = [];
    const http = {
      headersFor: undefined,
      abort: (id: unknown) => void aborted.push(id),
      leaveSession: () => {},
    };
    const spoken = new StatelessTransport(
      transport,
      { timers: waitingTimers, notice: () => {} },
      ...(isHttp ? [http] : []),
    );
    await spoken.start();
    await spoken.send(initialize);
    void spoken.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow' } });
    await spoken.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(aborted).toEqual(isHttp ? [2] : []);
    expect(asked.slice(2)).toEqual(['tools/call', ...(isHttp ? [] : ['notifications/cancelled'])]);
    await spoken.close();
  });
});
