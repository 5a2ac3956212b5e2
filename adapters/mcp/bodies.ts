import type { IncomingMessage } from 'node:http';
import type { Timers } from '../clock.ts';
import { createEventReader, type FoundEvents } from './http/event-stream.ts';
import { causeOf, failedOn } from './http/http-failures.ts';
import { errorOf, type Envelope, type RpcError } from './messages/envelope.ts';
import { Unpackable, unpacked } from '../unpacked.ts';
import { jsonIn, fieldsOf, isObject } from '../../machines/protocol/json.ts';

export interface RefusalReason {
  readonly envelope?: Envelope;
  readonly error?: RpcError;
  readonly bytes: number;
  readonly text: string;
  readonly words?: string;
}

/** Members in which web frameworks write the reason of an error, the best one first. */
const members = ['error_description', 'message', 'detail', 'error', 'title'];

function sentenceIn(value: unknown): string | undefined {
  // FastAPI has `{detail: [{msg}]}`, others `{error: {message}}`.
  const parts = members.map((member) => fieldsOf([value].flat()[0])[member]).flat();
  const all = [value, ...parts, ...parts.map((part) => fieldsOf(part)['message'] ?? fieldsOf(part)['msg'])];
  return all.find((one): one is string => typeof one === 'string' && one !== '');
}

/** A JSON-RPC error, the JSON of a web framework, or plain text. The result is not redacted. */
export function refusalReasonIn(body: Body): RefusalReason {
  if ('unpackable' in body) return { bytes: 0, text: '', words: `the answer ${body.unpackable}` };
  if (!('text' in body)) return { bytes: 0, text: '' };
  const { text, bytes } = body;
  const value = jsonIn(text);
  if (value === undefined) {
    const [line = ''] = text.trim().split(/\r?\n/);
    // Ignores an HTML page, which is meant for browsers and gives no usable sentence.
    const isPage = line === '' || line.startsWith('<');
    return { text, bytes, ...(!isPage && { words: line }) };
  }
  const words = sentenceIn(value);
  const said = { text, bytes, ...(words !== undefined && { words }) };
  if (!isObject(value) || !isObject(value['error'])) return said;
  const error = errorOf(value);
  return error ? { ...said, envelope: value, error, words: error.message } : said;
}

export type StreamEnd = {
  readonly how: 'ended' | 'broken' | 'silent' | 'unpackable';
  readonly cause: string;
};
export type Body =
  | { readonly text: string; readonly bytes: number }
  | { readonly overlong: number }
  | { readonly broken: string }
  /** Reason why the body cannot be decompressed, in words that follow "the answer". */
  | { readonly unpackable: string };

/** Returns what stops it, because the rest of the body is not wanted. */
function read(
  answer: IncomingMessage,
  take: (chunk: Buffer) => void,
  over: (end: StreamEnd) => void,
): () => void {
  const body = unpacked(answer);
  let end: StreamEnd | undefined;
  body.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (error) {
      end ??= { how: 'broken', cause: failedOn(error) };
      body.destroy();
    }
  });
  body.on('error', (error) => {
    if (error instanceof Unpackable) end = { how: 'unpackable', cause: error.message };
    else end ??= { how: 'broken', cause: causeOf(error) };
  });
  if (body !== answer) answer.on('error', (error) => (end ??= { how: 'broken', cause: causeOf(error) }));
  body.on('close', () => {
    if (end) over(end);
    else if (answer.complete) over({ how: 'ended', cause: 'it ended' });
    else over({ how: 'broken', cause: 'ECONNRESET' });
  });
  return () => void body.destroy();
}

function createText(limit: number) {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    add: (chunk: Buffer): boolean => {
      bytes += chunk.length;
      if (bytes <= limit) parts.push(chunk);
      else parts = [];
      return bytes <= limit;
    },
    body: ({ how, cause }: StreamEnd): Body => {
      if (bytes > limit) return { overlong: bytes };
      if (how === 'unpackable') return { unpackable: cause };
      if (how !== 'ended') return { broken: cause };
      // Drops a byte order mark, which is no JSON.
      return { text: new TextDecoder().decode(Buffer.concat(parts, bytes)), bytes };
    },
  };
}

/** Reads a whole HTTP body up to `limit` bytes; the promise never rejects. */
export function readBody(answer: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const text = createText(limit);
    const stop = read(
      answer,
      (chunk) => text.add(chunk) || stop(),
      (end) => resolve(text.body(end)),
    );
  });
}

interface Limits {
  readonly timers: Timers;
  /** Longest silence of an event stream in ms before it is cut; 0 for no limit. */
  readonly silenceMs: number;
  readonly limit: number;
}
export type Ended = { readonly stream: StreamEnd } | { readonly body: Body };

/** Reads an HTTP answer to its end, as an event stream or as one piece by its media type; the promise never rejects. */
export function readAnswer(
  answer: IncomingMessage,
  found: FoundEvents,
  { timers, silenceMs, limit }: Limits,
): Promise<Ended> {
  const reader = createEventReader(found, limit);
  const text = createText(limit);
  const isStream = isEvents(answer);
  return new Promise((resolve) => {
    let timer: unknown;
    let isSilent = false;
    const wait = (): void => {
      timers.clearTimeout(timer);
      if (silenceMs <= 0 || !isStream) return;
      timer = timers.setTimeout(() => {
        isSilent = true;
        stop();
      }, silenceMs);
    };
    const stop = read(
      answer,
      (chunk) => {
        wait();
        if (isStream) reader.push(chunk);
        else if (!text.add(chunk)) stop();
      },
      (end) => {
        timers.clearTimeout(timer);
        resolve(isStream ? { stream: isSilent ? silent : end } : { body: text.body(end) });
      },
    );
    wait();
  });
}
const silent: StreamEnd = { how: 'silent', cause: 'ETIMEDOUT' };

export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(/[,;]/, 1).join('').trim().toLowerCase();
export const isEvents = (answer: IncomingMessage): boolean => mediaTypeOf(answer) === 'text/event-stream';
