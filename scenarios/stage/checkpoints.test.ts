import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../actors/recording/checkpoint.ts';
import { readTrace } from '../../machines/trace/index.ts';
import { recorderOf } from './recording.ts';
import { sha256Of } from '../replay/report/files.ts';
import { forkTrace } from '../replay/fork.ts';
import { replayTrace } from '../replay/replay-trace.ts';
import { Harness } from './harness.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const servers = {
  fs: {
    tools: { read: { answers: hello, afterMs: 300 }, hang: { never: true as const } },
    ignores: ['stdin', 'SIGTERM'] as const,
  },
  flaky: { tools: { toss: { dies: { code: 3 }, afterMs: 40 } } },
};

/** A busy life of everybody: calls in every state, deaths, time-outs, an office that goes and comes. */
function live(harness: Harness): void {
  harness.office();
  harness.computer({ linked: true });
  harness.agent();
  harness.run(500);
  for (let round = 0; round < 6; round++) {
    harness.call('read');
    harness.agentCall('read', { params: { password: 'hunter2hunter2' } });
    harness.call('hang', { timeoutMs: 250 });
    const cancelled = harness.agentCall('hang');
    harness.run(120);
    harness.call('toss');
    cancelled.cancel();
    harness.run(400);
    if (round === 3) {
      harness.close('office');
      harness.run(300);
      harness.office();
    }
    harness.run(1_500);
  }
}
const recordedWith = (ringBytes: number) => {
  const harness = new Harness({ servers, seed: 5 });
  const ring = recorderOf(harness.clock, { ringBytes });
  let largest = 0;
  ring.picture = () => {
    const picture = pictureOf(harness.directory);
    largest = Math.max(largest, JSON.stringify(picture.roots).length);
    return picture;
  };
  harness.directory.tap.add(ring);
  live(harness);
  const inMidLife = ring.text('asked');
  const weights = [ring.weight];
  harness.close();
  harness.run(30_000);
  weights.push(ring.weight);
  return { inMidLife, atTheEnd: ring.text('closed'), weight: Math.max(...weights), largest };
};
const read = (text: string) => {
  const result = readTrace(text, sha256Of);
  if (!result.ok) throw new Error(`line ${result.line}: ${result.problem}`);
  return result.trace;
};
// Each size cuts the same life at another place.
const sizes = [8_000, 13_000, 21_000, 34_000, 55_000, 89_000, 144_000];

describe('a ring that has lost the beginning', () => {
  it.each(sizes)('of %i bytes begins with a picture of everything, and replays to the last digit', (size) => {
    const { inMidLife, atTheEnd } = recordedWith(size);
    const begins = [inMidLife, atTheEnd].map((text) => {
      const trace = read(text);
      expect(replayTrace(trace, { level: 'strict' }).divergence).toBeUndefined();
      expect(trace.key?.frame.roots.length).toBeGreaterThan(2);
      return trace.head.next;
    });
    expect(Math.min(...begins)).toBeGreaterThan(1);
  });

  it('stays about as large as it may be, and has two pictures at most', () => {
    for (const size of sizes) {
      const { weight, largest } = recordedWith(size);
      expect(weight).toBeLessThan(1.1 * size + 2 * largest);
    }
  });

  it('is whole as long as it is large enough', () => {
    const { atTheEnd } = recordedWith(Infinity);
    expect(read(atTheEnd)).toMatchObject({ head: { next: 1 }, key: undefined });
  });

  it('can be forked too, and what it forks into can be replayed', () => {
    const trace = read(recordedWith(34_000).inMidLife);
    const last = trace.lines.findLast(({ record }) => record.k === 'in' && record.via === 'leaf');
    const nothing = { set: new Map(), inject: [] };
    const forked = forkTrace(
      trace,
      { ...nothing, at: last?.s ?? 0, skip: new Set([last?.s ?? 0]) },
      'a fork',
    );
    expect(trace.key).toBeDefined();
    const again = read(forked.trace);
    expect(again.key?.frame).toEqual(trace.key?.frame);
    expect(replayTrace(again, { level: 'strict' }).divergence).toBeUndefined();
  });
});
