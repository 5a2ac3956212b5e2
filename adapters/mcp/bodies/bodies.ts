import type { IncomingMessage } from 'node:http';
import { Unpackable, unpacked } from '../../unpacked.ts';
import { createEventReader, type FoundEvents } from '../http/event-stream.ts';
import { causeOf } from '../http/http-failures.ts';
import { shapeOf } from './body-shape.ts';
import type { Timers } from '../../clock.ts';

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

export interface Limits {
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
