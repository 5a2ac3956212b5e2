import type { IncomingMessage } from 'node:http';
import type { Timers } from '../clock.ts';
import { createEventReader, type FoundEvents } from './http/event-stream.ts';
import { causeOf, failedOn } from './http/http-failures.ts';
import { errorOf, type Envelope, type RpcError } from './messages/envelope.ts';
import { Unpackable, unpacked } from '../unpacked.ts';
import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
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

/** Kind of an HTTP body, judged by its first bytes because servers and gateways often send a wrong media type, two, or none. */
type Shape = 'json' | 'events' | 'foreign';

const fields = ['data', 'event', 'id', 'retry'];
const longestField = 5;
/** UTF-8 byte order mark, as three characters of Latin-1. */
const mark = '\u00EF\u00BB\u00BF';
const space = /^[\t\n\r ]+/;

/** Judges by the first characters after white space and by the media types; undefined while undecided. */
function judge(start: string, types: readonly string[]): Shape | undefined {
  if (start.length < mark.length && mark.startsWith(start)) return undefined;
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith(':')) return 'events';
  const [field = ''] = /^[a-z]*/.exec(start) ?? [];
  if (field === start && fields.some((one) => one.startsWith(field))) return undefined;
  if (fields.includes(field) && /[:\r\n]/.test(start[field.length] ?? '')) return 'events';
  if (types.includes('text/event-stream')) return 'events';
  return types.some((type) => /\bjson\b/.test(type)) ? 'json' : 'foreign';
}

interface ShapeReader {
  readonly is: Shape | undefined;
  /** Adds a chunk and returns the bytes that can be read now: nothing while the kind is undecided, then all that was held back. */
  add(chunk: Buffer): Buffer | undefined;
}
function shapeOf(types: readonly string[]): ShapeReader {
  let is: Shape | undefined;
  let start = '';
  let held: Buffer[] = [];
  return {
    get is() {
      return is;
    },
    add: (chunk) => {
      if (is) return chunk;
      held.push(chunk);
      start += chunk.toString('latin1');
      if (start.startsWith(mark)) start = start.slice(mark.length);
      start = start.replace(space, '').slice(0, mark.length + longestField + 1);
      // Leading white space is dropped instead of held, because a server may send any amount of it.
      if (start === '') held = [];
      is = start === '' ? undefined : judge(start, types);
      if (!is) return undefined;
      const whole = Buffer.concat(held);
      held = [];
      return whole;
    },
  };
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

const event = 'text/event-stream';
interface Reading {
  /** Stops reading, because the rest of the body is not wanted. */
  stop(): void;
}
function read(
  answer: IncomingMessage,
  take: (chunk: Buffer) => void,
  over: (end: StreamEnd) => void,
): Reading {
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
  return { stop: () => body.destroy() };
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
      return {
        text: Buffer.concat(parts, bytes)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
        bytes,
      };
    },
  };
}

/** Reads a whole HTTP body up to `limit` bytes; the promise never rejects. */
export function readBody(answer: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const text = createText(limit);
    const reading = read(
      answer,
      (chunk) => text.add(chunk) || reading.stop(),
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
/** `isForeign`: the body is neither JSON nor events. */
export type Ended = { readonly stream: StreamEnd } | { readonly body: Body } | { readonly isForeign: true };

/** Reads an HTTP answer to its end, as an event stream or as one piece depending on its first bytes; the promise never rejects. */
export function readAnswer(
  answer: IncomingMessage,
  found: FoundEvents,
  { timers, silenceMs, limit }: Limits,
): Promise<Ended> {
  const reader = createEventReader(found, limit);
  const text = createText(limit);
  const types = typesOf(answer);
  const isStream = types.includes(event);
  const shape = shapeOf(types);
  return new Promise((resolve) => {
    let timer: unknown;
    let isSilent = false;
    let isForeign = false;
    const wait = (): void => {
      timers.clearTimeout(timer);
      if (silenceMs <= 0 || shape.is === 'json') return;
      timer = timers.setTimeout(() => {
        isSilent = true;
        reading.stop();
      }, silenceMs);
    };
    const reading = read(
      answer,
      (chunk) => {
        const whole = shape.add(chunk);
        wait();
        if (whole === undefined) return;
        if (shape.is === 'events') return reader.push(whole);
        isForeign = shape.is === 'foreign';
        if (isForeign || !text.add(whole)) reading.stop();
      },
      (end) => {
        timers.clearTimeout(timer);
        if (isForeign) resolve({ isForeign });
        else if (shape.is === 'events' || (shape.is === undefined && isStream))
          resolve({ stream: isSilent ? silent : end });
        else resolve({ body: text.body(end) });
      },
    );
    wait();
  });
}
const silent: StreamEnd = { how: 'silent', cause: 'ETIMEDOUT' };

/** Usually one, more when a proxy has added another. */
const typesOf = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['content-type'] ?? '')
    .split(/[,;]/)
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type.includes('/'));
export const mediaTypeOf = (answer: IncomingMessage): string => typesOf(answer)[0] ?? '';
export const mayBeEvents = (answer: IncomingMessage): boolean => {
  const types = typesOf(answer);
  return types.length === 0 || types.includes(event);
};
