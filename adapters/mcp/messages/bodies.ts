import type { IncomingMessage } from 'node:http';
import { createEventReader, type FoundEvents } from '../http/event-stream.ts';
import { causeOf } from '../http/http-failures.ts';
import type { Timers } from '../../clock.ts';

/** Why a stream is over: it came to its end, broke with this cause, or was silent for too long. */
export type StreamEnd = { readonly how: 'ended' | 'broken' | 'silent'; readonly cause: string };

/** Reads an event stream to its end; never rejects. Silent for `silenceMs`, it is cut; 0: it may be silent. */
export function readEvents(
  answer: IncomingMessage,
  found: FoundEvents,
  { timers, silenceMs, limit }: { timers: Timers; silenceMs: number; limit: number },
): Promise<StreamEnd> {
  const reader = createEventReader(found, limit);
  return new Promise((resolve) => {
    let timer: unknown;
    let isSilent = false;
    const wait = (): void => {
      if (silenceMs <= 0) return;
      timers.clearTimeout(timer);
      timer = timers.setTimeout(() => {
        isSilent = true;
        answer.destroy();
      }, silenceMs);
    };
    let cause = 'ECONNRESET';
    wait();
    answer.on('data', (chunk: Buffer) => {
      wait();
      reader.push(chunk);
    });
    answer.on('error', (error) => (cause = causeOf(error)));
    answer.on('close', () => {
      timers.clearTimeout(timer);
      if (isSilent) resolve({ how: 'silent', cause: 'ETIMEDOUT' });
      else if (answer.complete) resolve({ how: 'ended', cause: 'it ended' });
      else resolve({ how: 'broken', cause });
    });
  });
}

export type Body =
  | { readonly text: string; readonly bytes: number }
  /** Over the limit: cut there, and nothing of it kept. */
  | { readonly overlong: number }
  | { readonly broken: string };

/** Reads a whole body; never rejects. */
export function readBody(answer: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    let parts: Buffer[] = [];
    let bytes = 0;
    let cause = 'ECONNRESET';
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) parts.push(chunk);
      else {
        parts = [];
        answer.destroy();
      }
    });
    answer.on('error', (error) => (cause = causeOf(error)));
    answer.on('close', () => {
      if (bytes > limit) resolve({ overlong: bytes });
      else if (answer.complete) resolve({ text: Buffer.concat(parts, bytes).toString('utf8'), bytes });
      else resolve({ broken: cause });
    });
  });
}

export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
