import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** MCP server over HTTP that answers no call, and reports the number of each call to `onCall`. */
function silent(onCall: (n: number) => void) {
  let calls = 0;
  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion: string };
    };
    const say = (result: object): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize')
      say({
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'http', version: '1' },
      });
    else if (method === 'tools/list') say({ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') onCall((calls += 1));
    else response.writeHead(202).end();
  };
  return createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => answer(request, response, body));
  });
}

it('over HTTP 32 calls of a server run, and those that wait are seen to wait, and fail unsent', async () => {
  let most = 0;
  let allHeard = (): void => {};
  const heard = new Promise<void>((resolve) => (allHeard = resolve));
  const server = silent((n) => {
    most = n;
    if (n === 32) allHeard();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await using computer = await bootedComputer({
      config: { mcpServers: { http: { url: `http://127.0.0.1:${port}/mcp`, autoApprove: ['all'] } } },
      stateDir: false,
    });
    const running = Array.from({ length: 32 }, () => computer.callTool('wait'));
    const waiting = computer.callTool('wait', {}, { reqId: 'waits', timeoutMs: 50 });
    expect(computer.calls().find(({ reqId }) => reqId === 'waits')).toMatchObject({ phase: 'queued' });
    await heard;
    expect(await waiting).toMatchObject({ outcome: 'failed', end: 'timedOut', phase: 'queued' });
    for (const call of running) call.cancel();
    expect(new Set((await Promise.all(running)).map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
    expect(most).toBe(32);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
