import { text } from 'node:stream/consumers';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { servedUrl } from '../../scenarios/fixtures/local-server.ts';

/** MCP server over HTTP that answers no call, and reports the number of each call to `onCall`. */
function silent(onCall: (n: number, response: ServerResponse, id: number | undefined) => void) {
  let calls = 0;
  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    const say = (result: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    const info = { protocolVersion: '2025-06-18', serverInfo: { name: 'http', version: '1' } };
    if (method === 'initialize') say({ ...info, capabilities: { tools: {} } });
    else if (method === 'tools/list') say({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') onCall((calls += 1), response, id);
    else response.writeHead(202).end();
  };
  return servedUrl((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  });
}
const computerAt = (url: string) =>
  bootedComputer({
    config: { mcpServers: { http: { url: `${url}/mcp`, autoApprove: ['all'] } } },
    stateDir: false,
  });

it('32 calls of a server run over HTTP, and those that wait are seen to wait, and fail unsent', async () => {
  let most = 0;
  let allHeard = (): void => {};
  const heard = new Promise<void>((resolve) => (allHeard = resolve));
  const url = await silent((n) => {
    most = n;
    if (n === 32) allHeard();
  });
  await using computer = await computerAt(url);
  const running = Array.from({ length: 32 }, () => computer.callTool('wait'));
  const waiting = computer.callTool('wait', {}, { reqId: 'waits', timeoutMs: 50 });
  expect(computer.calls().find(({ reqId }) => reqId === 'waits')).toMatchObject({ phase: 'queued' });
  await heard;
  expect(await waiting).toMatchObject({ outcome: 'failed', end: 'timedOut', phase: 'queued' });
  for (const call of running) call.cancel();
  expect(new Set((await Promise.all(running)).map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
  expect(most).toBe(32);
});

/** Length of a text, and number of levels, over the limit of an answer. */
const [tooLong, tooMany] = [10.5 * 1024 * 1024, 100_000];
const [json, events] = ['application/json', 'text/event-stream'];
const long = `{"content":[{"type":"text","text":"${'x'.repeat(tooLong)}"}]}`;
const deep = `{"content":[],"structuredContent":{"a":${'['.repeat(tooMany)}${']'.repeat(tooMany)}}}`;
const [bytes, levels] = [{ limit: 10 * 1024 * 1024 }, { limit_levels: 50_000 }];
const first = (id: number, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const last = (id: number, result: string): string => `{"result":${result},"jsonrpc":"2.0","id":${id}}`;

describe('an answer over a limit', () => {
  it.each([
    ['a body', json, (id: number) => first(id, long), bytes],
    ['an event', events, (id: number) => `data: ${first(id, long)}\n\n`, bytes],
    ['an event with its id at the end', events, (id: number) => `data: ${last(id, long)}\n\n`, bytes],
    ['a body that is nested deep', json, (id: number) => first(id, deep), levels],
    ['an event that is nested deep', events, (id: number) => `data: ${last(id, deep)}\n\n`, levels],
  ])('is told with the limit that it met, and the session goes on: %s', async (_, type, bodyOf, limit) => {
    const url = await silent((n, response, id = 0) => {
      const isSmall = n > 1;
      response.writeHead(200, { 'content-type': isSmall ? json : type });
      response.end(isSmall ? first(id, '{"content":[]}') : bodyOf(id));
    });
    await using computer = await computerAt(url);
    const { outcome, failure } = await computer.callTool('wait');
    expect(outcome).toBe('unknown');
    expect(failure).toMatchObject({ code: 'TooLarge', details: limit, remedy: expect.stringMatching(/./) });
    expect(failure?.details?.['bytes'] ?? Infinity).toBeGreaterThan(bytes.limit);
    expect(await computer.callTool('wait')).toMatchObject({ outcome: 'succeeded' });
  });
});
