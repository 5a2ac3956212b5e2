import { describe, expect, it } from 'vitest';
import { createDigest, sha256Of } from '../../adapters/storage/traces.ts';
import { readTrace } from '../../machines/trace/reading.ts';
import { redactorOf } from '../../machines/secrets/redaction.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import { keptFrames } from './trace-lines.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';

const recorderOf = (options: Partial<RecorderOptions> = {}): Recorder =>
  new Recorder({
    profile: 'boundary',
    now: () => 0,
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    redactor: redactorOf((text) => sha256Of([text]).slice(0, 16)),
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: 'virtual',
      started: null,
      redaction: { keyId: null },
    },
    ...options,
  });
const answer = (id: number, text: string): Frame => ({
  k: 'frame',
  a: 'computer/client:fs#1/session#1',
  via: 'mcp',
  dir: 'in',
  json: { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } },
});
const input = (n: number, text = ''): DirectoryRecord =>
  ({ k: 'in', via: 'host', a: 'computer', ev: { type: 'go', n, text } }) as DirectoryRecord;
const framesIn = (recorder: Recorder): Record<string, unknown>[] => {
  const text = recorder.text('closed');
  expect(readTrace(text, sha256Of)).toMatchObject({ ok: true });
  const rows = text
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as Record<string, unknown>);
  return rows.filter(({ k }) => k === 'frame');
};

describe('messages on the wire', () => {
  it('are cut at 4 KiB, after what is secret in them was hidden', () => {
    const recorder = recorderOf();
    const secret = 'sk-0123456789abcdefghijklmnop';
    recorder.frame(answer(1, `${'x'.repeat(keptFrames.mostChars - 80)} ${secret}`));
    recorder.frame(answer(2, 'short'));
    const [long, short] = framesIn(recorder);
    expect(long).toMatchObject({ req: '1', cut: expect.any(Number) });
    expect(long).not.toHaveProperty('json');
    expect(long?.['text']).toHaveLength(keptFrames.mostChars);
    expect(long?.['text']).not.toContain(secret.slice(0, 10));
    expect(short).toMatchObject({ req: '2', json: { result: { content: [{ text: 'short' }] } } });
  });

  it('take a quarter of a file beyond 1 MiB, and how many were left out is told', () => {
    const recorder = recorderOf({ frames: { ...keptFrames, held: Infinity }, ringBytes: Infinity });
    const all = 4_000;
    for (let n = 0; n < all; n += 1) {
      recorder.record(input(n, 'y'.repeat(2_000)));
      recorder.frame(answer(n, 'x'.repeat(1_000)));
    }
    const frames = framesIn(recorder);
    const chars = frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
    expect(chars / (all * 2_100)).toBeGreaterThan(0.24);
    expect(chars / (all * 2_100)).toBeLessThan(0.27);
    const left = frames.reduce((sum, frame) => sum + ((frame['left'] as number | undefined) ?? 0), 0);
    expect(left + frames.length).toBeGreaterThan(all - 10);
    expect(left + frames.length).toBeLessThanOrEqual(all);
  });

  it('are the newest, in memory, and never push out what a replay needs', () => {
    const recorder = recorderOf();
    recorder.record(input(1));
    for (let n = 0; n < 5_000; n += 1) recorder.frame(answer(n, 'x'.repeat(1_000)));
    const frames = framesIn(recorder);
    expect(frames.length).toBeGreaterThan(100);
    expect(recorder.text('closed')).toContain('"next":1');
    expect(frames.at(-1)).toMatchObject({ req: '4999' });
    recorder.frame(answer(6_000, 'x'.repeat(3_000_000)));
    expect(framesIn(recorder).map(({ req }) => req)).toEqual(['6000']);
  });

  it('stand in order among the others, and those from before a lost beginning do not', () => {
    const recorder = recorderOf({ ringBytes: 3_000 });
    for (let n = 0; n < 50; n += 1) {
      recorder.frame(answer(n, ''));
      recorder.record(input(n));
    }
    const kinds = recorder.text('closed').match(/"k":"(in|frame)"/g) ?? [];
    expect(kinds.slice(0, 4)).toEqual(['"k":"in"', '"k":"frame"', '"k":"in"', '"k":"frame"']);
  });
});
