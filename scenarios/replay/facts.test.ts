import { describe, expect, it } from 'vitest';
import type { Trace } from '../../machines/trace/reading.ts';
import type { Recorder } from '../../actors/recording/recorder.ts';
import { Harness } from '../stage/harness.ts';
import { recorderOf } from '../stage/recording.ts';
import { readBack } from './again/recorded-again.ts';
import { replayTrace } from './replay-trace.ts';

const servers = {
  fs: {
    tools: {
      read: { answers: { content: [] }, afterMs: 20 },
      hang: { never: true as const },
      cut: { hangsUp: true as const },
    },
  },
  flaky: { tools: { toss: { dies: { code: 3 }, afterMs: 40 } } },
};
const sizes = [40, 80, 120, 160, 240, 320].map((kb) => kb * 1_024);

/** A host that lives long before it fails, recorded in rings of several sizes. */
async function longLife(): Promise<readonly Recorder[]> {
  const harness = new Harness({ servers });
  const rings = sizes.map((ringBytes) => recorderOf(harness.clock, { ringBytes, profile: 'boundary' }));
  for (const ring of rings) harness.directory.tap.add(ring);
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(1_000);
  harness.call('hang', { timeoutMs: 0 });
  for (let round = 0; round < 80; round += 1) {
    harness.call('read');
    const wanted = harness.agentCall('hang');
    await harness.run(300);
    if (round % 13 === 5) harness.call('toss');
    await harness.run(600);
    wanted.cancel();
    if (round === 20) {
      harness.close('office');
      await harness.run(300);
      await harness.office();
    }
  }
  await harness.run(5_000);
  harness.agentCall('cut');
  await harness.run(10_000);
  harness.close();
  await harness.run(30_000);
  return rings;
}
const read = (ring: Recorder): Trace => readBack(ring.text('closed'));

describe('a ring that has lost its beginning', async () => {
  const traces = (await longLife()).map(read);

  it('keeps no question about the result of a call that is over', async () => {
    const text = 'x'.repeat(2_000);
    const harness = new Harness({
      servers: { fs: { tools: { read: { answers: { content: [{ type: 'text', text }] }, afterMs: 1 } } } },
      options: { fs: { resultBytes: 1_024 } },
    });
    const ring = recorderOf(harness.clock, { ringBytes: 40 * 1_024, profile: 'boundary' });
    harness.directory.tap.add(ring);
    harness.computer();
    await harness.run(1_000);
    for (let round = 0; round < 40; round += 1) {
      harness.call('read');
      await harness.run(1_000);
    }
    const asked = (read(ring).facts?.facts.answers ?? []).map(({ ch }) => ch.split(' {')[0]);
    expect(asked).toEqual(['ask resolve of spec', 'ask tools/list of fs']);
  });

  it('opens with what holds: who was started, what the world has told, calls under way', () => {
    const trace = traces.at(-1);
    const { orders, told, open } = trace?.facts?.facts ?? { orders: [], told: [], open: [] };
    // The office was closed, and another was started after everybody else.
    expect(orders.map(({ ev }) => ev.type)).toEqual(['createComputer', 'createAgent', 'createOffice']);
    expect(told.map(({ ch, ev }) => `${ch} ${ev.type}`)).toEqual(
      expect.arrayContaining([
        'process:fs/1 child.started',
        'session:fs/1 session.opened',
        'link:computer:c1/1 join.accepted',
        'link:agent:a1/1 join.accepted',
      ]),
    );
    expect(open.map(({ ev }) => ev)).toContainEqual(
      expect.objectContaining({ type: 'callTool', reqId: 'r1' }),
    );
  });

  it.each(traces.map((trace, at) => [sizes[at], trace] as const))(
    'is a guard like any other at %d bytes: the same host does the same again',
    (_size, trace) => {
      const { difference, matched, total } = replayTrace(trace);
      expect(trace.facts).toBeDefined();
      expect(difference).toBeUndefined();
      expect([matched, total > 20]).toEqual([total, true]);
    },
  );
});
