import type { IncomingMessage } from 'node:http';
import type { Timers } from '../clock.ts';
import { createEventReader, type FoundEvents } from './http/event-stream.ts';
import { causeOf } from './http/http-failures.ts';
import { errorOf, type Envelope, type RpcError } from './messages/envelope.ts';
import { Unpackable, unpacked } from '../unpacked.ts';
import { isObject } from '../../machines/protocol/json.ts';

/** Words of the body of a refusal. */
export interface Said {
  /** It is a JSON-RPC error. */
  readonly envelope?: Envelope;
  readonly error?: RpcError;
  readonly bytes: number;
  /** All of it. */
  readonly text: string;
  /** One sentence; undefined: it has none. */
  readonly words?: string;
}

/** Members in which frameworks say why, the best first. */
const members = ['error_description', 'message', 'detail', 'error', 'title'];

function sentenceIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (Array.isArray(value)) return sentenceIn((value as readonly unknown[])[0]);
  if (!isObject(value)) return undefined;
  for (const member of [...members, 'msg']) {
    const sentence = sentenceIn(value[member]);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

/** Why a server refused, in its own words: a JSON-RPC error, the JSON of a framework, or plain text. Nothing of it is redacted. */
export function saidIn(body: Body): Said {
  if ('unpackable' in body) return { bytes: 0, text: '', words: `the answer ${body.unpackable}` };
  if (!('text' in body)) return { bytes: 0, text: '' };
  const { text, bytes } = body;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const [line = ''] = text.trim().split(/\r?\n/);
    // Pages are for browsers.
    const isPage = line === '' || line.startsWith('<');
    return { text, bytes, ...(!isPage && { words: line }) };
  }
  const words = sentenceIn(value);
  const said = { text, bytes, ...(words !== undefined && { words }) };
  if (!isObject(value) || !isObject(value['error'])) return said;
  const error = errorOf(value);
  return error ? { ...said, envelope: value, error, words: error.message } : said;
}

/** What a body is, by its first bytes: servers and gateways name other types than what they send, two, or none. */
type Shape = 'json' | 'events' | 'foreign';

const fields = ['data', 'event', 'id', 'retry'];
const longestField = 5;
/** The byte order mark, read as Latin-1. */
const mark = '\u00EF\u00BB\u00BF';
const space = /^[\t\n\r ]+/;

/** By the first characters after white space; undefined: they may still become either. `types`: media types that were named. */
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
  /** Undefined: too little has come to say. */
  readonly is: Shape | undefined;
  /** Gives back what can be read now: undefined while nobody knows, then all that was held. */
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
      // White space alone is kept by nobody: there may be any amount of it.
      if (start === '') held = [];
      is = start === '' ? undefined : judge(start, types);
      if (!is) return undefined;
      const whole = Buffer.concat(held);
      held = [];
      return whole;
    },
  };
}

/** Why a stream is over: it came to its end, broke with this cause, was silent for too long, or cannot be unpacked. */
export type StreamEnd = {
  readonly how: 'ended' | 'broken' | 'silent' | 'unpackable';
  readonly cause: string;
};
/** What came of a body that is read as one piece. */
export type Body =
  | { readonly text: string; readonly bytes: number }
  /** Over the limit: cut there, and nothing of it kept. */
  | { readonly overlong: number }
  | { readonly broken: string }
  /** Why it cannot be unpacked, in words that follow "the answer". */
  | { readonly unpackable: string };

const event = 'text/event-stream';
interface Reading {
  /** Nothing more of it is wanted. */
  stop(): void;
}
/** Gives what a body has, unpacked, and then once how it ended. */
function read(
  answer: IncomingMessage,
  take: (chunk: Buffer) => void,
  over: (end: StreamEnd) => void,
): Reading {
  const body = unpacked(answer);
  let end: StreamEnd | undefined;
  body.on('data', take);
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

/** Keeps a text up to a limit, and then nothing of it. */
function createText(limit: number) {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    /** False: it is over the limit. */
    add: (chunk: Buffer): boolean => {
      bytes += chunk.length;
      if (bytes <= limit) parts.push(chunk);
      else parts = [];
      return bytes <= limit;
    },
    /** A byte order mark is no part of it. */
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

/** Reads a whole body; never rejects. */
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
  /** An event stream that is silent for so long is cut; 0: it may be silent. */
  readonly silenceMs: number;
  readonly limit: number;
}
/** How an answer ended: as an event stream, as one piece, or cut because it is neither. */
export type Ended = { readonly stream: StreamEnd } | { readonly body: Body } | { readonly isForeign: true };

/** Reads an answer to its end, as an event stream or as one piece, by how it begins; never rejects. */
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

/** Its media types: one, unless something on the way has said it twice. */
const typesOf = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['content-type'] ?? '')
    .split(/[,;]/)
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type.includes('/'));
/** The first media type of a body; '' when its server says none. */
export const mediaTypeOf = (answer: IncomingMessage): string => typesOf(answer)[0] ?? '';
/** Its server says that it is an event stream, or does not say what it is. */
export const mayBeEvents = (answer: IncomingMessage): boolean => {
  const types = typesOf(answer);
  return types.length === 0 || types.includes(event);
};
