import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SeenRequest } from '../../fixtures/http-server.ts';
import { failureIn, openIn, refusalOf } from '../session/session.probe.ts';
import type { HttpWorld, HttpWorldOptions } from '../session/session.world.ts';
import { httpWorlds, methodOf } from './http-worlds.ts';

const worldOf = httpWorlds();
const mark = Buffer.from('\uFEFF');

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'packed', version: '1' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'here' }] },
};
const textOf = ({ body }: SeenRequest): string | undefined => {
  const result = results[String(body?.['method'])];
  return result && JSON.stringify({ jsonrpc: '2.0', id: body?.['id'], result });
};
/** Starts a server whose answers are written by `give`. */
const answering = (give: (text: string, response: ServerResponse) => unknown, more: HttpWorldOptions = {}) =>
  worldOf('streamable', {
    ...more,
    serves: {
      instead: (seen, response) => {
        const text = textOf(seen);
        if (seen.method === 'GET') response.writeHead(405).end();
        else if (text === undefined) response.writeHead(202).end();
        else give(text, response);
        return true;
      },
    },
  });
const answerIn = async (world: HttpWorld): Promise<string> => (await openIn(world)).text('echo');
type Pack = (bytes: Buffer) => Buffer;
/** Opens a stream of events that is packed, and flushed after each write. */
function packedTo(response: ServerResponse) {
  const packed = createGzip({ flush: constants.Z_SYNC_FLUSH });
  packed.pipe(response.writeHead(200, { ...events, 'content-encoding': 'gzip' }));
  return packed;
}
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const event = (text: string): string => `event: message\ndata: ${text}\n\n`;

const forms = [
  [json, (text: string) => text],
  [events, event],
] as const;
const packings: readonly (readonly [coding: string, pack: Pack])[] = [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (bytes) => bytes],
  ['', (bytes) => bytes],
];

describe('an answer that is packed, though nobody asked for that', () => {
  it.each(packings)('is unpacked, as JSON, as events and where it refuses: %s', async (coding, pack) => {
    for (const [type, write] of forms) {
      const headers = { ...type, 'content-encoding': coding };
      const world = await answering((text, response) =>
        response.writeHead(200, headers).end(pack(Buffer.from(write(text)))),
      );
      expect(await answerIn(world)).toBe('here');
    }
    // Also server/discover is refused.
    const instead = (_: SeenRequest, response: ServerResponse): boolean =>
      !!response.writeHead(418, { 'content-encoding': coding }).end(pack(Buffer.from('out of tea')));
    const world = await worldOf('streamable', { serves: { instead } });
    expect((await failureIn(world)).message).toContain('out of tea');
  });

  it('is heard event by event, while the stream goes on', async () => {
    const world = await answering((text, response) => void packedTo(response).write(event(text)));
    expect(await answerIn(world)).toBe('here');
  });

  it.each([
    ['zstd', (bytes: Buffer) => bytes, 'zstd'],
    ['gzip, br', (bytes: Buffer) => bytes, 'gzip, br'],
    ['gzip', (bytes: Buffer) => bytes, 'Z_DATA_ERROR'],
    ['br', (bytes: Buffer) => bytes, 'br'],
  ])('is named when it cannot be unpacked: %s', async (coding, pack, named) => {
    let isPacked = false;
    const world = await answering((text, response) =>
      isPacked
        ? response.writeHead(200, { ...json, 'content-encoding': coding }).end(pack(Buffer.from(text)))
        : response.writeHead(200, json).end(text),
    );
    const session = await openIn(world);
    isPacked = true;
    expect((await failureIn(world)).message).toContain(named);
    const refused = refusalOf(await session.call('echo').answer());
    // It was answered, and nobody has read how.
    expect(refused).toMatchObject({ sent: true, lost: true, alone: true });
    expect(refused.failure.message).toContain(named);
  });

  it.each(forms)(
    'fails alone, with its size, when it is larger than a message may be: %o',
    async (type, write) => {
      let isBomb = false;
      const answer = (text: string, response: ServerResponse): void => {
        const bytes = Buffer.from(write(isBomb ? text.replace('here', 'x'.repeat(5_000_000)) : text));
        response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(gzipSync(bytes));
      };
      const world = await answering(answer, { resultBytes: 100_000, messageBytes: 100_000 });
      const session = await openIn(world);
      isBomb = true;
      const { failure } = refusalOf(await session.call('echo').answer());
      expect(failure).toMatchObject({ code: 413, details: { limit: 100_000 } });
      expect(Number(failure.details?.['bytes'])).toBeGreaterThan(100_000);
      isBomb = false;
      expect(await session.text('echo')).toBe('here');
    },
  );

  it('is unpacked on the stream of an SSE server', async () => {
    const streams: ReturnType<typeof createGzip>[] = [];
    const world = await worldOf('sse', {
      serves: {
        instead: (seen, response) => {
          if (seen.method === 'GET') {
            const packed = packedTo(response);
            packed.write('event: endpoint\ndata: /messages\n\n');
            streams.push(packed);
            return true;
          }
          response.writeHead(202).end();
          const text = textOf(seen);
          if (text !== undefined) streams.at(-1)?.write(event(text));
          return true;
        },
      },
    });
    expect(await answerIn(world)).toBe('here');
  });
});

