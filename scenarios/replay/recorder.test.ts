import { describe, expect, it } from 'vitest';
import { createDigest, sha256Of } from './report/files.ts';
import { readTrace, type DirectoryRecord, type Profile, type Trace } from '../../machines/trace/index.ts';
import { inputsOf } from '../fixtures/recorded-run.ts';
import { judgeTrace } from './report/verdict.ts';
import { replayOf } from './replay.ts';
import { Harness } from '../stage/harness.ts';
import { Recorder, type RecorderOptions } from '../../actors/recording/recorder.ts';
import { Tap } from '../../actors/runtime/tap.ts';

const recorderOf = (profile: Profile, more: Partial<RecorderOptions> = {}): Recorder =>
  new Recorder({
    profile,
    now: () => 0,
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    charts: () => ({}),
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: 'virtual',
      started: null,
      redaction: { keyId: null },
    },
    ...more,
  });
const traceIn = (recorder: Recorder): Trace => {
  const read = readTrace(recorder.text('closed'), sha256Of);
  if (!read.ok) throw new Error(`line ${read.line}: ${read.problem}`);
  return read.trace;
};
/** A harness with everybody, a call, the end; watched by these. */
function play(...recorders: readonly Recorder[]): Harness {
  const harness = new Harness({ servers: { fs: { tools: { read: { answers: {}, afterMs: 5 } } } } });
  for (const recorder of recorders) harness.directory.tap.add(recorder);
  harness.office();
  harness.computer({ linked: true });
  harness.agent();
  harness.run(100);
  harness.agentCall('read');
  harness.call('read');
  harness.run(1_000);
  harness.close();
  harness.run(30_000);
  return harness;
}
const input = (text: string): DirectoryRecord => ({ k: 'in', via: 'host', a: 'nobody', ev: { type: text } });

describe('profiles', () => {
  const of = { inputs: recorderOf('inputs'), steps: recorderOf('steps'), full: recorderOf('full') };
  play(...Object.values(of));
  const texts = (profile: Profile): string[] => traceIn(of[profile]).lines.map(({ text }) => text);

  it('hold what the world did, and then what the machines did, and then what they remember', () => {
    const [inputs, steps, full] = [texts('inputs'), texts('steps'), texts('full')];
    const kinds = (some: readonly string[]): string[] =>
      [...new Set(some.map((text) => JSON.parse(text).k as string))].toSorted();
    expect(kinds(inputs)).toEqual(['draw', 'in']);
    expect(kinds(steps)).toEqual(['draw', 'end', 'in', 'open', 'out', 'post', 'step', 'timer']);
    expect(inputs).toEqual(steps.filter((text) => ['draw', 'in'].includes(JSON.parse(text).k)));
    const withoutMemory = full.map((text) =>
      JSON.parse(text, (key, value) => (key === 'ctx' ? undefined : value)),
    );
    expect(withoutMemory).toEqual(steps.map((text) => JSON.parse(text)));
    expect(full.filter((text) => text.includes('"ctx"')).length).toBeGreaterThan(10);
  });

  it('all replay the same, and to the same digest', () => {
    const reports = (['inputs', 'steps', 'full'] as const).map((profile) =>
      replayOf(profile, traceIn(of[profile]), { level: 'strict' }),
    );
    expect(reports.map(({ verdict }) => verdict)).toEqual(['same', 'same', 'same']);
    expect(new Set(reports.map(({ digest }) => digest)).size).toBe(1);
  });

  it('carry the same rolling hash, whatever is kept beside it', () => {
    const checks = (['inputs', 'steps', 'full'] as const).map((profile) =>
      traceIn(of[profile]).lines.flatMap(({ check }) => check ?? []),
    );
    expect(checks[0]).toEqual(checks[1]);
    expect(checks[1]).toEqual(checks[2]);
    expect(inputsOf(traceIn(of.steps)).lines.map(({ text }) => text)).toEqual(texts('inputs'));
  });
});

