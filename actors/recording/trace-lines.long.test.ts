import { describe, expect, it } from 'vitest';
import { createDigest, sha256Of } from '../../adapters/storage/traces.ts';
import { redactorOf } from '../../machines/secrets/redaction.ts';
import { Later } from '../../machines/trace/canonical.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { readTrace } from '../../machines/trace/reading.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { keptFrames, LargeValues } from './trace-lines.ts';

const versions = { runtime: '0', xstate: '0', node: '0' };
const recorderOf = (options: Partial<RecorderOptions> = {}): Recorder =>
  new Recorder({
    profile: 'boundary',
    now: () => 0,
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    redactor: redactorOf((text) => sha256Of([text]).slice(0, 16)),
    about: { ...versions, clock: 'virtual', started: null, redaction: { keyId: null } },
    ...options,
  });
const a = 'computer/client:files#2';
const records: readonly DirectoryRecord[] = [
  { k: 'timer', op: 'set', via: 'deadline', a, n: 1, ms: 60, for: 'callMs' },
  { k: 'timer', op: 'clear', a, n: 1, late: true },
  { k: 'timer', op: 'set', via: 'timer', a, n: 2, ms: 5, for: 'backoff' },
  { k: 'timer', op: 'clear', a, n: 2 },
];
function linesOf(profile: Profile): object[] {
  const recorder = recorderOf({ profile });
  for (const record of records) recorder.record(record);
  const lines = recorder.text('asked').trimEnd().split('\n');
  return lines.slice(1, -1).map((line) => JSON.parse(line) as object);
}
const late = { k: 'in', ch: 'timer callMs of files 60/1', ev: { type: 'late' } };

it('a timer that was due when it was cleared is told in every profile: without it a replay would fire it', () => {
  expect(linesOf('boundary')).toMatchObject([late]);
  for (const profile of ['steps', 'full'] as const)
    expect(linesOf(profile)).toMatchObject([
      { k: 'timer', op: 'set', n: 1 },
      { ...late, via: 'timer', n: 1 },
      { k: 'timer', op: 'set', n: 2 },
      { k: 'timer', op: 'clear', n: 2 },
    ]);
});

const tools = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ name: `t${n}`, inputSchema: { type: 'object' } }));
const step = (ctx: object) => ({ k: 'step', a: 'computer#1', ctx });

it('a record leaves a large list out, with its number and its size, and finds it by that number', () => {
  const large = new LargeValues();
  const entries = tools(200);
  const folded = large.fold(step({ entries, revision: 1 }));
  expect(folded).toEqual(step({ entries: new Later(1, 200), revision: 1 }));
  expect(large.find(1)).toEqual({ key: 'entries', value: entries });
  // The same object keeps its number, so a page that has asked once knows it.
  expect(large.fold(step({ offered: entries }))).toEqual(step({ offered: new Later(1, 200) }));
  expect(large.find(2)).toBeUndefined();
});

it('a record leaves out an object with many fields, and goes into one with few', () => {
  const table = { byName: Object.fromEntries(tools(300).map((tool, n) => [`t${n}`, tool])), refused: [] };
  expect(new LargeValues().fold(step({ table }))).toEqual(
    step({ table: { byName: new Later(1, 300), refused: [] } }),
  );
});

it('a record keeps what is small, lists of texts, the actors of a checkpoint, and a field whose secrets depend on its place', () => {
  const large = new LargeValues();
  const uris = Array.from({ length: 5_000 }, (_, n) => `dpe://h/${n}`);
  const roots = Array.from({ length: 500 }, (_, n) => ({ a: `computer/client:s${n}#1`, kind: 'client' }));
  const small = [step({ few: tools(5) }), step({ uris }), { k: 'key', roots }, step({ value: tools(200) })];
  for (const record of small) expect(large.fold(record)).toEqual(record);
});

it('the oldest large values of a trace are forgotten when there are more than may be kept', () => {
  const large = new LargeValues(2);
  const lists = [tools(200), tools(200), tools(200)];
  for (const entries of lists) large.fold(step({ entries }));
  expect([1, 2, 3].map((number) => large.find(number)?.value)).toEqual([undefined, lists[1], lists[2]]);
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
  const rows = text.trimEnd().split('\n');
  return rows.map((row) => JSON.parse(row) as Record<string, unknown>).filter(({ k }) => k === 'frame');
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