describe('the answer in a body', () => {
  const typed = (response: ServerResponse, type: string | undefined): ServerResponse =>
    response.writeHead(200, type === undefined ? {} : { 'content-type': type });
  const json: readonly (readonly [string, (text: string) => Buffer])[] = [
    ['JSON', (text) => Buffer.from(text)],
    ['JSON after white space', (text) => Buffer.from(` \r\n ${text}\n`)],
    ['JSON after a byte order mark', (text) => Buffer.concat([mark, Buffer.from(text)])],
    ['a batch of one', (text) => Buffer.from(`[${text}]`)],
  ];
  const stream: typeof json = [
    ['an event', (text) => Buffer.from(event(text))],
    ['an event after a comment', (text) => Buffer.from(`: hi\n\nid: 1\nretry: 10\n${event(text)}`)],
    ['an event after a byte order mark', (text) => Buffer.concat([mark, Buffer.from(event(text))])],
    ['an event whose data has a byte order mark', (text) => Buffer.from(event(`\uFEFF${text}`))],
    ['events without blanks', (text) => Buffer.from(`data:${text}\n\n`)],
  ];
  const cases = [
    ...['application/json; charset=utf-8', 'text/plain', undefined].map((type) => [type, json] as const),
    ...['text/event-stream', 'text/event-stream, application/json'].map((type) => [type, stream] as const),
  ];
  it.each(cases.flatMap(([type, forms]) => forms.map(([form, write]) => [form, type, write] as const)))(
    'is read where it is %s, of type %s',
    async (_, type, write) => {
      const world = await answering((text, response) => typed(response, type).end(write(text)));
      expect(await answerIn(world)).toBe('here');
    },
  );

  it('is read where it comes byte by byte', async () => {
    const world = await answering((text, response) => {
      response.writeHead(200, {});
      const bytes = Buffer.concat([mark, Buffer.from(text)]);
      const next = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(() => next(at + 1)));
      };
      next(0);
    });
    expect(await answerIn(world)).toBe('here');
  });

  it.each([
    ['<!doctype html><title>Sign in</title>', 'text/html', 'text/html'],
    ['all is well', 'text/plain', 'text/plain'],
    ['all is well', undefined, 'no content type'],
    ['', 'application/json', 'something else'],
    ['{"hello":1}', 'application/json', 'something else'],
    ['nothing', 'application/json', 'something else'],
  ])('is named when it is none: %s, %s', async (body, type, named) => {
    const world = await answering((_, response) => typed(response, type).end(body));
    expect((await failureIn(world)).message).toBe(`the server answered with ${named}, which is not MCP`);
  });
});

describe('a header that cannot be sent', () => {
  it.each([
    ['Authorization', 'Bearer abc–s3cret'],
    ['X-Key', 's3cret\n'],
    ['X Key', 's3cret'],
  ])('is named, and nothing is asked: %s', async (name, value) => {
    const world = await worldOf('streamable', { spec: { headers: { [name]: value } } });
    const failure = await failureIn(world);
    expect(failure).toMatchObject({ code: 'NotStartable', remedy: expect.any(String) });
    expect(failure.message).toContain(`"${name}"`);
    expect(JSON.stringify(failure)).not.toContain('s3cret');
    expect(world.server.seen).toEqual([]);
  });
});

describe('the endpoint of an SSE server', () => {
  const endpoint = (data: string) => ({
    instead: ({ method }: SeenRequest, response: ServerResponse): boolean =>
      method === 'GET' && response.writeHead(200, events).write(`event: endpoint\ndata: ${data}\n\n`),
  });
  it.each(['http://10.1.2.3', 'https://127.0.0.1:1', 'http://localhost:1', 'ws://127.0.0.1'])(
    'is called one of another origin: %s',
    async (origin) => {
      const world = await worldOf('sse', { serves: endpoint(`${origin}/messages?key=s3cret`) });
      const { message, remedy } = await failureIn(world);
      expect(message).toContain('another origin');
      expect(message).toContain(origin);
      expect(message).toContain(world.server.url);
      expect(`${message} ${remedy}`).not.toContain('s3cret');
    },
  );
  it.each(['"/messages?s=1"', "'/messages'", '{"uri":"/messages"}', '<html>', 'see the docs', 'http://['])(
    'is named when it is no address: %s',
    async (data) => {
      const world = await worldOf('sse', { serves: endpoint(data) });
      expect((await failureIn(world)).message).toContain(JSON.stringify(data));
      expect(world.server.seen.map(methodOf)).toEqual(['']);
    },
  );
});