describe('records', () => {
  it('are numbered without a gap, over all actor systems of a host', () => {
    const recorder = recorderOf('steps');
    play(recorder);
    const { lines, tail } = traceIn(recorder);
    expect(lines.map(({ s }) => s)).toEqual(lines.map((_, at) => at + 1));
    expect(new Set(lines.map(({ record }) => record.a.split(/[#/]/)[0])).size).toBeGreaterThanOrEqual(3);
    expect(tail).toMatchObject({ records: lines.length, s: lines.length + 1 });
  });

  it('are references until they are written: a payload costs nothing before', () => {
    let reads = 0;
    const payload = {
      toJSON: () => {
        reads += 1;
        return 'read';
      },
    };
    const recorder = recorderOf('inputs');
    recorder.record({ k: 'in', via: 'host', a: 'x', ev: { type: 't', payload } as never });
    expect(reads).toBe(0);
    expect(recorder.text('asked')).toContain('"payload":"read"');
    expect(reads).toBe(1);
  });

  it('survive a payload that holds itself many times over', () => {
    const node: Record<string, unknown> = { type: 't' };
    for (const name of ['parent', 'first', 'last', 'next']) node[name] = node;
    const recorder = recorderOf('inputs');
    recorder.record({ k: 'in', via: 'host', a: 'x', ev: node as never });
    expect(recorder.text('asked')).toContain('{"$lost":"cycle"}');
  });

  it('survive a payload that cannot be read', () => {
    const hostile = {
      type: 't',
      get field(): never {
        throw new Error('hands off');
      },
    };
    const failed: unknown[] = [];
    const tap = new Tap((error) => failed.push(error));
    const recorder = recorderOf('inputs');
    tap.add(recorder);
    tap.record({ k: 'in', via: 'host', a: 'x', ev: hostile });
    tap.record(input('after it'));
    expect(failed).toEqual([]);
    expect(recorder.text('asked')).toMatch(/unreadable[^]*after it/);
  });
});

describe('a ring', () => {
  const full = (): Recorder => {
    const recorder = recorderOf('inputs', { ringBytes: 10_000 });
    for (let n = 1; n <= 500; n++) recorder.record(input(`${n} ${'x'.repeat(100)}`));
    return recorder;
  };

  it('never weighs more than it may, and forgets the oldest', () => {
    const recorder = full();
    expect(recorder.weight).toBeLessThanOrEqual(10_000);
    expect(recorder.weight).toBeGreaterThan(9_000);
    const { head, lines } = traceIn(recorder);
    expect(head.next).toBe(lines[0]?.s);
    expect(lines.at(-1)?.s).toBe(500);
    expect(lines.map(({ s }) => s)).toEqual(lines.map((_, at) => head.next + at));
  });

  it('keeps the last record, however heavy it is', () => {
    const recorder = full();
    recorder.record(input('x'.repeat(50_000)));
    expect(traceIn(recorder).lines.map(({ s }) => s)).toEqual([501]);
  });

  it('whose beginning is gone, and that has no checkpoint, is unusable and says why', () => {
    const { verdict, problem } = judgeTrace(traceIn(full()));
    expect({ verdict, problem }).toEqual({
      verdict: 'unusable',
      problem: {
        message: 'its beginning is missing: the ring had no room for all of it',
        remedy: 'Record to a folder (--record DIR), or with a larger ring (record.ringBytes).',
      },
    });
  });

  it('loses nothing to whoever takes what comes before it is too much', () => {
    const taken: number[] = [];
    const recorder: Recorder = recorderOf('inputs', {
      ringBytes: 1_000,
      onEntry: (isFull) => isFull && taken.push(...recorder.take().map(({ s }) => s)),
    });
    for (let n = 1; n <= 100; n++) recorder.record(input('x'.repeat(100)));
    taken.push(...recorder.take().map(({ s }) => s));
    expect(taken).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });
});

describe('whoever else watches', () => {
  it('sees the same with a recorder before it and without, also when that one fails', () => {
    const alone = play().trace;
    expect(play(recorderOf('full')).trace).toEqual(alone);
    const failing = recorderOf('steps', {
      onEntry: () => {
        throw new Error('no room');
      },
    });
    const harness = play(failing);
    expect(harness.trace).toEqual(alone);
    expect(harness.blunders).toHaveLength(1);
  });

  it('is alarmed by what must not happen, and by nothing else', () => {
    const alarms: string[] = [];
    const recorder = recorderOf('inputs', { onAlarm: (what) => alarms.push(what) });
    play(recorder);
    expect(alarms).toEqual([]);
    const dead = { k: 'post', from: 'host', a: 'nobody', ev: { type: 'hello' } } as const;
    recorder.record({ ...dead, dead: 'expected' });
    recorder.record({ ...dead, dead: 'lost' });
    recorder.record({ k: 'end', a: 'c#1', why: 'failed', error: 'Error: bug' });
    recorder.record({ k: 'end', a: 'c#2', why: 'closed' });
    recorder.record({ k: 'defect', a: 'c#1', what: 'livelock' });
    expect(alarms).toEqual(['hello to nobody at nobody', 'c#1 failed: Error: bug', 'c#1: livelock']);
  });
});
