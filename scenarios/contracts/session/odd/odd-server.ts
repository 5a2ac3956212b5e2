import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RemoteSpec } from '../../../../adapters/mcp/http/remote.ts';
import type { Streams } from '../../../../adapters/mcp/stream-transport.ts';

/** A message as it came, or as it goes out: as text it may be anything. */
export interface Heard {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly text: string;
}
/** Reaction of a server to one message. `say` sends an object as JSON, a text as it is. */
export type Behaviour = (heard: Heard, say: (message: object | string) => void) => void;

export interface OddServer {
  readonly streams?: Streams;
  readonly spec?: RemoteSpec;
  stop(): Promise<void>;
}
const textOf = (message: object | string): string =>
  typeof message === 'string' ? message : JSON.stringify(message);
const heardIn = (text: string): Heard => ({ ...(JSON.parse(text) as object), text });

function overStreams(behave: Behaviour): OddServer {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const say = (message: object | string): void => void stdout.write(`${textOf(message)}\n`);
  createInterface({ input: stdin }).on('line', (line) => behave(heardIn(line), say));
  return {
    streams: { stdin, stdout },
    stop: async () => {
      stdin.end();
      stdout.end();
    },
  };
}
function linked(behave: Behaviour): OddServer {
  const connect = async (): Promise<Transport> => {
    const end: Transport = {
      start: async () => {},
      close: async () => {},
      send: async (message) =>
        behave(heardIn(JSON.stringify(message)), (said) =>
          end.onmessage?.(JSON.parse(textOf(said)) as never),
        ),
    };
    return end;
  };
  return { spec: { kind: 'inmemory', connect }, stop: async () => {} };
}
const web = { headers: {}, timeoutMs: 5_000, sseReadTimeoutMs: 60_000 };
const event = (message: object | string): string => `data: ${textOf(message)}\n\n`;

/** Messages go into the stream of the last POST that asked something, or into that of the GET. */
async function overHttp(behave: Behaviour, kind: 'streamable' | 'sse'): Promise<OddServer> {
  let stream: ServerResponse | undefined;
  const open = (response: ServerResponse): void => {
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.flushHeaders();
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET' && kind === 'sse') {
        open(response);
        return void response.write(`event: endpoint\ndata: /\n\n`);
      }
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const heard = heardIn(Buffer.concat(parts).toString());
      if (kind === 'streamable' && heard.method !== undefined && heard.id !== undefined) open(response);
      else response.writeHead(202).end();
      behave(heard, (said) => void stream?.write(event(said)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    spec: { kind, url, ...web, ...(kind === 'streamable' && { terminateOnClose: false }) } as RemoteSpec,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const wires: Readonly<Record<string, (behave: Behaviour) => OddServer | Promise<OddServer>>> = {
  'the streams of a process': overStreams,
  'streamable HTTP': (behave) => overHttp(behave, 'streamable'),
  'HTTP and SSE': (behave) => overHttp(behave, 'sse'),
  'a linked pair': linked,
};

const statelessRevision = '2026-07-28';
const discovered = (said: object | string): object => {
  const message = (typeof said === 'string' ? JSON.parse(said) : said) as { readonly result?: object };
  return { ...message, result: { ...message.result, supportedVersions: [statelessRevision] } };
};
const stateless =
  (behave: Behaviour): Behaviour =>
  (heard, say) => {
    const { id, method } = heard;
    if (method === 'initialize')
      say({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } });
    else if (method !== 'server/discover') behave(heard, say);
    else behave({ ...heard, method: 'initialize' }, (said) => say(discovered(said)));
  };
/** They send no requests of their own. */
export const statelessWires: typeof wires = {
  'the streams of a process, without sessions': (behave) => overStreams(stateless(behave)),
  'HTTP, without sessions': (behave) => overHttp(stateless(behave), 'streamable'),
};
