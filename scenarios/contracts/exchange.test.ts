import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { OpenRequest } from '../../adapters/mcp/transport.ts';
import { Exchange } from '../stage/scripted/network/exchange.ts';

type Reply = Pick<Exchange, 'head' | 'write' | 'end' | 'cut'>;
interface World {
  readonly open: OpenRequest;
  readonly url: URL;
  /** URL where no server listens. */
  readonly nowhere: URL;
  /** Resolves when the server has seen that the client gave up. */
  readonly aborted: Promise<unknown>;
  close(): void;
}
type Act = (reply: Reply) => void;

const replyOf = (response: ServerResponse): Reply => ({
  head: (status, headers) => void response.writeHead(status, headers).flushHeaders(),
  write: (text) => void response.write(text),
  end: (text) => void response.end(text),
  cut: () => void response.socket?.end(() => response.socket?.destroy()),
});
async function overSockets(act: Act): Promise<World> {
  let isGone = (): void => {};
  const aborted = new Promise<void>((resolve) => (isGone = resolve));
  const server = createServer((asked, response) => {
    response.on('close', () => response.writableFinished || isGone());
    asked.resume().on('end', () => act(replyOf(response)));
  });
  const empty = createServer();
  const urls: URL[] = [];
  for (const each of [server, empty]) {
    await once(each.listen(0, '127.0.0.1'), 'listening');
    urls.push(new URL(`http://127.0.0.1:${(each.address() as AddressInfo).port}/mcp`));
  }
  await once(empty.close(), 'close');
  const [url, nowhere] = urls as [URL, URL];
  return { open: request, url, nowhere, aborted, close: () => server.close() };
}
async function scripted(act: Act): Promise<World> {
  let isGone = (): void => {};
  const aborted = new Promise<void>((resolve) => (isGone = resolve));
  const read = ({ url }: { readonly url: URL }, exchange: Exchange): void => {
    exchange.onAbort = isGone;
    if (url.pathname === '/nowhere') exchange.refuse();
    else act(exchange);
  };
  return {
    open: (url, options) => new Exchange(url, options, { read, stir: () => {} }).request,
    url: new URL('http://servers.test/fs'),
    nowhere: new URL('http://servers.test/nowhere'),
    aborted,
    close: () => {},
  };
}

/** `meet` is told each event, and how to give up. */
async function seen(
  { open }: World,
  url: URL,
  meet: (event: string, giveUp: () => void) => void,
): Promise<string[]> {
  const events: string[] = [];
  const asked = open(url, { method: 'POST', headers: { Accept: 'text/event-stream' } });
  const giveUp = (): void => void asked.destroy(Object.assign(new Error('no'), { code: 'ECONNABORTED' }));
  const see = (event: string): void => {
    events.push(event);
    meet(event, giveUp);
  };
  asked.on('socket', (socket) => {
    if (socket.connecting) socket.once('connect', () => see('reached'));
    else see('reached');
  });
  asked.on('error', (error: NodeJS.ErrnoException) => see(`error ${error.code}`));
  asked.on('response', (answer) => {
    see(`response ${answer.statusCode} ${String(answer.headers['x-session'])}`);
    answer.on('data', (chunk: Buffer) => see(`data ${chunk.toString()}`));
    answer.on('error', (error: NodeJS.ErrnoException) => see(`broken ${error.code}`));
    answer.on('close', () => see(answer.complete ? 'complete' : 'incomplete'));
  });
  asked.end('{}');
  await new Promise((resolve) => asked.once('close', resolve));
  // The answer may close a turn after its request.
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}
const begin = (reply: Reply): void => {
  reply.head(200, { 'x-session': 's1', 'content-type': 'text/event-stream' });
  reply.write('data: 1\n\n');
};

describe.each([
  ['of Node', overSockets],
  ['scripted', scripted],
])('a request, %s', (_, worldOf) => {
  async function events(act: Act, isAway = false): Promise<string[]> {
    const world = await worldOf(act);
    const all = await seen(world, isAway ? world.nowhere : world.url, () => {});
    world.close();
    return all;
  }
  async function given(at: 'read' | 'data', act: Act): Promise<string[]> {
    let wants = (): void => {};
    const world = await worldOf((reply) => {
      act(reply);
      setImmediate(() => wants());
    });
    const all = await seen(world, world.url, (event, giveUp) => {
      if (at === 'read' && event === 'reached') wants = giveUp;
      if (at === 'data' && event.startsWith('data')) giveUp();
    });
    await world.aborted;
    world.close();
    return all;
  }

  it('brings status, headers, the body and its end', async () => {
    const answered = await events((reply) => {
      begin(reply);
      reply.end();
    });
    expect(answered).toEqual(['reached', 'response 200 s1', 'data data: 1\n\n', 'complete']);
  });
  it('brings a refusal with its body', async () => {
    const refused = await events((reply) => {
      reply.head(404, { 'x-session': 's2' });
      reply.end('gone');
    });
    expect(refused).toEqual(['reached', 'response 404 s2', 'data gone', 'complete']);
  });
  it('fails unreached where no server listens', async () => {
    expect(await events(() => {}, true)).toEqual(['error ECONNREFUSED']);
  });
  it('fails when it is cut before an answer', async () => {
    expect(await events((reply) => reply.cut())).toEqual(['reached', 'error ECONNRESET']);
  });
  it('brings what came before a cut, then breaks', async () => {
    const cut = await events((reply) => {
      begin(reply);
      reply.cut();
    });
    expect(cut).toEqual([
      'reached',
      'response 200 s1',
      'data data: 1\n\n',
      'broken ECONNRESET',
      'incomplete',
    ]);
  });
  it('can be given up before its answer, which the server sees', async () => {
    expect(await given('read', () => {})).toEqual(['reached', 'error ECONNABORTED']);
  });
  it('can be given up in its answer, which the server sees', async () => {
    const all = await given('data', begin);
    expect(all.slice(0, 3)).toEqual(['reached', 'response 200 s1', 'data data: 1\n\n']);
    expect(all.at(-1)).toBe('incomplete');
  });
});
