import { describe, expect, it } from 'vitest';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { replayOf } from './replay.ts';
import { Harness } from '../stage/harness.ts';
import type { Recorder, RecorderOptions } from '../../actors/recording/recorder.ts';
import { recorderOf as recorderAt, traceOf } from '../stage/recording.ts';
import { Tap } from '../../actors/runtime/directory.ts';

let clock: { now(): number } = { now: () => 0 };
function recorderOf(profile: Profile, more: Partial<RecorderOptions> = {}): Recorder {
  clock = { now: () => 0 };
  return recorderAt({ now: () => clock.now() }, { profile }, more);
}
async function play(...recorders: readonly Recorder[]): Promise<Harness> {
  const harness = new Harness({ servers: { fs: { tools: { read: { answers: {}, afterMs: 5 } } } } });
  clock = harness.clock;
  for (const recorder of recorders) harness.directory.tap.add(recorder);
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(100);
  harness.agentCall('read');
  harness.call('read');
  await harness.run(1_000);
  harness.close();
  await harness.run(30_000);
  return harness;
}
const input = (text: string): DirectoryRecord => ({ k: 'in', via: 'host', a: 'nobody', ev: { type: text } });

describe('profiles', async () => {
  const of = { boundary: recorderOf('boundary'), steps: recorderOf('steps'), full: recorderOf('full') };
  await play(...Object.values(of));
  const texts = (profile: Profile): string[] => traceOf(of[profile]).lines.map(({ text }) => text);

  it('hold what crosses the boundary, and then what the machines did, and then what they remember', () => {
    const [boundary, steps, full] = [texts('boundary'), texts('steps'), texts('full')];
    const kinds = (some: readonly string[]): string[] =>
      [...new Set(some.map((text) => JSON.parse(text).k as string))].toSorted();
    expect(kinds(boundary)).toEqual(['draw', 'in', 'out', 'said']);
    expect(kinds(steps)).toEqual(['draw', 'end', 'in', 'open', 'out', 'post', 'said', 'step', 'timer']);
    const crossings = (some: readonly string[]): unknown[] =>
      some.flatMap((text) => {
        const { ch, ev, k } = JSON.parse(text) as Record<string, unknown>;
        return ch === undefined ? [] : [{ ch, ev, k }];
      });
    expect(crossings(boundary)).toEqual(crossings(steps));
    const withoutMemory = full.map((text) =>
      JSON.parse(text, (key, value) => (key === 'ctx' || key === 'gone' ? undefined : value)),
    );
    expect(withoutMemory).toEqual(steps.map((text) => JSON.parse(text)));
    expect(full.filter((text) => text.includes('"ctx"')).length).toBeGreaterThan(10);
  });

  it('all replay the same, and to the same digest', () => {
    const reports = (['boundary', 'steps', 'full'] as const).map((profile) =>
      replayOf(profile, traceOf(of[profile])),
    );
    expect(reports.map(({ text }) => text)).toEqual(Array(3).fill(expect.stringMatching(/^SAME [^\n]*$/)));
    expect(new Set(reports.map(({ digest }) => digest)).size).toBe(1);
  });
});

describe('records', () => {
  it('are numbered without a gap, over all actor systems of a host', async () => {
    const recorder = recorderOf('steps');
    await play(recorder);
    const { lines, tail } = traceOf(recorder);
    expect(lines.map(({ s }) => s)).toEqual(lines.map((_, at) => at + 1));
    expect(
      new Set(
        lines.flatMap(({ record }) =>
          'a' in record && record.a !== undefined ? record.a.split(/[#/]/)[0] : [],
        ),
      ).size,
    ).toBeGreaterThanOrEqual(3);
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
    const recorder = recorderOf('boundary');
    recorder.record({ k: 'in', via: 'host', a: 'x', ev: { type: 't', payload } as never });
    expect(reads).toBe(0);
    expect(recorder.text('asked')).toContain('"payload":"read"');
    expect(reads).toBe(1);
  });

  it('survive a payload that holds itself many times over', () => {
    const node: Record<string, unknown> = { type: 't' };
    for (const name of ['parent', 'first', 'last', 'next']) node[name] = node;
    const recorder = recorderOf('boundary');
    recorder.record({ k: 'in', via: 'host', a: 'x', ev: node as never });
    expect(recorder.text('asked')).toContain('{"$lost":"cycle"}');
  });

  it('survive a payload that cannot be read', () => {
    const payload = {
      get field(): never {
        throw new Error('hands off');
      },
    };
    const hostile = { type: 't', payload };
    const failed: unknown[] = [];
    const tap = new Tap((error) => failed.push(error));
    const recorder = recorderOf('boundary');
    tap.add(recorder);
    tap.record({ k: 'in', via: 'host', a: 'x', ev: hostile });
    tap.record(input('after it'));
    expect(failed).toEqual([]);
    expect(recorder.text('asked')).toMatch(/unreadable[^]*after it/);
  });
});

describe('a ring', () => {
  const full = (): Recorder => {
    const recorder = recorderOf('boundary', { ringBytes: 10_000 });
    for (let n = 1; n <= 500; n++) recorder.record(input(`${n} ${'x'.repeat(100)}`));
    return recorder;
  };

  it('never weighs more than it may, and forgets the oldest', () => {
    const recorder = full();
    expect(recorder.weight).toBeLessThanOrEqual(10_000);
    expect(recorder.weight).toBeGreaterThan(9_000);
    const { lines } = traceOf(recorder);
    // The first record has the facts of all that is forgotten.
    expect(lines.map(({ s }) => s)).toEqual(lines.map((_, at) => 2 + at));
    expect(lines.at(-1)?.text).toContain('"500 xxx');
  });

  it('keeps the last record, however heavy it is', () => {
    const recorder = full();
    recorder.record(input('x'.repeat(50_000)));
    expect(traceOf(recorder).lines.map(({ s }) => s)).toEqual([2]);
  });

  it('loses nothing where somebody takes what comes before it is too much', () => {
    const taken: number[] = [];
    const recorder: Recorder = recorderOf('boundary', {
      ringBytes: 1_000,
      onEntry: (isFull) => isFull && taken.push(...recorder.take().map(({ s }) => s)),
    });
    for (let n = 1; n <= 100; n++) recorder.record(input('x'.repeat(100)));
    taken.push(...recorder.take().map(({ s }) => s));
    expect(taken).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });
});

describe('another observer', () => {
  it('sees the same with a recorder before it and without, also when that one fails', async () => {
    const alone = (await play()).trace;
    expect((await play(recorderOf('full'))).trace).toEqual(alone);
    const failing = recorderOf('steps', {
      onEntry: () => {
        throw new Error('no room');
      },
    });
    const harness = await play(failing);
    expect(harness.trace).toEqual(alone);
    expect(harness.blunders).toHaveLength(1);
  });
});
